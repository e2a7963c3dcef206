/** Measures the embedded default: start time, memory, size of tools/list, and first paint of the web app. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openKeys } from '../src/identity/keys.ts';
import { mintToken } from '../src/identity/mint.ts';
import { persona } from '../domains/sample-company/people.ts';
import { launchChromium } from '../tests/browser/chromium.ts';
import { type Line, started } from './lines.ts';
import { compare, median, type Target } from './load.ts';
import { byMcp, launch, mcpBody, mcpHeaders, type Product, succeeded } from './product.ts';
import { figures, type Measuring } from './sql.ts';

const residentMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
/** Characters per token in tools/list, measured with OpenAI's two public encodings. */
const LETTERS_A_TOKEN = 4.4;
const PAINTS = 3;

export async function footprintLines({ folder, timing }: Pick<Measuring, 'folder' | 'timing'>): Promise<Line[]> {
  const data = join(folder, 'embedded');
  const first = await launch(data);
  await first.stop();
  const product = await launch(data);
  try {
    const lines: Line[] = [
      {
        what: 'first start, embedded, with sample data (seconds)',
        goal: 15,
        ratio: first.readyMs / 1000,
        unit: 's',
        note: 'from the command until it is ready',
      },
      {
        what: 'ready after a restart, embedded (seconds; after kill -9)',
        goal: 4,
        ratio: product.readyMs / 1000,
        unit: 's',
        note: 'from the command until it is ready',
      },
    ];
    const atRest = residentMb(product.pid);
    // tools/list comes after the tool calls. Its CPU time then excludes work that the process does only once.
    lines.push(...(await embeddedLines(product, timing)), ...(await listLines(product, timing)));
    const after = residentMb(product.pid);
    lines.push({
      what: 'memory after load × at rest',
      ratio: after / atRest,
      note: `${Math.round(atRest)} MB at rest, ${Math.round(after)} MB after`,
    });
    return [...lines, ...(await paintLines(product))];
  } finally {
    await product.stop();
  }
}

/** The size of tools/list for an executive, and the CPU time of sending it. */
async function listLines({ address, folder, pid }: Product, timing: Measuring['timing']): Promise<Line[]> {
  const token = await mintToken(openKeys(folder), persona('eve.thompson'), { base: address, audience: `${address}/mcp` });
  const headers = mcpHeaders(token, '');
  const answer = await fetch(`${address}/mcp`, { method: 'POST', headers, body: mcpBody(1, '', {}) });
  const { result } = (await answer.json()) as { result: { tools: object[] } };
  const tokens = JSON.stringify(result.tools).length / LETTERS_A_TOKEN / result.tools.length;
  const target: Target = {
    name: 'list',
    url: `${address}/mcp`,
    headers,
    pid,
    body: (n) => mcpBody(n, '', {}),
    check: (text) => text.includes('"tools":['),
  };
  const cost = (await compare([target], { callers: 16, ...timing })).get('list');
  return [
    {
      what: `tools/list for an executive (${result.tools.length} tools): tokens a tool`,
      goal: 250,
      ratio: tokens,
      unit: 'tokens',
      note: `${Math.round(tokens * result.tools.length).toLocaleString('en')} tokens in all, at ${LETTERS_A_TOKEN} characters each`,
    },
    { what: 'tools/list: CPU (µs)', goal: 300, ratio: cost?.cpuMicros ?? 0, unit: 'µs', note: cost ? figures(cost) : '' },
  ];
}

/** Compares tools of each kind of embedded store with /health. */
async function embeddedLines(product: Product, timing: Measuring['timing']): Promise<Line[]> {
  const health: Target = {
    name: 'health',
    url: `${product.address}/health`,
    method: 'GET',
    path: () => '/health',
    pid: product.pid,
    check: () => true,
  };
  const asking = (name: string, as: string, tool: string, input: object) =>
    byMcp(product, { name, as, tool, input: () => input, check: succeeded });
  const targets = [
    health,
    await asking('PGlite: get_employee', 'alice.chen', 'hr_get_employee', { employee_id: persona('marcus.johnson').employeeId ?? '' }),
    await asking('PGlite: a page of 50 employees', 'alice.chen', 'hr_list_employees', {}),
    await asking('documents: a page of opportunities', 'carol.johnson', 'sales_list_opportunities', {}),
    await asking('search: tickets about a password', 'dan.williams', 'support_search_tickets', { query: 'password reset' }),
  ];
  const costs = await compare(targets, { callers: 16, ...timing });
  const base = costs.get('health')?.cpuMicros ?? 1;
  return targets.slice(1).map(({ name }) => {
    const cost = costs.get(name);
    return {
      what: `embedded, ${name} × /health`,
      ratio: (cost?.cpuMicros ?? 0) / base,
      note: cost ? figures(cost).replace(' + 0 in the database', '') : '',
    };
  });
}

/** The first contentful paint of the start page, measured by the browser. */
async function paintLines({ address }: Product): Promise<Line[]> {
  const browser = await started('Chromium', launchChromium);
  if (browser === undefined) return [];
  try {
    const times: number[] = [];
    for (let n = 0; n < PAINTS; n++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(address, { waitUntil: 'networkidle' });
      times.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0));
      await context.close();
    }
    return [
      {
        what: 'web app: first contentful paint (ms)',
        ratio: median(times),
        unit: 'ms',
        note: `each in a new browser profile: ${times.map(Math.round).join(', ')}`,
      },
    ];
  } finally {
    await browser.close();
  }
}
