/** `tamshai keys`: prints new keys, public keys, and the steps of a key rotation. */
import { randomBytes } from 'node:crypto';
import { gatewayJwks } from '../../identity/gateway-keys.ts';
import { newGatewayKey, openKeys, readGatewayKeys } from '../../identity/keys.ts';
import { readClientConfig } from '../../server/instances.ts';
import { type Console, openConsole } from './console.ts';
import { EXIT } from './stop.ts';

const show = (console: Console, values: Readonly<Record<string, string>>, before: readonly string[] = []) => {
  if (console.json) console.value(values);
  else console.out(...before, ...Object.entries(values).map(([name, value]) => `${name}=${value}`));
  return EXIT.ok;
};
const text = (value: object) => JSON.stringify(value);

export async function create(options: { json?: boolean }): Promise<number> {
  const gateway = text(newGatewayKey());
  const [current] = readGatewayKeys(gateway);
  return show(openConsole(options.json), {
    TAMSHAI_MASTER_KEY: randomBytes(32).toString('base64url'),
    TAMSHAI_GATEWAY_KEY: gateway,
    TAMSHAI_GATEWAY_PUBLIC_KEYS: text(gatewayJwks({ gateway: { current, previous: undefined } })),
  });
}

export async function publicPart(options: { json?: boolean }): Promise<number> {
  const { dataFolder, masterKey, gatewayKey } = readClientConfig();
  const console = openConsole(options.json);
  const keys = openKeys(dataFolder, { masterKey, gatewayKey });
  if (console.json) console.value(gatewayJwks(keys));
  else console.out(text(gatewayJwks(keys)));
  return EXIT.ok;
}

export async function rotate(options: { json?: boolean }): Promise<number> {
  const { dataFolder, masterKey, gatewayKey } = readClientConfig();
  const { gateway } = openKeys(dataFolder, { masterKey, gatewayKey });
  const fresh = newGatewayKey();
  const [current] = readGatewayKeys(text(fresh));
  const console = openConsole(options.json);
  const both = text(gatewayJwks({ gateway: { current, previous: gateway.current } }));
  const signing = text({ keys: [fresh, gateway.current.jwk] });
  const alone = text(gatewayJwks({ gateway: { current, previous: undefined } }));
  if (console.json)
    console.value({ servers: JSON.parse(both) as object, gateways: JSON.parse(signing) as object, then: JSON.parse(alone) as object });
  else
    console.out(
      '1. Give every server both public keys:',
      `TAMSHAI_GATEWAY_PUBLIC_KEYS=${both}`,
      '',
      '2. Then restart the gateways, one after the other, with the new key first:',
      `TAMSHAI_GATEWAY_KEY=${signing}`,
      '',
      '3. A minute after the last restart, remove the old key from the servers:',
      `TAMSHAI_GATEWAY_PUBLIC_KEYS=${alone}`,
    );
  return EXIT.ok;
}
