/** The settings schema: renamed settings, and which kind of store each domain uses. */
import { expect, test } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { allTools } from '../../src/server/registry.ts';
import { DOMAIN_STORES, RENAMED_SETTINGS, settingNames } from '../../src/server/settings.ts';

test.each(Object.entries(RENAMED_SETTINGS))('the old name %s is refused with a message that names %s', (old, present) => {
  expect(settingNames()).toContain(present);
  expect(settingNames()).not.toContain(old);
  expect(() => readConfig({ [old]: '5' })).toThrow(`${old} is now called ${present}; rename it.`);
  expect(() => readConfig({ [old]: '' })).not.toThrow();
});

test('the store of each domain is the one that the domain declares', () => {
  const declared = allTools().domains.map(({ name, store }) => [name, name === 'journey' ? 'folder' : store]);
  expect(DOMAIN_STORES).toEqual(Object.fromEntries(declared));
});
