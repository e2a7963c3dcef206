/** openapi.json and the API reference page are generated once, without blocking the event loop. */
import { expect, test } from 'vitest';
import { openapi, openapiDocument } from '../../src/derive/openapi.ts';
import { docsDocument } from '../../src/gateway/docs-page.ts';
import { turnsDuring } from '../turns.ts';
import { builtIn } from '../registry.ts';

const registry = builtIn;

test('openapi.json equals openapi(), and is generated once without blocking the event loop', async () => {
  const document = openapiDocument(registry, '1.2.3');
  const { turns, result } = await turnsDuring(() => document());
  expect(JSON.parse(result.toString())).toEqual(JSON.parse(JSON.stringify(openapi(registry, '1.2.3'))));
  expect(turns).toBeGreaterThanOrEqual(registry.tools.length);
  expect(await document()).toBe(result);
});

test('concurrent requests share one generation', async () => {
  const document = openapiDocument(registry, '1.2.3');
  const [one, two] = await Promise.all([document(), document()]);
  expect(one).toBe(two);
});

test('the API reference page contains every tool, and is generated once without blocking the event loop', async () => {
  const document = docsDocument(registry);
  const { turns, result } = await turnsDuring(() => document());
  for (const { domain, name } of registry.tools) expect(result.includes(`<section id="${domain.name}.${name}">`)).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(registry.tools.length);
  expect(await document()).toBe(result);
});
