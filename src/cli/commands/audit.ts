/** `tamshai audit verify`: verifies the audit chains, in this process or through the running gateway. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditVerdict } from '../../engine/audit/verify.ts';
import type { FederatedVerdict } from '../../gateway/audit-log.ts';
import type { Keys } from '../../identity/keys.ts';
import { openPglite } from '../../storage/sql/pglite.ts';
import type { Config } from '../../server/config.ts';
import { type Folder, openFolder } from '../../server/folder.ts';
import { completedBy } from '../../server/instances.ts';
import { count, duration, grouped, padEnd, padStart, safe } from '../terminal/text.ts';
import { openClient } from './client.ts';
import { type Console, openConsole } from './console.ts';
import { actAs, keysOf, shownPath } from './person.ts';
import { EXIT, Stop, withoutSecrets } from './stop.ts';
import { auditKeysOf, type CheckedChain, checkLocalAudit, openLocalAudit, ownDomains } from './audit-chains.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';

export interface Verified {
  readonly chains: readonly CheckedChain[];
  readonly unseen: readonly string[];
  /** Processes that hold a part of the audit log but did not answer. */
  readonly silent: readonly string[];
  readonly asked: boolean;
}

export async function verify(options: ProjectOptions & { json?: boolean }): Promise<number> {
  const console = openConsole(options.json);
  const began = performance.now();
  const config = await loadConfig(options, completedBy());
  if (!existsSync(join(config.dataFolder, 'audit.db')))
    throw new Stop(`There is no audit log in ${shownPath(config.dataFolder)}; Tamshai has not been started there yet.`);
  let keys: Keys;
  try {
    keys = keysOf(config);
  } catch (error) {
    throw new Stop(`The audit log cannot be verified without its key: ${withoutSecrets((error as Error).message)}`);
  }
  const result = await verifyLocalAudit(config, keys, console);
  const broken = result.chains.filter((chain) => chain.broken !== undefined);
  if (console.json) console.value({ ok: broken.length === 0 && isWhole(result), ...result, ms: Math.round(performance.now() - began) });
  else report(result, broken, { console, ms: performance.now() - began });
  if (broken.length > 0) return EXIT.failed;
  return isWhole(result) ? EXIT.ok : EXIT.unavailable;
}

const isWhole = ({ unseen, silent }: Verified): boolean => unseen.length === 0 && silent.length === 0;

/**
 * Only one process can open the embedded database. If Tamshai is running, its gateway verifies the log. If the gateway gives no verdict,
 * the chains of the embedded database are left out.
 */
export async function verifyLocalAudit(config: Config, keys: Keys, console: Console): Promise<Verified> {
  const { embedded } = ownDomains(config);
  const folder = existsSync(join(config.dataFolder, 'pg', 'PG_VERSION')) && embedded.length > 0 ? taken(config) : undefined;
  if (folder === 'in use') {
    const verdict = await askGateway(config);
    if (verdict !== undefined) return { chains: chainsOf(verdict), unseen: [], silent: verdict.missing ?? [], asked: true };
  }
  const held = folder === 'in use' ? undefined : folder;
  try {
    const database = held && (await openPglite(join(config.dataFolder, 'pg')));
    try {
      await database?.surrender();
      const auditLog = await openLocalAudit(config, keys, database);
      const step = console.progress.step('Verifying');
      try {
        let done = 0;
        // Only the running process can read these chains. Their checkpoints are left out, because otherwise the chains would count as
        // missing.
        const unseen = folder === 'in use' ? embedded : [];
        const visible = {
          ...auditLog,
          checkpoints: auditLog.checkpoints.filter(({ chain }) => !unseen.some((name) => chain.startsWith(`${name}-`))),
        };
        const chains = await checkLocalAudit(visible, auditKeysOf(keys), (chain) => step.at(Math.min(0.95, ++done / 12), chain));
        return { chains, unseen, silent: [], asked: false };
      } finally {
        step.failed();
        await auditLog.close();
      }
    } finally {
      await database?.close();
    }
  } finally {
    held?.close();
  }
}

function taken(config: Config): Folder | 'in use' {
  try {
    return openFolder(config.dataFolder);
  } catch (error) {
    if (error instanceof Error && /in use/.test(error.message)) return 'in use';
    throw error;
  }
}

/** Returns undefined if no gateway answers, if the gateway returns an error, or if no sample person may read the whole log. */
async function askGateway(config: Config): Promise<FederatedVerdict | undefined> {
  const executive = config.registry.people.find(({ roles }) => roles.includes('executive'));
  if (config.issuers.staff !== undefined || executive === undefined) return undefined;
  try {
    const { body } = await openClient(actAs(config, executive.username)).get('/api/audit/verify');
    return body.status === 'success' ? (body['data'] as FederatedVerdict) : undefined;
  } catch (error) {
    if (error instanceof Stop) return undefined;
    throw error;
  }
}

const chainsOf = (verdict: AuditVerdict): CheckedChain[] =>
  verdict.ok
    ? [...verdict.chains]
    : [{ chain: verdict.chain, count: Math.max(0, verdict.n - 1), checkpointed: 0, broken: { n: verdict.n, problem: verdict.problem } }];

function report(
  { chains, unseen, silent, asked }: Verified,
  broken: readonly CheckedChain[],
  { console, ms }: { readonly console: Console; readonly ms: number },
): void {
  const { out, look } = console;
  const { style } = look;
  const name = Math.max(...chains.map(({ chain }) => chain.length), 10);
  const numbers = Math.max(...chains.map(({ count: n }) => grouped(n).length), 1);
  for (const { chain, count: n, broken: bad } of chains) {
    const title = padEnd(safe(chain === '' ? 'checkpoints' : chain), name);
    out(
      bad
        ? `  ${style.red('broken')}  ${title}  at record #${bad.n}: ${safe(bad.problem)}`
        : `  ${style.green('ok')}      ${title}  ${padStart(grouped(n), numbers)} ${n === 1 ? 'record' : 'records'}`,
    );
  }
  for (const domain of unseen)
    out(`  ${style.yellow('unseen')}  ${padEnd(domain, name)}  in the database of the running process; stop that process to verify it`);
  for (const process of silent)
    out(
      `  ${style.yellow('unseen')}  ${padEnd(safe(process), name)}  this process keeps its own part and does not answer; ` +
        'run this command on its machine',
    );
  const [first] = broken;
  const total = chains.reduce((sum, { count: n }) => sum + n, 0);
  if (first?.broken) {
    const which = asked
      ? 'The audit log is broken.'
      : `${broken.length} of ${count(chains.length, 'chain')} ${broken.length === 1 ? 'is' : 'are'} broken.`;
    out(`${which} Records before ${safe(first.chain)} #${first.broken.n} are verified.`);
  } else
    out(
      `${count(chains.length, 'chain')}, ${count(total, 'record')} verified in ${duration(ms)}${asked ? ' by the running gateway' : ''}.`,
    );
}
