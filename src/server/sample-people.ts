/**
 * people.json in the data folder: the sample people of the running configuration. Client commands act as one of them without loading the
 * configuration.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { unseen } from '../declare/fields.ts';
import type { Persona } from '../declare/sample.ts';
import type { Registry } from '../engine/registry.ts';

/** Commands print these texts. The folder may come from somebody else, so control characters must not reach the terminal. */
const text = z.string().transform((given) => given.replace(unseen as RegExp, ''));
const persona = z.strictObject({
  username: text,
  name: text,
  email: text,
  realm: z.enum(['staff', 'customer']),
  sub: z.string(),
  employeeId: z.string().optional(),
  organizationId: z.string().optional(),
  roles: z.array(z.string()),
  title: text,
});
const stored = z.strictObject({ people: z.array(persona), featured: z.array(text) });

export interface SamplePeople {
  readonly people: readonly Persona[];
  /** The usernames that help texts and the start message suggest. */
  readonly featured: readonly string[];
}

const SUGGESTED = 5;

/** A customer gets all customer roles here. The verifier removes the role that the organisation's record does not give. */
export const samplePeopleOf = ({ people, roles, sample }: Pick<Registry, 'people' | 'roles' | 'sample'>): SamplePeople => ({
  people: people.map((each) => (each.realm === 'customer' ? { ...each, roles: roles.of('customer') } : each)),
  featured: sample?.featured ?? people.slice(0, SUGGESTED).map(({ username }) => username),
});

const fileIn = (folder: string) => join(folder, 'people.json');

export function writeSamplePeople(folder: string, registry: Registry): void {
  const part = `${fileIn(folder)}.part`;
  writeFileSync(part, `${JSON.stringify(samplePeopleOf(registry), null, 2)}\n`, { mode: 0o600 });
  renameSync(part, fileIn(folder));
}

/** Undefined if no configuration was started in this folder. */
export function readSamplePeople(folder: string): SamplePeople | undefined {
  if (!existsSync(fileIn(folder))) return undefined;
  return stored.parse(JSON.parse(readFileSync(fileIn(folder), 'utf8')));
}
