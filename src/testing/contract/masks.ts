/** Cases for masks: everyone who may not see a masked field gets `*** (Hidden)`, and someone who may see it gets a value. */
import { HIDDEN } from '../../declare/fields.ts';
import { type MaskedField, maskedFields } from '../../declare/masks.ts';
import type { Persona } from '../../declare/sample.ts';
import type { AnyDomain, Mask, Tool } from '../../declare/tool.ts';
import { audienceFor, opens } from '../../engine/access.ts';
import { concurrently } from '../tool-caller.ts';
import { ensureNone, inShort } from './expect.ts';
import { type ContractCase, exampleInputs, nameOf, type Opened, type Subject } from './subject.ts';
import { stepsOf, valuesAt } from './value-paths.ts';

interface Seen {
  readonly tool: Tool;
  readonly person: Persona;
  readonly field: string;
  readonly value: unknown;
  readonly isOwn: boolean;
}

export function maskCases(subject: Subject): ContractCase[] {
  return subject.registry.domains.flatMap((domain) =>
    Object.entries(domain.masks ?? {}).map(([mask, rule]) => ({
      name: `${domain.name}: the mask '${mask}' hides ${rule.hides}`,
      run: () => checkMask(subject, { domain, mask, rule }),
    })),
  );
}

async function checkMask(subject: Subject, { domain, mask, rule }: { domain: AnyDomain; mask: string; rule: Mask }): Promise<void> {
  const opened = await subject.begin();
  const tools = subject.registry.tools
    .filter((tool) => tool.domain === domain && (tool.kind === 'read' || tool.kind === 'list'))
    .map((tool) => ({ tool, paths: maskedFields(tool.output).filter((each) => each.mask === mask) }))
    .filter(({ paths }) => paths.length > 0);
  const seen: Seen[] = [];
  for (const { tool, paths } of tools)
    await concurrently(
      subject.callersOf(tool),
      async (person) => void seen.push(...(await valuesFor(subject, opened, { tool, paths, person }))),
    );
  for (const person of variantsOf(subject, domain, rule))
    await withRoles(opened, person, async () => {
      for (const { tool, paths } of tools)
        if (opens(tool, subject.rolesOf(person))) seen.push(...(await valuesFor(subject, opened, { tool, paths, person })));
    });
  const isEntitled = (person: Persona) => rule.shownTo.some((role) => subject.rolesOf(person).has(role));
  const wrong = seen.filter(({ person, value, isOwn }) => isOpen(value) && !isEntitled(person) && !(rule.andOwner && isOwn));
  ensureNone(
    unique(
      wrong.map(
        ({ tool, person, field, value }) =>
          `${nameOf(tool)} shows ${field} to ${person.username} (${person.roles.join(', ')}), who may not see it (mask '${mask}'): ` +
          `expected '${HIDDEN}', but got ${inShort(value)}.`,
      ),
    ),
  );
  ensureNone(
    notExercised(subject, { domain, mask, rule, seen, fields: tools.flatMap(({ tool, paths }) => paths.map((path) => ({ tool, path }))) }),
  );
}

/** A sample person with a single role that does not lift the mask. In the sample, every person may have more roles. */
function variantsOf({ registry, people }: Subject, { audiences }: AnyDomain, { shownTo }: Mask): Persona[] {
  const roles = new Set(Object.values(audiences).flatMap((audience) => audience.roles));
  return [...roles].flatMap((role) => {
    const account = people.find(({ realm }) => registry.roles.of(realm).includes(role));
    if (account === undefined) return [];
    const held = registry.roles.resolve(account.realm, [role]);
    return shownTo.some((each) => held.has(each)) ? [] : [{ ...account, roles: [role] }];
  });
}

async function withRoles({ server, caller }: Opened, { username, roles }: Persona, work: () => Promise<void>): Promise<void> {
  const { accounts } = server.tamshai.modules.identity;
  const usual = accounts.find(username)?.roles ?? [];
  await accounts.setRoles(username, roles);
  caller.forget();
  try {
    await work();
  } finally {
    await accounts.setRoles(username, usual);
    caller.forget();
  }
}

/** An empty value reveals nothing. For example, the sum of no rows is 0 for everyone. */
const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === 0 || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
const isOpen = (value: unknown) => value !== HIDDEN && !isEmpty(value);
const unique = (texts: readonly string[]) => [...new Set(texts)];

interface Exercise {
  readonly domain: AnyDomain;
  readonly mask: string;
  readonly rule: Mask;
  readonly seen: readonly Seen[];
  readonly fields: readonly { readonly tool: Tool; readonly path: MaskedField }[];
}
/** Reports a mask if no call showed a value, or no call hid one. */
function notExercised(subject: Subject, { domain, mask, rule, seen, fields }: Exercise): string[] {
  const isEntitled = (person: Persona) => rule.shownTo.some((role) => subject.rolesOf(person).has(role));
  const subjectOf = `${domain.name}: the mask '${mask}' is not exercised`;
  if (fields.length === 0) return [`${subjectOf}: no tool that reads has a field with it.`];
  const callers = fields.flatMap(({ tool }) => subject.callersOf(tool));
  const problems: string[] = [];
  if (callers.some(isEntitled) && !seen.some(({ person, value }) => isEntitled(person) && isOpen(value)))
    problems.push(
      `${subjectOf}: nobody who may see ${rule.hides} ever saw a value. Add a sample row that has one, or an example that reads it; ` +
        'if there is one, the store hides it from the roles in shownTo.',
    );
  if (rule.andOwner && !callers.some(isEntitled) && !seen.some(({ value }) => isOpen(value)))
    problems.push(`${subjectOf}: no owner ever saw their own value. Add a sample row of a person who can call these tools.`);
  if (!seen.some(({ value }) => value === HIDDEN))
    problems.push(`${subjectOf}: nobody ever saw '${HIDDEN}'. Add a sample row, or an example that reads the row of another person.`);
  return problems;
}

interface Reading {
  readonly tool: Tool;
  readonly paths: readonly MaskedField[];
  readonly person: Persona;
}
const PAGES = 4;

/** The masked values that a person sees in the examples and the first pages of a tool. */
async function valuesFor(subject: Subject, { server, caller }: Opened, { tool, paths, person }: Reading): Promise<Seen[]> {
  const inputs = [...(tool.kind === 'list' ? [{}] : []), ...exampleInputs(tool, server)];
  const found: Seen[] = [];
  for (const input of inputs) {
    let given: Readonly<Record<string, unknown>> = input;
    for (let page = 0; page < PAGES; page++) {
      const { answer } = await caller.call('rest', { user: person.username, roles: person.roles }, tool, given);
      if (answer.status !== 'success') break;
      const rows: readonly unknown[] = Array.isArray(answer.data) ? answer.data : [answer.data];
      for (const row of rows) found.push(...valuesIn(subject, { tool, paths, person }, { row, input }));
      const next = (answer.metadata as { nextCursor?: string } | undefined)?.nextCursor;
      if (next === undefined) break;
      given = { ...input, cursor: next };
    }
  }
  return found;
}

function valuesIn(
  subject: Subject,
  { tool, paths, person }: Reading,
  { row, input }: { readonly row: unknown; readonly input: object },
): Seen[] {
  return paths.flatMap(({ path }) => {
    const own = stepsOf(path);
    // An answer can contain rows of several people. Each value belongs to the row around it.
    const list = own.lastIndexOf('[]');
    const around = list < 0 ? [row] : valuesAt(row, own.slice(0, list + 1));
    return around.flatMap((part) =>
      valuesAt(part, list < 0 ? own : own.slice(list + 1)).map((value) => ({
        tool,
        person,
        field: path,
        value,
        isOwn: isOwnRow(subject, { tool, person }, { row: part, input: around.length > 1 ? {} : input }),
      })),
    );
  });
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];

const PERSON_KEY = /(^|_)(employee|owner|person|user)_id$/;

/**
 * A row is the caller's own if it names the caller. A row without names is their own if the audience shows only their rows, or if the call
 * left out the id of a person.
 */
function isOwnRow(
  subject: Subject,
  { tool, person }: Omit<Reading, 'paths'>,
  { row, input }: { readonly row: unknown; readonly input: object },
): boolean {
  const texts = new Set([...textsIn(row), ...textsIn(input)]);
  const named = (each: Persona) => [each.employeeId, each.sub, each.username, each.email].some((id) => id !== undefined && texts.has(id));
  if (named(person)) return true;
  const keys = typeof row === 'object' && row !== null ? Object.keys(row) : [];
  if (keys.some((key) => PERSON_KEY.test(key)) || subject.people.some(named)) return false;
  const audience = tool.domain.audiences[audienceFor(tool, subject.rolesOf(person)) ?? ''];
  const takesPerson = Object.keys(tool.input.shape).some((key) => PERSON_KEY.test(key) && !Object.hasOwn(input, key));
  return audience?.linked === true || takesPerson;
}
