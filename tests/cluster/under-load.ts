/** Faults while people work: killed processes and disturbed connections, for any token issuer. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Cluster, FAULTS } from './cluster.ts';
import { holds, type Untouched, working } from './working.ts';

export async function killedInTurn(cluster: Cluster, left: Untouched): Promise<void> {
  const work = working(cluster, left);
  for (const { name } of cluster.nodes) {
    const node = cluster.node(name);
    await node.kill();
    await pause(1_500);
    await node.start();
    await pause(1_000);
  }
  await work.stop();
  await holds(cluster, work);
}

export async function disturbedInTurn(cluster: Cluster, left: Untouched): Promise<void> {
  const work = working(cluster, left);
  const settledBy = () => work.done.reads + work.done.acknowledged.size;
  const errorsSoFar = () => [...work.done.errors.values()].reduce((sum, n) => sum + n, 0);
  for (const [name, way] of cluster.ways) {
    for (const [fault, toxic] of Object.entries(FAULTS)) {
      const errors = errorsSoFar();
      await (toxic ? way.poison(toxic) : way.down());
      await pause(1_500);
      await way.well();
      const before = settledBy();
      await expect.poll(async () => (await cluster.front.rest('frank.davis', 'tasks', 'list_tasks')).status, { timeout: 30_000 }).toBe(200);
      await expect.poll(settledBy, { timeout: 30_000 }).toBeGreaterThan(before + 3);
      console.log(`${name} ${fault}: ${errorsSoFar() - errors} errors`);
    }
  }
  await work.stop();
  await holds(cluster, work);
}

/** Stops all processes, and verifies the audit log of each with the command. */
export async function auditLogIsWhole(cluster: Cluster): Promise<void> {
  for (const { process } of cluster.nodes) await process.stop('SIGTERM');
  for (const { name, code, out, err } of await cluster.verify()) expect([name, code, code === 0 ? '' : out + err]).toEqual([name, 0, '']);
}
