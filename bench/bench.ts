/** Runs all benchmarks. Prints ratios within this run, with their goals. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startMongo } from '../tests/services/mongo.ts';
import { startPostgres } from '../tests/services/postgres.ts';
import { startSearch } from '../tests/services/search.ts';
import type { TestServer } from '../tests/services/server-process.ts';
import { embeddedDocuments, mongoDocuments } from './documents.ts';
import { embeddedFigureLines, figureLines } from './figures.ts';
import { footprintLines } from './footprint.ts';
import { layerLines } from './layers.ts';
import { leftOut, type Line, print, started } from './lines.ts';
import { peerLines } from './peers.ts';
import { launch, stopAll } from './product.ts';
import { embeddedSearch, serverSearch } from './search.ts';
import { createCompany, sqlLines, type Timing } from './sql.ts';
import { stallLines } from './stalls.ts';
import { offlineModelLines } from './offline-model.ts';

const PARTS = ['sql', 'figures', 'layers', 'peers', 'footprint', 'documents', 'search', 'offline-model', 'stalls'];
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    million: { type: 'boolean', default: false },
    rows: { type: 'string' },
    tickets: { type: 'string' },
    records: { type: 'string' },
    server: { type: 'string', default: 'elasticsearch' },
    only: { type: 'string' },
  },
});
const parts = values.only?.split(',') ?? PARTS.filter((part) => !values.quick || part !== 'stalls');
for (const part of parts)
  if (!PARTS.includes(part)) throw new Error(`--only takes one or more of ${PARTS.join(', ')}, separated by commas`);
const { server, quick } = values;
if (!parts.includes('stalls') && values.only === undefined) leftOut.push('stalls (not in a quick run; --only stalls measures them)');
if (server !== 'opensearch' && server !== 'elasticsearch') throw new Error('--server takes elasticsearch or opensearch');
const rows = Number(values.rows ?? (quick ? 10_000 : 1_000_000));
const tickets = Number(values.tickets ?? (quick ? 2_000 : 50_000));
/** The number of records in the audit log. */
const records = Number(values.records ?? (quick ? 5_000 : 50_000));
const timing: Timing = quick ? { ms: 120, rounds: 3, warmMs: 800, replicas: [2] } : { ms: 1500, rounds: 5, warmMs: 5000, replicas: [2, 4] };
/** The queries run in this process with one caller, so longer rounds would not be more exact. */
const alone = quick ? { ms: 60, rounds: 3 } : { ms: 400, rounds: 5 };
const folder = mkdtempSync(join(tmpdir(), 'tamshai-bench-'));
const lines: Line[] = [];

const took: string[] = [];
/** The last line of the output shows how long each part took. */
async function timed<T>(part: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    return await work();
  } finally {
    took.push(`${part} ${Math.round((performance.now() - begun) / 1000)} s`);
  }
}

/** Each server runs only while it is measured, so it does not slow down the others. */
async function withServer(what: string, start: () => Promise<TestServer>, measure: (server: TestServer) => Promise<void>): Promise<void> {
  const running = await started(what, start);
  if (running === undefined) return;
  try {
    await measure(running);
  } finally {
    await running.stop();
  }
}

async function onPostgres(postgres: TestServer): Promise<void> {
  if (parts.includes('layers')) lines.push(...(await timed('layers', () => layerLines(postgres, folder, timing))));
  if (!['sql', 'figures', 'peers'].some((part) => parts.includes(part))) return;
  const company = await timed('company', () => createCompany(postgres, rows));
  // The product gives the roles other passwords at its start, so this comes first.
  if (parts.includes('figures')) lines.push(...(await timed('figures', () => figureLines(company, rows, alone))));
  if (!parts.includes('sql') && !parts.includes('peers')) return;
  const product = await launch(join(folder, 'product'), { DATABASE_URL: postgres.url });
  const measuring = { product, rows, timing, folder };
  if (parts.includes('sql')) lines.push(...(await timed('sql', () => sqlLines(company, measuring))));
  // This part needs Go. Without Go, the other parts are still measured.
  if (parts.includes('peers'))
    lines.push(...((await timed('peers', () => started('the bare handlers', () => peerLines(company, measuring)))) ?? []));
  await product.stop();
}

try {
  if (parts.includes('offline-model'))
    lines.push(...(await timed('offline-model', () => offlineModelLines(quick ? 1 : 3, quick ? 12 : 1))));
  if (parts.includes('stalls'))
    lines.push(...(await timed('stalls', () => stallLines({ folder, records, relations: quick ? 100 : 1_000 }))));
  if (parts.includes('footprint')) lines.push(...(await timed('footprint', () => footprintLines({ folder, timing }))));
  if (['sql', 'figures', 'layers', 'peers'].some((part) => parts.includes(part))) await withServer('PostgreSQL', startPostgres, onPostgres);
  if (parts.includes('figures')) lines.push(...(await timed('embedded figures', () => embeddedFigureLines(folder, 10_000, alone))));
  if (parts.includes('documents')) {
    // The embedded store is for data that fits into memory.
    lines.push(...(await timed('documents', () => embeddedDocuments(folder, 10_000, alone))));
    await timed('MongoDB', () =>
      withServer(
        'MongoDB',
        startMongo,
        async ({ url, version }) => void lines.push(...(await mongoDocuments(url, version, quick ? 5_000 : 50_000, alone))),
      ),
    );
  }
  if (parts.includes('search')) {
    lines.push(...(await timed('search', () => embeddedSearch(folder, tickets, alone))));
    const sizes = [tickets, ...(values.million ? [1_000_000] : [])];
    const onServer = async ({ url, version }: TestServer) => {
      for (const size of sizes) lines.push(...(await serverSearch(url, version, size, alone)));
    };
    if (quick && values.only === undefined) leftOut.push('Elasticsearch (not in a quick run; --only search starts it)');
    else
      await timed(server, () =>
        withServer(server === 'opensearch' ? 'OpenSearch' : 'Elasticsearch', () => startSearch(server, { large: true }), onServer),
      );
  }
  print(lines);
  writeFileSync(
    join(process.cwd(), 'bench/results.json'),
    `${JSON.stringify({ at: new Date().toISOString(), node: process.version, rows, tickets, lines, leftOut }, null, 2)}\n`,
  );
  console.log(`\nIt took: ${took.join(', ')}.`);
  console.log('Ratios of this run; written to bench/results.json.');
} catch (error) {
  if (lines.length > 0) print(lines);
  throw error;
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}
