/** Modules of a process close everything that they opened, in reverse order, even if one part fails to close. */
import { expect, test } from 'vitest';
import { openModule } from '../../src/server/module.ts';

const problem = (name: string) => new Error(`${name} did not close`);

/** A module with three resources, of which `failing` throw when they are closed. */
async function openThree(failing: readonly string[], fail?: Error, onLost?: (error: unknown) => void) {
  const closed: string[] = [];
  const resource = (name: string) => ({
    name,
    close: async () => {
      closed.push(name);
      if (failing.includes(name)) throw problem(name);
    },
  });
  const opened = openModule((use) => {
    for (const name of ['first', 'second', 'third']) use(resource(name));
    if (fail) throw fail;
    return { provides: 'data' };
  }, onLost);
  return { closed, opened };
}

test('a module provides its parts and closes the newest resource first, once', async () => {
  const { closed, opened } = await openThree([]);
  const module = await opened;
  expect(module.provides).toBe('data');
  await module.close();
  await module.close();
  expect(closed).toEqual(['third', 'second', 'first']);
});

test('a resource that fails to close does not keep the others open, and its error is reported', async () => {
  const { closed, opened } = await openThree(['second']);
  await expect((await opened).close()).rejects.toThrow('second did not close');
  expect(closed).toEqual(['third', 'second', 'first']);
});

test('several errors are reported together, those of inner modules included', async () => {
  const closed: string[] = [];
  const outer = await openModule(async (use) => {
    use({ close: () => void closed.push('last') });
    const inner = await openThree(['first', 'third']);
    use(await inner.opened);
    use({
      close() {
        throw problem('outer');
      },
    });
    return {};
  });
  const error = await outer.close().catch((thrown: unknown) => thrown);
  expect((error as AggregateError).errors).toEqual([problem('outer'), problem('third'), problem('first')]);
  expect(closed).toEqual(['last']);
});

test('a module that fails to open closes what it opened, and its own error wins over those of closing', async () => {
  const lost: unknown[] = [];
  const { closed, opened } = await openThree(['second'], new Error('no space'), (error) => lost.push(error));
  await expect(opened).rejects.toThrow('no space');
  expect(closed).toEqual(['third', 'second', 'first']);
  expect(lost).toEqual([problem('second')]);
});
