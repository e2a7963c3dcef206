// npm run bench [-- --quick | --million | --rows N | --tickets N | --records N |
//   --only sql,layers,peers,footprint,documents,search,thinking,stalls | --server opensearch]
// Prints the overhead of our layers as ratios within one run, since absolute figures differ from machine to machine.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// The servers run the built code. Only the benchmark itself runs as TypeScript.
const built = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(1);
const { status } = spawnSync(
  process.execPath,
  [join(root, 'tests/services/run-ts.mjs'), join(root, 'bench/bench.ts'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
