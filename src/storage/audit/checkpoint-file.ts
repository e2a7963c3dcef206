/** The file of audit checkpoints: one JSON line for each. */
import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import type { Checkpoint } from '../../engine/audit/chain.ts';
import { createTurns } from '../../engine/turns.ts';

const THIN_OVER_BYTES = 8_388_608;
const KEEP_NEWEST = 1_000;
const KEEP_ONE_IN = 50;

const textOf = async (file: string): Promise<string> => (existsSync(file) ? readFile(file, 'utf8') : '');
/** Drops an incomplete last line, which a crash left and nothing depends on. */
const whole = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1);

/** A line that is not JSON becomes a checkpoint without a signature, which the verification reports. */
export function parseCheckpoint(line: string): Checkpoint {
  try {
    const { chain, count, mac, at, signature } = JSON.parse(line) as Record<string, unknown>;
    return { chain: String(chain), count: Number(count), mac: String(mac), at: String(at), signature: String(signature) };
  } catch {
    return { chain: '', count: 0, mac: '', at: '', signature: '' };
  }
}

/** Parses all complete lines. */
export async function parseCheckpoints(text: string): Promise<Checkpoint[]> {
  const turns = createTurns();
  const checkpoints: Checkpoint[] = [];
  for (let from = 0, end = text.indexOf('\n'); end >= 0; from = end + 1, end = text.indexOf('\n', from)) {
    if (end > from) checkpoints.push(parseCheckpoint(text.slice(from, end)));
    if (turns.isOver()) await turns.next();
  }
  return checkpoints;
}

export const readCheckpointFile = async (file: string): Promise<readonly Checkpoint[]> => parseCheckpoints(await textOf(file));

/** The line with the highest count of each chain. Thinning must keep it: it may be the only one of its chain. */
function furthest(lines: readonly string[]): ReadonlySet<number> {
  const best = new Map<string, { count: number; i: number }>();
  lines.forEach((line, i) => {
    const { chain, count } = parseCheckpoint(line);
    if (count >= (best.get(chain)?.count ?? 0)) best.set(chain, { count, i });
  });
  return new Set([...best.values()].map(({ i }) => i));
}

/** Opens the file for appending. Removes an incomplete last line, and thins out old checkpoints of a large file. */
export async function openCheckpointFile(file: string): Promise<FileHandle> {
  const text = await textOf(file);
  const lines = whole(text).split('\n').slice(0, -1);
  const long = text.length > THIN_OVER_BYTES;
  if (long || text !== whole(text)) {
    const most = furthest(long ? lines : []);
    const kept = long ? lines.filter((_line, i) => i >= lines.length - KEEP_NEWEST || i % KEEP_ONE_IN === 0 || most.has(i)) : lines;
    const fresh = await open(`${file}.new`, 'w', 0o600);
    await fresh.writeFile(kept.map((line) => `${line}\n`).join(''));
    await fresh.sync();
    await fresh.close();
    await rename(`${file}.new`, file);
  }
  return open(file, 'a', 0o600);
}
