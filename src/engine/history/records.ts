/** Finds the types of records that the writes of a domain change, the tools that show such a record, and the record of one write. */
import { z } from 'zod';
import {
  type AnyDomain,
  canWrite,
  type EffectTool,
  type Input,
  type ListTool,
  type ReadTool,
  type RecordSpec,
  type RecordType,
  type Tool,
} from '../../declare/tool.ts';

const ID = /^(?:(\w+)_)?id$/;
const keysOf = (schema: z.core.$ZodType): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
const isRequired = ({ input }: Tool, key: string): boolean => {
  const field = input.shape[key] as z.ZodType | undefined;
  return field !== undefined && !field.safeParse(undefined).success;
};
/** The ids in the input that a write requires, in the order of the declaration. */
const requiredIds = (tool: Tool): string[] => keysOf(tool.input).filter((key) => ID.test(key) && isRequired(tool, key));

/** The ids that a write can change, the likeliest first. What adds to an existing record requires the id of that record. */
function idFieldsOf(
  tool: EffectTool,
  declared: ReadonlySet<string>,
): { readonly sure: readonly string[]; readonly possible: readonly string[] } {
  const asked = requiredIds(tool);
  const answered = keysOf(tool.output).filter((key) => ID.test(key));
  const isAlways = (key: string) => tool.output instanceof z.ZodObject && !(tool.output.shape[key] as z.ZodType).safeParse(null).success;
  const isNew = (key: string) => tool.effect === 'adds' && !Object.hasOwn(tool.input.shape, key) && isAlways(key);
  const added = [answered.find((key) => isNew(key) && declared.has(key)) ?? answered.find(isNew)].flatMap((key) => key ?? []);
  return { sure: [...added, ...asked], possible: answered };
}

type Shower = ReadTool | ListTool;
const shows = (tool: Tool, { type, id }: { readonly type: string; readonly id: string }): tool is Shower => {
  if (tool.kind === 'read' && new RegExp(`(^|_)get_${type}$`).test(tool.name)) return requiredInputs(tool).join() === id;
  if ((tool.kind !== 'read' && tool.kind !== 'list') || requiredInputs(tool).length > 0) return false;
  // Rows such as those of `list_customers` can have an `_id`.
  if ([`list_${type}s`, `list_${type.replace(/y$/, 'ies')}`].includes(tool.name)) return rowIdIn(tool, id) !== undefined;
  return tool.kind === 'list' && tool.rowId === id;
};
const requiredInputs = (tool: Tool): string[] => keysOf(tool.input).filter((key) => isRequired(tool, key));

/** The field with the id in the rows of a tool that answers with rows; undefined for a tool that answers with one record. */
export function rowIdIn({ output }: Shower, id: string): string | undefined {
  const row = output instanceof z.ZodArray ? keysOf(output.element) : [];
  return [id, '_id', 'id'].find((key) => row.includes(key));
}

/** The types of the declaration, and one for each further id that a write of the domain requires or answers with. */
export function recordTypesOf(domain: AnyDomain, tools: readonly Tool[]): RecordType[] {
  const declared = domain.records ?? {};
  const own = tools.filter((tool) => tool.domain === domain);
  const known = new Set(Object.values(declared).map(({ id }) => id));
  const ids = own.filter(canWrite).flatMap((tool) => idFieldsOf(tool, known).sure.slice(0, 1));
  const derived = [...new Set(ids)].filter((id) => !known.has(id)).map((id) => ({ type: ID.exec(id)?.[1] ?? domain.name, id }));
  const all: readonly (RecordSpec & { readonly type: string })[] = [
    ...Object.entries(declared).map(([type, spec]) => ({ ...spec, type })),
    ...derived,
  ];
  return all.map(({ type, id, shownBy }) => ({
    type,
    id,
    shownBy: shownBy === undefined ? showing(own, { type, id }) : named(own, shownBy, domain),
  }));
}

const typesByTools = new WeakMap<readonly Tool[], Map<AnyDomain, RecordType[]>>();
/** The same for the tools of a registry, computed once. */
export function recordTypesIn(tools: readonly Tool[], domain: AnyDomain): readonly RecordType[] {
  const known = typesByTools.get(tools) ?? new Map<AnyDomain, RecordType[]>();
  typesByTools.set(tools, known);
  const types = known.get(domain) ?? recordTypesOf(domain, tools);
  known.set(domain, types);
  return types;
}

/** A read shows one record with all its fields, so a list is used only for roles that have no such read. */
function showing(tools: readonly Tool[], record: { readonly type: string; readonly id: string }): Shower[] {
  const found = tools.filter((tool): tool is Shower => shows(tool, record));
  const reads = found.filter(({ kind, output }) => kind === 'read' && !(output instanceof z.ZodArray));
  const covered = new Set(reads.flatMap(({ roles }) => roles));
  return [...reads, ...found.filter((tool) => !reads.includes(tool) && tool.roles.some((role) => !covered.has(role)))];
}

function named(tools: readonly Tool[], names: readonly string[], domain: AnyDomain): Shower[] {
  return names.map((name) => {
    const tool = tools.find((each) => each.name === name);
    if (tool?.kind !== 'read' && tool?.kind !== 'list')
      throw new Error(`${domain.name}: records are shown by ${name}, which is no read and no list of this domain`);
    return tool;
  });
}

/** The record that an executed write changed, as `<type>/<id>`; undefined if it changed none. */
export function recordOf(
  tool: EffectTool,
  types: readonly RecordType[],
  { input, data }: { readonly input: Input; readonly data: unknown },
) {
  const { sure, possible } = idFieldsOf(tool, new Set(types.map(({ id }) => id)));
  const field = [...sure, ...possible].find((key) => types.some(({ id }) => id === key));
  const type = types.find(({ id }) => id === field)?.type;
  if (field === undefined || type === undefined) return undefined;
  const answered = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[field] : undefined;
  const id = answered ?? input[field];
  return typeof id === 'string' || typeof id === 'number' ? `${type}/${id}` : undefined;
}
