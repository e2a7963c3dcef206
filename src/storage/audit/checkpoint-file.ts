/** Reads and writes the file of audit checkpoints: one JSON line per checkpoint. */
import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import type { Checkpoint } from '../../engine/audit/chain.ts';
import { createTurns } from '../../engine/turns.ts';

const THIN_OVER_BYTES = 8_388_608;
const KEEP_NEWEST = 1_000;
const KEEP_ONE_IN = 50;

const textOf = async (file: string): Promise<string> => (existsSync(file) ? readFile(file, 'utf8') : '');
/** Drops an incomplete last line. A crash can leave one. */
const whole = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1);

/** Returns a checkpoint without a signature if the line is not JSON. The verification reports such a checkpoint. */
export function parseCheckpoint(line: string): Checkpoint {
  try {
    const { chain, count, mac, at, signature } = JSON.parse(line) as Record<string, unknown>;
    return { chain: String(chain), count: Number(count), mac: String(mac), at: String(at), signature: String(signature) };
  } catch {
    return { chain: '', count: 0, mac: '', at: '', signature: '' };
  }
}

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

/** The index of the line with the highest count of each chain. These lines are never dropped. */
function furthest(lines: readonly string[]): ReadonlySet<number> {
  const best = new Map<string, { count: number; i: number }>();
  lines.forEach((line, i) => {
    const { chain, count } = parseCheckpoint(line);
    if (count >= (best.get(chain)?.count ?? 0)) best.set(chain, { count, i });
  });
  return new Set([...best.values()].map(({ i }) => i));
}

/** Opens the file for appending. Removes an incomplete last line. Drops most old checkpoints if the file is large. */
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
