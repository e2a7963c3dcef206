/** The rules about the values of a configuration: each violation is one sentence that names the file. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { builtInDomains, tasks } from '../../domains/index.ts';
import { readProject } from '../../src/cli/registry.ts';
import { defineDomain } from '../../src/declare/define.ts';
import { defineContract } from '../../src/declare/contracts.ts';
import { sensitive } from '../../src/declare/fields.ts';
import type { Installed } from '../../src/declare/install.ts';
import { masked } from '../../src/declare/masks.ts';
import { defineRoles } from '../../src/declare/roles.ts';
import { ConfigProblem } from '../../src/server/config.ts';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const FILE = 'tamshai.config.ts';

/** Wrong values do not compile, so they are given as they would be in JavaScript. */
function desk(spec: object = {}, tool: object = {}, parts: object = {}): Installed {
  const domain = defineDomain({
    name: 'desk',
    title: 'Desks',
    engine: 1,
    home: import.meta.url,
    port: 3120,
    store: 'documents',
    audiences: { everyone: { roles: ['employee'], sees: 'every desk' } },
    collections: { desks: { rows: { everyone: 'all' } } },
    ...spec,
  } as never) as unknown as { read(def: object): never; install(parts: object): Installed };
  const read = domain.read({
    name: 'get_desk',
    title: 'Desk',
    description: 'Returns a desk.',
    roles: ['employee'],
    input: z.strictObject({}),
    output: z.object({}),
    run: async () => ({}),
    ...tool,
  });
  return domain.install({ tools: [read], ...parts });
}
/** A tool with a masked price in its answer and an input of the same name inside another object. */
const priced = (price: z.ZodType) =>
  desk(
    { masks: { price: { hides: 'the price', shownTo: ['executive'], andOwner: false } } },
    { input: z.strictObject({ filter: z.object({ price }) }), output: z.object({ price: masked('price', z.number()) }) },
  );
/** Parts other than tools, made as a JavaScript author makes them. */
function withPart(
  make: (domain: { resource(def: object): never; prompt(def: object): never; read(def: object): never }) => object,
): Installed {
  const domain = defineDomain({
    name: 'desk',
    title: 'Desks',
    engine: 1,
    home: import.meta.url,
    port: 3120,
    store: 'documents',
    audiences: { everyone: { roles: ['employee'], sees: 'every desk' } },
    collections: { desks: { rows: { everyone: 'all' } } },
  });
  return (domain as unknown as { install(parts: object): Installed }).install({ tools: [], ...make(domain as never) });
}
const withResource = (title: string) =>
  withPart((domain) => ({
    resources: [
      domain.resource({
        name: 'rules',
        title,
        description: 'The rules.',
        uri: 'desk://rules',
        version: 1,
        roles: ['employee'],
        input: z.strictObject({}),
        text: async () => '',
      }),
    ],
  }));
const withPrompt = (description: string) =>
  withPart((domain) => {
    const tool = domain.read({
      name: 'get_desk',
      title: 'Desk',
      description: 'Returns a desk.',
      roles: ['employee'],
      input: z.strictObject({}),
      output: z.object({}),
      run: async () => ({}),
    });
    const args = z.strictObject({ desk: z.string().describe(description) });
    const prompt = domain.prompt({
      name: 'ask-desk',
      title: 'Ask',
      description: 'Asks for a desk.',
      roles: ['employee'],
      arguments: args,
      tools: [tool],
      render: () => '',
    });
    return { tools: [tool], resources: [prompt] };
  });
const onSql = (audiences: object, name = 'desk') => desk({ name, store: 'sql', collections: undefined, audiences });
const audience = (roles: readonly string[]) => ({ roles, sees: 'all' });

const HERE = 'desk (project.test.ts)';
const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ['no object', 5, `${FILE} exports no configuration; export defineConfig({ domains: [...] }).`],
  [
    'an unknown key',
    { domain: [] },
    `${FILE} has the unknown key "domain"; a configuration has company, domains, sample. Did you mean domains?`,
  ],
  ['no domain', { domains: [] }, `${FILE} lists no domains; write domains: [hr, tasks], for example, with names from tamshai/domains.`],
  ['something else', { domains: [{}] }, `${FILE}: domains[0] is not a domain; list what install({ tools }) of the domain returns.`],
  [
    'an unknown key of the company',
    { company: { zone: 'UTC' }, domains: [tasks] },
    `${FILE}: company.zone does not exist; a company has name, timeZone, currency and fiscalYearStart.`,
  ],
  ['a sample that is none', { domains: [tasks], sample: 'yes' }, `${FILE}: sample must be true, false or a sample company.`],
  [
    'a domain twice',
    { domains: [tasks, tasks] },
    'Two domains have the name tasks (../../domains/tasks/domain.ts, ../../domains/tasks/domain.ts); rename one of them.',
  ],
  [
    'a role of two domains',
    {
      domains: [
        desk({ roles: defineRoles({ 'desk-read': { means: '' } }) }),
        desk({ name: 'room', roles: defineRoles({ 'desk-read': { means: '' } }) }),
      ],
    },
    'desk (project.test.ts) and room (project.test.ts) both declare the role desk-read; rename one of them.',
  ],
  [
    'a role of the engine',
    { domains: [desk({ roles: { names: ['manager'], specs: { manager: { means: '' } } } })] },
    'The domain desk (project.test.ts) declares the role manager, which the engine has; rename it.',
  ],
];
test.each(REFUSED)('a configuration with %s is refused', (_what, given, sentence) => {
  expect(() => readProject(given, FILE, FOLDER)).toThrow(new ConfigProblem(sentence));
});

const ledger = (version: number) => defineContract('ledger', version, { sum: { input: z.strictObject({}), output: z.number() } });
/** A domain that provides the contract in version 1. */
const books = () => {
  const domain = defineDomain({
    name: 'books',
    title: 'Books',
    engine: 1,
    home: import.meta.url,
    port: 3121,
    store: 'documents',
    audiences: { everyone: { roles: ['employee'], sees: 'every book' } },
    collections: { books: { rows: { everyone: 'all' } } },
  });
  return domain.install({ tools: [], provides: [domain.provide(ledger(1), { roles: ['employee'], calls: { sum: async () => 0 } })] });
};
test('a required need is refused if nobody provides it in that version', () => {
  const reading = (domains: readonly Installed[]) => () => readProject({ domains }, FILE, FOLDER);
  expect(reading([desk({ needs: { sums: ledger(1) } })])).toThrow(
    `The domain ${HERE} needs ledger v1, which no domain provides; add the domain that provides it.`,
  );
  expect(reading([desk({ needs: { sums: ledger(2) } }), books()])).toThrow(
    `The domain ${HERE} needs ledger v2, but books (project.test.ts) provides ledger v1; install versions of both that match.`,
  );
  expect(reading([desk({ needs: { sums: ledger(1) } }), books()])).not.toThrow();
  expect(reading([desk({ needs: { sums: { optional: ledger(1), without: 'no sums' } } })])).not.toThrow();
});

const NAME_RULE = 'needs another name: 2 to 20 lower-case letters and digits, beginning with a letter, without underscore.';
const REFUSED_DOMAINS: readonly (readonly [string, Installed, string])[] = [
  // Without this rule the tool c of a_b and the tool b_c of a would have the same name on the gateway.
  ['an underscore in its name', desk({ name: 'the_desk' }), `The domain the_desk (project.test.ts) ${NAME_RULE}`],
  ['a name of PostgreSQL', desk({ name: 'pg_desk' }), `The domain pg_desk (project.test.ts) ${NAME_RULE}`],
  [
    'a name that begins like those of PostgreSQL',
    onSql({ own: audience(['employee']) }, 'pgdesk'),
    'The domain pgdesk (project.test.ts) needs another name: PostgreSQL reserves names that begin with pg.',
  ],
  ['a name of one letter', desk({ name: 'd' }), `The domain d (project.test.ts) ${NAME_RULE}`],
  ['a name of 21 letters', desk({ name: 'd'.repeat(21) }), `The domain ${'d'.repeat(21)} (project.test.ts) ${NAME_RULE}`],
  ['a schema of PostgreSQL', desk({ name: 'public' }), 'The domain public (project.test.ts) needs another name: public is reserved.'],
  ['a schema of the engine', desk({ name: 'tamshai' }), 'The domain tamshai (project.test.ts) needs another name: tamshai is reserved.'],
  ['a setting of the engine', desk({ name: 'redis' }), 'The domain redis (project.test.ts) needs another name: redis is reserved.'],
  [
    'another engine',
    desk({ engine: 2 }),
    `The domain ${HERE} is written for engine 2, and this is engine 1; install a version of the domain for this engine.`,
  ],
  ['no version of the engine', desk({ engine: undefined }), `The domain ${HERE} declares no engine version; declare engine: 1.`],
  ['no home', desk({ home: './desk' }), 'A domain has home: "./desk"; set it to import.meta.url.'],
  [
    'an undeclared role in an audience',
    desk({ audiences: { everyone: audience(['employee', 'desk-read']) } }),
    `The audience everyone of ${HERE} names the role "desk-read", which nobody declares; declare it in roles, or ` +
      'list its role set in rolesOf.',
  ],
  [
    'a role that includes a role of the engine',
    desk({ roles: { names: ['desk-admin'], specs: { 'desk-admin': { means: '', includes: ['executive'] } } } }),
    `The role desk-admin of ${HERE} includes "executive"; a role includes only roles of its own domain.`,
  ],
  [
    'an undeclared role in a mask',
    desk({ masks: { pay: { hides: 'pay', shownTo: ['desk-read'], andOwner: false } } }),
    `The mask pay of ${HERE} names the role "desk-read", which nobody declares; declare it in roles, or list its role set in rolesOf.`,
  ],
  [
    'a role of no audience',
    desk({}, { roles: ['manager'] }),
    `The tool get_desk of ${HERE} is for the role "manager", which no audience of the domain has.`,
  ],
  [
    'an audience that is no identifier',
    desk({ audiences: { 'all of us': audience(['employee']) } }),
    `The audience "all of us" of ${HERE} needs another name: lower-case letters, digits and single underscores.`,
  ],
  [
    'two audiences with one database role',
    onSql({ own: audience(['employee']), own_write: audience([]) }),
    `In ${HERE}, the audience own_write and the audience own have the same database role desk_own_write; rename the audience.`,
  ],
  [
    'the database role of the audit log',
    onSql({ audit: audience(['employee']) }),
    `In ${HERE}, the audience audit and the audit log have the same database role desk_audit; rename the audience.`,
  ],
  [
    'a database role of 64 bytes',
    onSql({ ['a'.repeat(53)]: audience(['employee']) }),
    `The database role desk_${'a'.repeat(53)}_write of ${HERE} is longer than 63 bytes; shorten the audience's name.`,
  ],
  [
    'a tool that is no identifier',
    desk({}, { name: 'get-desk' }),
    `The tool "get-desk" of ${HERE} needs another name: lower-case letters, digits and single underscores, at most 64 ` +
      'characters together with the domain.',
  ],
  ...(
    [
      ['description', { description: 'Returns\u200b a desk.' }, 'U+200B'],
      ['description of a field', { input: z.strictObject({ desk: z.string().describe('\u202edesk') }) }, 'U+202E'],
      ['title', { title: 'De\u0007sk' }, 'U+0007'],
      ['error', { errors: { DESK_NOT_FOUND: 'no\u{e0041}' } }, 'U+E0041'],
    ] as const
  ).map(
    ([where, tool, character]) =>
      [
        `an invisible character in a ${where}`,
        desk({}, tool),
        `The tool get_desk of ${HERE} has the invisible or control character ${character} in a text; remove it.`,
      ] as const,
  ),
  [
    'an invisible character in its title',
    desk({ title: 'Desks\u200b' }),
    `The domain ${HERE} has the invisible or control character U+200B in a text; remove it.`,
  ],
  [
    'an invisible character in what a role means',
    desk({ roles: { names: ['desk-read'], specs: { 'desk-read': { means: 'reads\u2066 desks' } } } }),
    `The domain ${HERE} has the invisible or control character U+2066 in a text; remove it.`,
  ],
  [
    'an invisible character in what an audience sees',
    desk({ audiences: { everyone: { roles: ['employee'], sees: 'every\u00ad desk' } } }),
    `The domain ${HERE} has the invisible or control character U+00AD in a text; remove it.`,
  ],
  [
    'an invisible character in a resource',
    withResource('Ru\u200dles'),
    `The resource "rules" of ${HERE} has the invisible or control character U+200D in a text; remove it.`,
  ],
  [
    'an invisible character in an argument of a prompt',
    withPrompt('the \u202edesk'),
    `The prompt "ask-desk" of ${HERE} has the invisible or control character U+202E in a text; remove it.`,
  ],
  [
    'an input with the name of a masked field that is not sensitive',
    priced(z.number()),
    `The input price of the tool get_desk of ${HERE} has the name of a masked field; wrap its schema in sensitive(), so that the audit log does not contain its value.`,
  ],
];
test('a sensitive input may have the name of a masked field', () => {
  expect(() => readProject({ domains: [priced(sensitive(z.number()))] }, FILE, FOLDER)).not.toThrow();
});

test.each(REFUSED_DOMAINS)('a domain with %s is refused', (_what, installed, sentence) => {
  expect(() => readProject({ domains: [installed] }, FILE, FOLDER)).toThrow(new ConfigProblem(sentence));
});

test('schemas of another version of zod are refused', () => {
  const installed = desk();
  const version = { ...z.core.version, patch: z.core.version.patch + 1 };
  const input = { _zod: { version } };
  const foreign = { ...installed, tools: installed.tools.map((tool) => ({ ...tool, input })) } as unknown as Installed;
  const { major, minor, patch } = z.core.version;
  expect(() => readProject({ domains: [foreign] }, FILE, FOLDER)).toThrow(
    `The schemas of the tool get_desk of ${HERE} come from zod ${major}.${minor}.${patch + 1}, not from ${major}.${minor}.${patch}; ` +
      `import { z } from 'tamshai'.`,
  );
});

test('the built-in domains satisfy the rules for domains of companies', () => {
  expect(readProject({ domains: builtInDomains }, FILE, FOLDER).registry.domains).toHaveLength(9);
});

test('a valid configuration has its domains in order, its company and its sample', () => {
  const { registry, company } = readProject({ company: { currency: 'EUR' }, domains: [desk(), tasks] }, FILE, FOLDER);
  expect(registry.domains.map(({ name }) => name)).toEqual(['desk', 'tasks']);
  expect(company).toMatchObject({ currency: 'EUR', timeZone: 'UTC' });
  expect(registry.sample).toBeDefined();
  expect(readProject({ domains: [tasks], sample: false }, FILE, FOLDER).registry.sample).toBeUndefined();
});
