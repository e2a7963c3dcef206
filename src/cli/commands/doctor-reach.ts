/** Checks over the network: the identity provider, remote servers and the trace collector. */
import { request } from 'undici';
import { discover, introspection } from '../../identity/issuers.ts';
import type { Config } from '../../server/config.ts';
import { duration } from '../terminal/text.ts';
import type { Check } from './doctor-checks.ts';
import { addressOf } from './server-address.ts';

const DEADLINE_MS = 3_000;
/** The token verifier tolerates this clock difference. */
const CLOCKS_DIFFER_MS = 5_000;
const timeouts = { headersTimeout: DEADLINE_MS, bodyTimeout: DEADLINE_MS };

export async function issuerChecks({ issuers }: Config): Promise<Check[]> {
  const { staff, customer, clientId, customerClientId, clientSecret } = issuers;
  if (staff === undefined) return [{ state: 'warn', message: 'OIDC_ISSUER is not set: anyone on this machine can sign in as anyone' }];
  const checks: Check[] = [];
  for (const [name, url, client] of [
    ['OIDC_ISSUER', staff, clientId],
    ['OIDC_CUSTOMER_ISSUER', customer, customerClientId],
  ] as const) {
    if (url === undefined) continue;
    const place = `${name} at ${addressOf(url)}`;
    try {
      const { jwks_uri: keys, introspection_endpoint: asks } = await discover(url);
      checks.push({ state: 'ok', message: `${place} has a valid discovery document` });
      checks.push(...(await keysAndClock(place, keys)));
      if (asks === undefined)
        checks.push({
          state: 'warn',
          message: `${place} publishes no introspection endpoint: a revoked token stays valid here until it expires`,
        });
      else if (clientSecret === undefined)
        checks.push({
          state: 'warn',
          message: `${place} is not asked whether a token was revoked`,
          fix: 'set OIDC_CLIENT_SECRET to the secret of a confidential client; then a sign-out there takes effect here within ten seconds',
        });
      else checks.push(await loginCheck(place, url, { client, secret: clientSecret }));
    } catch (error) {
      const known = (error as Error).name === 'SetupProblem';
      checks.push({
        state: 'fail',
        message: known ? (error as Error).message : `${place} does not return its discovery document`,
        fix: `start it, or correct ${name}`,
      });
    }
  }
  return checks;
}

async function keysAndClock(place: string, jwks: string): Promise<Check[]> {
  const fix = 'check the keys of the realm there: without a signing key, nobody can sign in';
  try {
    const asked = Date.now();
    const { statusCode, headers, body } = await request(jwks, timeouts);
    const found = (await body.json()) as { keys?: { use?: string }[] };
    const signing = (found.keys ?? []).filter(({ use }) => use === undefined || use === 'sig').length;
    if (statusCode !== 200 || signing === 0) return [{ state: 'fail', message: `${place} has no signing key`, fix }];
    const there = Date.parse(String(headers['date']));
    // The Date header has whole seconds.
    const ahead = there + 500 - (asked + Date.now()) / 2;
    if (!Number.isFinite(ahead) || Math.abs(ahead) <= CLOCKS_DIFFER_MS) return [];
    const message =
      `The clock of ${place} is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} this ` +
      `machine's; its tokens would be refused`;
    return [{ state: 'fail', message, fix: 'synchronise both clocks with NTP' }];
  } catch {
    return [{ state: 'fail', message: `${place} does not return its keys`, fix }];
  }
}

/** Introspects an invalid token. The issuer answers only if it accepts the client's credentials. */
async function loginCheck(
  place: string,
  issuer: string,
  { client, secret }: { readonly client: string; readonly secret: string },
): Promise<Check> {
  try {
    await introspection(issuer, client, secret)('not-a-token');
    return { state: 'ok', message: `${place} accepts the client ${client} and its secret` };
  } catch {
    return {
      state: 'fail',
      message: `${place} does not let the client ${client} introspect tokens`,
      fix: 'correct OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or make the client a confidential one there',
    };
  }
}

export async function serverChecks(config: Config): Promise<Check[]> {
  const far = config.registry.domains.flatMap(({ name }) => {
    const url = config.remoteUrl(name);
    return url === undefined ? [] : [{ name, url }];
  });
  return Promise.all(
    far.map(async ({ name, url }): Promise<Check> => {
      const setting = `${name.toUpperCase()}_URL`;
      try {
        const { statusCode, body } = await request(`${url.replace(/\/$/, '')}/ready`, timeouts);
        await body.dump();
        if (statusCode === 200) return { state: 'ok', message: `${name} at ${addressOf(url)} is ready` };
        return {
          state: 'warn',
          message: `${name} at ${addressOf(url)} is not ready (${statusCode})`,
          fix: 'run tamshai doctor there: one of its stores is unavailable, or it is stopping',
        };
      } catch {
        return {
          state: 'warn',
          message: `${name} at ${addressOf(url)} does not answer; its tools would be missing`,
          fix: `start it, or correct ${setting}`,
        };
      }
    }),
  );
}

/** Sends an empty batch to the collector, because lost traces otherwise show only as a warning in the log. */
export async function tracingCheck({ tracing }: Config): Promise<Check[]> {
  if (tracing === undefined) return [];
  const place = `Traces to ${addressOf(tracing.endpoint)}`;
  const fix = 'start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT; OTEL_TRACES_EXPORTER=none turns traces off';
  try {
    const headers = { ...tracing.headers, 'content-type': 'application/json' };
    const { statusCode, body } = await request(tracing.endpoint, { method: 'POST', headers, body: '{"resourceSpans":[]}', ...timeouts });
    await body.dump();
    if (statusCode < 300) return [{ state: 'ok', message: `${place} are accepted` }];
    return [
      {
        state: 'warn',
        message: `${place} are refused (${statusCode})`,
        fix: statusCode === 401 || statusCode === 403 ? 'correct OTEL_EXPORTER_OTLP_HEADERS' : fix,
      },
    ];
  } catch {
    return [{ state: 'warn', message: `${place} are lost: the collector does not answer`, fix }];
  }
}
