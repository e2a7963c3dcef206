/** How the command finds the running instance, and which instance files it ignores: those of other users and of dead processes. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completedBy, type Instance, registerInstance } from '../../src/server/instances.ts';

let root: string;
let home: string;
let cwd: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tamshai-test-instances-')));
  [home, cwd] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [home, cwd, join(root, 'one'), join(root, 'two')]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folders = () => ({ home, cwd });
const instance = (more: Partial<Instance> = {}): Instance => ({
  pid: process.pid,
  folder: cwd,
  dataFolder: join(root, 'one'),
  base: 'http://localhost:4100',
  ports: { gateway: 4100, hr: 4101 },
  ...more,
});
const FOUND = { TAMSHAI_DATA: () => join(root, 'one'), TAMSHAI_PUBLIC_URL: () => 'http://localhost:4100', HR_PORT: () => '4101' };
const found = () => Object.fromEntries(Object.entries(FOUND).map(([name, value]) => [name, value()]));
const look = (environment: Record<string, string> = {}, from = cwd) => completedBy({ home, cwd: from })(environment);
const folderOf = () => join(home, '.tamshai', 'instances');
const write = (name: string, value: unknown, mode = 0o600) => {
  mkdirSync(folderOf(), { recursive: true, mode: 0o700 });
  writeFileSync(join(folderOf(), name), JSON.stringify(value), { mode });
  chmodSync(join(folderOf(), name), mode);
};

describe('a running instance', () => {
  it('is found from the folder that it was started in, until it ends', () => {
    const end = registerInstance(instance(), folders());
    expect(look()).toMatchObject(found());
    expect(look({}, root)).toEqual({});
    end();
    expect(look()).toEqual({});
    expect(readdirSync(folderOf())).toEqual([]);
  });

  it('is found by its data folder from anywhere', () => {
    registerInstance(instance(), folders());
    expect(look({ TAMSHAI_DATA: join(root, 'one') }, root)).toMatchObject(found());
    expect(look({ TAMSHAI_DATA: join(root, 'two') })).toEqual({ TAMSHAI_DATA: join(root, 'two') });
  });

  it('is ignored when the environment names another address or issuer', () => {
    registerInstance(instance(), folders());
    for (const given of [
      { GATEWAY_PORT: '5000' },
      { TAMSHAI_PUBLIC_URL: 'http://localhost:5000' },
      { OIDC_ISSUER: 'https://people.example' },
    ])
      expect(look(given)).toEqual(given);
  });

  it('must be selected with TAMSHAI_DATA when several were started in one folder', () => {
    registerInstance(instance(), folders());
    write(`${process.ppid}.json`, instance({ pid: process.ppid, dataFolder: join(root, 'two'), base: 'http://localhost:4200' }));
    expect(() => look()).toThrow(/Several .* set TAMSHAI_DATA to .*one or .*two\./);
    expect(look({ TAMSHAI_DATA: join(root, 'two') })).toMatchObject({ TAMSHAI_PUBLIC_URL: 'http://localhost:4200' });
  });
});

describe('an instance file', () => {
  it.each<[string, () => void]>([
    ['a process that is gone', () => write('4194303.json', instance({ pid: 4_194_303 }))],
    ['a file that is named after another process', () => write('77.json', instance())],
    ['an address of another machine', () => write(`${process.pid}.json`, instance({ base: 'http://evil.example:3100' }))],
    [
      'an address that only looks like localhost',
      () => write(`${process.pid}.json`, instance({ base: 'http://localhost:3100@evil.example' })),
    ],
    ['a file that others can read or write', () => write(`${process.pid}.json`, instance(), 0o666)],
    ['a damaged file', () => write(`${process.pid}.json`, { pid: process.pid })],
    [
      'a symbolic link',
      () => {
        mkdirSync(folderOf(), { recursive: true, mode: 0o700 });
        writeFileSync(join(root, 'planted'), JSON.stringify(instance()), { mode: 0o600 });
        symlinkSync(join(root, 'planted'), join(folderOf(), `${process.pid}.json`));
      },
    ],
    [
      'a folder that others can write to',
      () => {
        write(`${process.pid}.json`, instance());
        chmodSync(folderOf(), 0o777);
      },
    ],
  ])('is ignored: %s', (_, plant) => {
    plant();
    expect(look()).toEqual({});
  });

  it('that cannot be written does not prevent the start', () => {
    writeFileSync(join(home, '.tamshai'), '');
    expect(() => registerInstance(instance(), folders())()).not.toThrow();
  });
});
