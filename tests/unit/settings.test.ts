/** The settings: renamed ones, and those that each domain of the configuration gets. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineDomain } from '../../src/declare/define.ts';
import { asc } from '../../src/declare/order.ts';
import { registryOf } from '../../src/engine/registry.ts';
import { readConfig as readConfigOf } from '../../src/server/config.ts';
import { createSettings, RENAMED_SETTINGS } from '../../src/server/settings.ts';
import { readConfig, settings } from '../registry.ts';

test.each(Object.entries(RENAMED_SETTINGS))('the old name %s is refused with a message that names %s', (old, present) => {
  expect(settings.names).toContain(present);
  expect(settings.names).not.toContain(old);
  expect(() => readConfig({ [old]: '5' })).toThrow(`${old} is now called ${present}; rename it.`);
  expect(() => readConfig({ [old]: '' })).not.toThrow();
});

const domain = defineDomain({
  name: 'facilities',
  title: 'Facilities',
  engine: 1,
  home: import.meta.url,
  port: 3120,
  store: 'documents',
  audiences: { everyone: { roles: ['employee'], sees: 'every room' } },
  collections: { rooms: { rows: { everyone: 'all' } } },
});
const room = domain.list({
  name: 'list_rooms',
  title: 'Rooms',
  description: 'Lists the rooms of every building.',
  roles: ['employee'],
  plural: 'rooms',
  input: z.strictObject({}),
  item: z.object({ room: z.string() }),
  order: asc('room'),
  find: (_input, { documents }) => documents.from('rooms'),
});
const registry = registryOf([domain.install({ tools: [room] })]);

test('only a domain of the configuration has settings for port, address and store', () => {
  const { names, standardPorts } = createSettings(registry.domains);
  expect(names).toEqual(expect.arrayContaining(['FACILITIES_PORT', 'FACILITIES_URL', 'FACILITIES_MONGODB_URL']));
  expect(names.filter((name) => name.startsWith('HR_'))).toEqual([]);
  expect(standardPorts).toEqual({ gateway: 3100, facilities: 3120 });
  const read = (environment: Record<string, string>) => readConfigOf(registry, { environment });
  expect(read({ FACILITIES_PORT: '4000' }).ports).toEqual({ gateway: 3100, facilities: 4000 });
  expect(read({ FACILITIES_MONGODB_URL: 'mongodb://db/' }).mongodbUrl('facilities')).toBe('mongodb://db/');
});

test('a port that is no number is refused, and so is a misspelt setting of a domain', () => {
  expect(() => readConfigOf(registry, { environment: { FACILITIES_PORT: 'x' } })).toThrow(
    'FACILITIES_PORT must be a whole number from 0 to 65535.',
  );
  expect(() => readConfigOf(registry, { environment: { TAMSHAI_FACILITIES_PORT: '1' } })).toThrow(
    'There is no setting TAMSHAI_FACILITIES_PORT',
  );
});

test('install() refuses a tool that another domain declares', () => {
  const other = defineDomain({ name: 'rooms', title: 'Rooms', engine: 1, home: import.meta.url, port: 3121, store: 'sql', audiences: {} });
  expect(() => other.install({ tools: [room] })).toThrow('rooms: install() lists a list of the domain facilities');
});
