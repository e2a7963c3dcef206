/** The endpoint /ready of a gateway whose own store does not answer in time. */
import { afterEach, expect, test } from 'vitest';
import { registryOf } from '../../src/engine/registry.ts';
import { openTestServerOf, type TestServer } from '../../src/testing/test-server.ts';
import { nordwind } from '../own-company/company.ts';
import { vehicles } from '../own-company/vehicles/domain.ts';

let server: TestServer | undefined;
afterEach(() => server?.close());

/** The domain lives on documents, so only the engine's own store uses the embedded SQL database. */
test.each([
  ['the built-in sign-in', {}],
  ['an external issuer', { OIDC_ISSUER: 'https://id.example', TAMSHAI_SCRIPTED_APPROVALS: '' }],
])(
  "with %s, a gateway is not ready while the engine's own store does not answer",
  async (_name, settings: Record<string, string>) => {
    server = await openTestServerOf(registryOf([vehicles], nordwind), { settings });
    const ready = async () => (await server?.send('GET', '/ready'))?.status;
    let release: (value: undefined) => void = () => {};
    const hanging = server.tamshai.embedded?.transaction('tamshai_engine', { text: 'select 1', values: [] }, async () => {
      await new Promise((resolve) => (release = resolve));
    });
    expect(await ready()).toBe(503);
    expect((await server.send('GET', '/health')).status).toBe(200);
    release(undefined);
    await hanging;
    expect(await ready()).toBe(200);
  },
  60_000,
);
