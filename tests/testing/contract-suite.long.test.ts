/** The contract suite passes for a sound domain, and each broken role, mask, policy or grant fails the case that covers it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractSuite, type ContractSuite, openTestServer, type TestServer } from '../../src/testing/index.ts';
import { devicesConfig } from './fixtures/devices.ts';
import { lockersConfig } from './fixtures/lockers.ts';

/** The problem that one case reports; undefined if it passes. */
async function problemIn({ cases }: ContractSuite, name: string): Promise<string | undefined> {
  const found = cases.find((each) => each.name.startsWith(name)) ?? expect.fail(`no case is called ${name}`);
  return found.run().then(
    () => undefined,
    (error: Error) => error.message,
  );
}

describe('a sound SQL domain', () => {
  const { config, folder } = devicesConfig();
  let server: TestServer;
  const suite = contractSuite(config, { openServer: async () => server });
  beforeAll(async () => {
    server = await openTestServer(config);
  }, 120_000);
  afterAll(async () => {
    await suite.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** hr belongs to the configuration only because sign-in asks it about people; tests/contract covers its tools. */
  const own = suite.cases.filter(({ name }) => !name.startsWith('hr'));
  test.each(own.map(({ name, run }) => [name, run] as const))('%s', async (_name, run) => run(), 60_000);

  test('writes a missing rights.md, and fails when a committed one differs', async () => {
    const file = join(folder, 'rights.md');
    expect(existsSync(file)).toBe(true);
    const committed = readFileSync(file, 'utf8');
    expect(committed).toContain('- devices: self for select to devices_self using');
    expect(committed).toContain('- list_devices: employee (self), devices-write (everyone), executive (everyone)');
    writeFileSync(file, committed.replace('shown to executive', 'shown to manager'));
    expect(await problemIn(suite, 'devices: rights.md')).toContain(
      '- committed: - price hides what a device cost, and its serial number; shown to manager',
    );
    await Promise.all(
      contractSuite(config, { openServer: async () => server, update: true })
        .cases.filter(({ name }) => name.includes('rights.md'))
        .map(({ run }) => run()),
    );
    expect(readFileSync(file, 'utf8')).toBe(committed);
  });

  describe('with one change in the database', () => {
    test.each([
      [
        'a policy that shows all rows',
        'alter policy self on devices.devices using ((select tamshai.principal()) is not null)',
        'alter policy self on devices.devices using (employee_id = (select tamshai.me()))',
        {
          'devices.list_devices shows different people': "people of the audience 'self' (the devices they use)",
          'devices.get_device answers its examples':
            'devices.get_device for marcus.johnson: “Show me the laptop of Sarah Kim” (rest): expected DEVICE_NOT_FOUND',
          'devices: rights.md': '- found: - devices: self for select to devices_self using',
        },
      ],
      [
        'a policy that ignores the mask',
        'alter policy self on devices.prices using ((select tamshai.principal()) is not null)',
        "alter policy self on devices.prices using ((select tamshai.shows('price')))",
        {
          "devices: the mask 'price'":
            "devices.list_devices shows price to marcus.johnson (employee), who may not see it (mask 'price'): " +
            "expected '*** (Hidden)', but got",
        },
      ],
      [
        'a mask that stays closed for everyone',
        'alter policy everyone on devices.prices using (false)',
        "alter policy everyone on devices.prices using ((select tamshai.shows('price')))",
        { "devices: the mask 'price'": 'is not exercised: nobody who may see what a device cost' },
      ],
      [
        'a table without row security',
        'alter table devices.prices disable row level security',
        'alter table devices.prices enable row level security',
        { 'devices: no table': 'devices: Row security is not forced on the table devices.prices' },
      ],
      [
        'a view with the rights of its owner',
        'alter view devices.list set (security_invoker = false)',
        'alter view devices.list set (security_invoker = true)',
        { 'devices: no table': 'devices: The view devices.list returns all rows that its owner may see' },
      ],
      [
        'a function that everyone may execute with the rights of its owner',
        'create function devices.all_prices() returns bigint language sql security definer return (select count(*) from devices.prices)',
        'drop function devices.all_prices()',
        { 'devices: no table': 'Everyone may execute devices.all_prices(), which runs with the rights of its owner' },
      ],
      [
        'a grant to everyone',
        'grant select on devices.prices to public',
        'revoke select on devices.prices from public',
        { 'devices: no table': 'Everyone may use devices.prices' },
      ],
    ])(
      '%s fails',
      async (_what, breaking, repairing, expected: Readonly<Record<string, string>>) => {
        await server.owner(breaking);
        try {
          for (const [name, problem] of Object.entries(expected)) expect(await problemIn(suite, name)).toContain(problem);
        } finally {
          await server.owner(repairing);
        }
        for (const name of Object.keys(expected)) expect(await problemIn(suite, name)).toBeUndefined();
      },
      60_000,
    );
  });
});

/** The suite reads the sound declaration, and the server runs the broken one. */
describe('a server that does not keep what its domain declares', () => {
  const { config, folder } = devicesConfig();
  const broken = devicesConfig({ folder, listRoles: ['employee', 'devices-write', 'devices-read', 'executive'], nested: () => 'SN-1000' });
  const suite = contractSuite(config, { openServer: () => openTestServer(broken.config) });
  afterAll(async () => {
    await suite.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('fails where a role can call a tool that does not list the role', async () => {
    expect(await problemIn(suite, 'roles: staff with devices-read')).toContain(
      'devices.list_devices (as list_devices, at rest) for staff with devices-read: no role may call it, so expected ' +
        'INSUFFICIENT_PERMISSIONS, but got',
    );
    expect(await problemIn(suite, 'roles: staff with employee')).toBeUndefined();
  }, 120_000);

  test('fails where a nested field shows what its mask hides', async () => {
    expect(await problemIn(suite, "devices: the mask 'price'")).toContain(
      "devices.get_device shows bought[].serial to marcus.johnson (employee), who may not see it (mask 'price'): expected " +
        "'*** (Hidden)', but got SN-1000.",
    );
  }, 120_000);
});

describe('a sound domain on documents', () => {
  const { config, folder } = lockersConfig();
  const suite = contractSuite(config, { domains: ['lockers'] });
  afterAll(async () => {
    await suite.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(suite.cases.map(({ name, run }) => [name, run] as const))('%s', async (_name, run) => run(), 120_000);

  test('has its scopes and masks in rights.md', () => {
    const rights = readFileSync(join(folder, 'rights.md'), 'utf8');
    expect(rights).toContain('- lockers: self sees rows where employee_id is "{employeeId}"');
    expect(rights).toContain('- lockers: the mask code hides code');
  });
});

describe('a server with four mistakes in a domain on documents', () => {
  const { config, folder } = lockersConfig();
  const broken = lockersConfig({
    folder,
    listRoles: ['employee', 'lockers-write', 'lockers-read', 'executive'],
    rows: 'all',
    hidden: [],
    nested: () => 20,
  });
  const suite = contractSuite(config, { domains: ['lockers'], openServer: () => openTestServer(broken.config) });
  afterAll(async () => {
    await suite.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    [
      'a role that may call a tool but is not declared',
      'roles: staff with lockers-read',
      'lockers.list_lockers (as list_lockers, at rest) for staff with lockers-read',
    ],
    ['a missing mask', "lockers: the mask 'code'", 'lockers.list_lockers shows code to'],
    ['a nested field without its mask', "lockers: the mask 'deposit'", 'lockers.get_locker shows lease.deposit to'],
    ['too many rows', 'lockers.list_lockers shows different people', "people of the audience 'self' (the lockers they use)"],
    ['a row of another person', 'lockers.get_locker answers its examples', 'expected LOCKER_NOT_FOUND'],
  ])(
    'fails for %s',
    async (_what, name, problem) => {
      expect(await problemIn(suite, name)).toContain(problem);
    },
    120_000,
  );
});
