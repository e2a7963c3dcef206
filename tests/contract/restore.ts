/** Puts the rows of all domains back to where they were, so that one site serves many tests of writes. */
import type { Site } from '../site.ts';
import { backroom } from './backroom.ts';
import { registry } from './calls.ts';

export async function snapshot(site: Site): Promise<() => Promise<void>> {
  const back: (() => Promise<void>)[] = [];
  for (const domain of registry.domains) back.push(await (await backroom(site, domain)).snapshot());
  return async () => {
    for (const each of back) await each();
  };
}
