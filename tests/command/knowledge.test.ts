/** `tamshai knowledge export` and `import`. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  atTerminal,
  build,
  folder,
  freePorts,
  DEADLINE_MS,
  prepared,
  removeFolders,
  type Settings,
  testServer,
  tamshai,
  testClientOf,
} from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });

let filled: Settings;
let exported: string;
const file = (name = 'knowledge.jsonl') => join(folder('file'), name);
/** A data folder in which nothing was ever started. */
const unused = async (): Promise<Settings> => ({ TAMSHAI_DATA: join(folder('new'), 'data'), ...(await freePorts()) });
const run = (settings: Settings, ...args: string[]) => tamshai(['knowledge', ...args], { settings });

beforeAll(async () => {
  build();
  const running = await testServer(await prepared());
  filled = running.settings;
  const testClient = testClientOf(running);
  await testClient.rest('frank.davis', 'knowledge', 'store', { topic: 'Ebb & flow', content: 'Twice a day.\n潮', tags: ['sea'] });
  await testClient.rest('frank.davis', 'knowledge', 'undo');
  await testClient.leave();
  const busy = await run(filled, 'export');
  expect([busy.code, busy.out]).toEqual([1, '']);
  expect(busy.err).toMatch(/^error {2}The data folder \S+ is in use by another Tamshai process; [^\n]+\.\n$/);
  await running.stop();
  const { code, out, err } = await run(filled, 'export');
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/^Exported 95 changes with 64 versions of entries and 30 of triples in [\d.]+ m?s\.\n$/),
  ]);
  exported = out;
});
afterAll(removeFolders);

describe('export', () => {
  test('writes JSON lines to standard output, and the same ones into a file that only its owner can read', async () => {
    const lines = exported
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(97);
    expect(lines[0]).toEqual({ tamshai: 'knowledge', format: 1, as_of_tx_id: 95 });
    expect(lines.at(-3)).toMatchObject({
      tx_id: 94,
      action: 'store',
      by_name: 'Frank Davis',
      entries: [{ id: 'e-94', content: 'Twice a day.\n潮' }],
      closed: [],
    });
    expect(lines.at(-2)).toMatchObject({ tx_id: 95, action: 'undo', undoes: 94, entries: [], closed: ['e-94'] });
    const path = file();
    const { code, out } = await run(filled, 'export', path, '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { file: path, transactions: 95, entries: 64, triples: 30, ms: expect.any(Number) }]);
    expect(readFileSync(path, 'utf8')).toBe(exported);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await run(filled, 'export', path);
    expect(again).toMatchObject({ code: 1, out: '', err: `error  ${path} exists already and is not overwritten.\n` });
    expect(readFileSync(path, 'utf8')).toBe(exported);
  });

  test('shows its progress in a terminal, and says when there is nothing to export', async () => {
    const { screen, code } = await atTerminal(['knowledge', 'export', file()], { settings: filled });
    expect(code).toBe(0);
    expect(screen).toMatch(/Exporting knowledge .*█.* {2}done {3}/);
    const settings = await unused();
    const nowhere = await run(settings, 'export');
    expect(nowhere).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error {2}Tamshai has not been started in [^\n]+\.\n$/),
    });
    expect(existsSync(settings['TAMSHAI_DATA'] ?? '')).toBe(false);
    expect(await run({ ...filled, KNOWLEDGE_URL: 'http://127.0.0.1:1' }, 'export')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/runs on another machine/),
    });
  });
});

describe('import', () => {
  test('restores everything before the first start, and the start adds nothing', async () => {
    const settings = await unused();
    const path = file();
    writeFileSync(path, exported);
    const { screen, code } = await atTerminal(['knowledge', 'import', path], { settings });
    expect([code, screen]).toEqual([
      0,
      expect.stringMatching(/Importing knowledge .*done[^]*Imported 95 changes with 64 versions of entries and 30 of triples in /),
    ]);
    const running = await testServer(settings);
    const { json } = await running.run(['call', 'knowledge', 'history', '{"limit":2}', '--as', 'frank.davis', '--json']);
    expect(json()).toMatchObject({
      status: 'success',
      data: [
        { tx_id: 95, undoes: 94, mine: true },
        { tx_id: 94, undone_by: 95 },
      ],
    });
    await running.stop();
    expect((await run(settings, 'export')).out).toBe(exported);
  });

  const refused = (why: string) => ({
    code: 2,
    out: '',
    err: expect.stringMatching(new RegExp(`^error {2}[^\\n]*${why}[^\\n]*\\. Nothing was changed\\.\\n$`)),
  });
  test('refuses a damaged file with one sentence, and leaves nothing behind', async () => {
    const settings = await unused();
    const data = settings['TAMSHAI_DATA'] ?? '';
    const given = (text: string | Buffer) => {
      const path = file();
      writeFileSync(path, text);
      return run(settings, 'import', path);
    };
    expect(await given('')).toMatchObject(refused('it is empty|line 1'));
    expect(await given('\u0089PNG\r\n')).toMatchObject(refused('line 1 is not JSON'));
    expect(await given('{"name":"x"}\n')).toMatchObject(refused('line 1 is not the beginning of exported knowledge'));
    expect(await run(settings, 'import', file('absent'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/ does not exist; nothing was changed\.\n$/),
    });
    expect(await run(settings, 'import', folder())).toMatchObject({
      code: 2,
      err: expect.stringMatching(/ is a folder; nothing was changed\.\n$/),
    });
    expect(existsSync(data)).toBe(false);
  });

  test('imports all or nothing, and only into an empty store', async () => {
    const settings = await unused();
    const given = (text: string) => tamshai(['knowledge', 'import', '-'], { settings, input: text });
    expect(await given(exported.replace('Twice', 'Three times'))).toMatchObject(
      refused('line 97 has a checksum that does not match the lines before it'),
    );
    const standard = await tamshai(['knowledge', 'import', '-', '--json'], { settings, input: exported });
    expect([standard.code, standard.json()]).toEqual([0, { transactions: 95, entries: 64, triples: 30, ms: expect.any(Number) }]);
    expect(await tamshai(['knowledge', 'import', '-'], { settings, input: exported })).toMatchObject({
      code: 1,
      err: `error  There is knowledge in ${settings['TAMSHAI_DATA']} already (95 changes); import needs an empty knowledge base.\n`,
    });
  });
});
