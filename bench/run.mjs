// npm run bench [-- --quick | --million | --rows N | --tickets N | --records N |
//   --only sql,figures,layers,peers,footprint,documents,search,offline-model,stalls | --server opensearch]
// Prints ratios within one run, because absolute figures depend on the machine.
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
