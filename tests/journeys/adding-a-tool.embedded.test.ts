/** Follows docs/adding-a-tool.md and compiles and runs the code of that page. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { schemaWithOrigins } from '../../src/derive/answers.ts';
import { contracts } from '../../src/derive/contracts.ts';
import { mcpTool } from '../../src/derive/mcp.ts';
import { createRegistry } from '../../src/engine/registry.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { readPhrases } from '../../src/server/phrases.ts';
import * as hr from '../../domains/hr/index.ts';
import { textFields } from '../../src/testing/text-fields.ts';
import { openAssistantHarness } from '../assistant-harness.ts';
import { code, type Data, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TOOLS = 'domains/hr/tools/';
const page = await readFile(join(root, 'docs/adding-a-tool.md'), 'utf8');
/** The code block of the page whose first line is a comment with this file name. */
const block = (file: string) => new RegExp(`\`\`\`ts\\n// ${file.replaceAll('.', '\\.')}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';

let folder: string;
let file: string;
let tool: Tool;
let testRuntime: TestRuntime;
beforeAll(async () => {
  // The file is written below this folder, where compiler and test runner find it. Its relative imports become absolute.
  folder = await mkdtemp(join(root, 'tests/journeys/.page-'));
  file = join(folder, 'list-work-anniversaries.ts');
  const here = block(`${TOOLS}list-work-anniversaries.ts`).replace(
    /from '(\.[^']*)'/g,
    (_all, path: string) => `from '${join(root, TOOLS, path)}'`,
  );
  await writeFile(file, here);
  tool = Object.values((await import(/* @vite-ignore */ file)) as Record<string, Tool>)[0] as Tool;
  testRuntime = await openTestRuntime({ tools: [...Object.values(hr), tool] });
}, 120_000);
afterAll(async () => {
  await testRuntime?.close();
  await rm(folder, { recursive: true, force: true });
});

test('the page names the file after the tool, and shows the export for index.ts and the command npm run contracts', () => {
  expect(basename(file)).toBe(`${tool.name.replaceAll('_', '-')}.ts`);
  expect(block('domains/hr/index.ts')).toBe("export { listWorkAnniversaries } from './tools/list-work-anniversaries.ts';\n");
  expect(page).toContain('npm run contracts');
});

test('the phrases on the page belong to an example of the tool, and their slots to its input', async () => {
  const text = /```txt\n([^]*?)```/.exec(page)?.[1] ?? '';
  await mkdir(join(folder, 'phrases'));
  await writeFile(join(folder, 'phrases', 'list-work-anniversaries.txt'), text);
  const domain = { ...tool.domain, home: pathToFileURL(join(folder, 'domain.ts')).href };
  const phrases = readPhrases(createRegistry([{ ...tool, domain }]));
  expect([...(phrases.get('hr_list_work_anniversaries')?.values() ?? [])]).toEqual([
    ['Work anniversaries in March', 'Whose anniversary is in month 3?'],
  ]);
  expect(page).toContain('`domains/hr/phrases/list-work-anniversaries.txt`');
});

test('each text field of the answer declares its origin', () => {
  expect(textFields(schemaWithOrigins(tool)).filter(({ origin }) => origin === undefined)).toEqual([]);
});

test('the code on the page compiles, with only its imports changed', { timeout: 120_000 }, async () => {
  const config = join(folder, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), files: [file], include: [] }));
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config]);
});

test('HR gets all anniversaries of the month, a manager those of people below them, and other callers are refused', async () => {
  const forNina = await testRuntime.data('nina.patel', 'hr', tool.name, { month: 3 });
  const forAlice = await testRuntime.data('alice.chen', 'hr', tool.name, { month: 3 });
  const team = new Set(
    (await testRuntime.owner('select employee_id from hr.chain where manager_id = $1', [person('nina.patel').employeeId])).map(
      (row) => row['employee_id'],
    ),
  );
  expect(forAlice.length).toBeGreaterThan(0);
  expect(
    forAlice.every(
      (row) => /^\d{4}-03-/.test(String(row['hire_date'])) && Number(row['years']) === 2026 - Number(String(row['hire_date']).slice(0, 4)),
    ),
  ).toBe(true);
  expect(forNina.every((row) => team.has(row['employee_id']))).toBe(true);
  expect(code(await testRuntime.call('frank.davis', 'hr', tool.name))).toBe('INSUFFICIENT_PERMISSIONS');
  expect(code(await testRuntime.call(person('nina.patel', { employeeId: undefined }), 'hr', tool.name))).toBe('IDENTITY_NOT_LINKED');
  expect(code(await testRuntime.call('alice.chen', 'hr', tool.name, { month: 13 }))).toBe('VALIDATION_ERROR');
  expect(code(await testRuntime.call('alice.chen', 'hr', tool.name, { moon: 3 }))).toBe('VALIDATION_ERROR');
});

test('pages of two rows give the same list, and a cursor is refused with another month', async () => {
  const whole = await testRuntime.data('alice.chen', 'hr', tool.name, { month: 3 });
  const seen: unknown[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const answer = (await testRuntime.call('alice.chen', 'hr', tool.name, {
      month: 3,
      limit: 2,
      ...(cursor && { cursor }),
    })) as SuccessAnswer;
    seen.push(...(answer.data as Data).map((row) => row['employee_id']));
    cursor = answer.metadata?.nextCursor;
    if (first && cursor) expect(code(await testRuntime.call('alice.chen', 'hr', tool.name, { month: 4, cursor }))).toBe('INVALID_CURSOR');
  }
  expect(seen.slice(0, 50)).toEqual(whole.map((row) => row['employee_id']));
});

test('each example of the tool gives its declared answer', async () => {
  expect(tool.examples.length).toBeGreaterThanOrEqual(3);
  for (const { question, as, input, expects } of tool.examples) {
    expect([question, code(await testRuntime.call(as, 'hr', tool.name, input(SAMPLE_DAY.toISOString().slice(0, 10))))]).toEqual([
      question,
      expects ?? 'success',
    ]);
  }
});

test('the offline assistant calls the tool for its first example, and repeats "next week" in the answer to another question', async () => {
  const harness = await openAssistantHarness(createRegistry([...Object.values(hr), tool]));
  try {
    const [asked] = tool.examples;
    const { text, calls } = await harness.ask(asked?.as ?? '', asked?.question ?? '');
    expect(calls.map((each) => [each.tool, each.input])).toEqual([[tool.name, { count: true }]]);
    // "This month" is the default of the tool, so the answer does not say that it cannot filter by month.
    expect(text).not.toContain('narrow');
    const { text: other } = await harness.ask('nina.patel', 'Who has a work anniversary next week?');
    expect(other).toContain('next week');
  } finally {
    await harness.close();
  }
}, 120_000);

test('the tool has an MCP definition, a path in openapi.json and its entries in the other contracts', () => {
  const files = contracts(createRegistry([...Object.values(hr), tool]), '0.0.0');
  expect(mcpTool(tool, true)).toMatchObject({
    name: 'hr_list_work_anniversaries',
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
  expect(JSON.parse(files.get('tools/hr/list_work_anniversaries.json') ?? '')).toMatchObject({
    kind: 'list',
    roles: ['manager', 'hr-read', 'executive'],
  });
  expect(files.get('openapi.json')).toContain('/api/tools/hr/list_work_anniversaries');
  expect(files.get('roles.md')).toMatch(/\| list_work_anniversaries \| list \| manager \|/);
  expect(files.get('tools.md')).toContain('“Who has a work anniversary this month?”');
});
