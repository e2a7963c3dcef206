/** Derives the slots of a tool from its input schema. */

interface SlotSource {
  readonly kind: string;
  readonly input: Schema;
}

export type SlotKind =
  | 'id'
  | 'number-id'
  | 'date'
  | 'month'
  | 'period'
  | 'year'
  | 'quarter'
  | 'units'
  | 'days'
  | 'choice'
  | 'flag'
  | 'amount'
  | 'number'
  | 'email'
  | 'name'
  | 'query'
  | 'prose'
  | 'names'
  | 'items'
  | 'limit'
  | 'cursor'
  | 'sort'
  | 'other';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly unit?: string;
  /** Set if the field is a fiscal year or quarter: the month in which the fiscal year begins. */
  readonly fiscalYearStart?: number;
  readonly untrusted?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly $ref?: string;
}
export interface Slot {
  readonly key: string;
  readonly kind: SlotKind;
  readonly required: boolean;
  readonly schema: Schema;
  readonly description: string;
  readonly values: readonly string[];
  /** The lower or upper end of a range: min_amount, closing_to. */
  readonly edge: 'from' | 'to' | undefined;
  /** The key without the edge: amount, closing. */
  readonly base: string;
}

/** Returns the branch of a union that is neither null nor the hidden marker. */
export const unwrapUnion = (schema: Schema | undefined): Schema => {
  const branches = schema?.anyOf?.filter((branch) => branch.type !== 'null' && branch.const === undefined);
  return branches?.[0]
    ? { ...(schema?.description !== undefined && { description: schema.description }), ...unwrapUnion(branches[0]) }
    : (schema ?? {});
};
export const typeOf = (schema: Schema): string =>
  typeof schema.type === 'string' ? schema.type : (schema.type?.find((type) => type !== 'null') ?? '');

const FROM = /^(?:min|start|from)_|_from$|^from$/;
const TO = /^(?:max|end|to|until)_|_to$|^to$/;

export function slotsOf(tool: SlotSource): Slot[] {
  const schema = tool.input;
  return Object.entries(schema.properties ?? {}).map(([key, given]): Slot => {
    const own = unwrapUnion(given);
    const kind = kindOf(key, own, tool);
    const edge = FROM.test(key) && !(kind === 'date' && TO.test(key)) ? 'from' : TO.test(key) ? 'to' : undefined;
    // start_date_from and start_date_to are the two edges of start_date.
    const base =
      key.replace(/_(?:from|to)$/, '') === key
        ? key.replace(/^(?:min|max|start|end|from|to|until)_/, '')
        : key.replace(/_(?:from|to)$/, '');
    const ends = /_(?:from|to)$/.exec(key);
    return {
      key,
      kind,
      required: schema.required?.includes(key) ?? false,
      schema: own,
      description: given.description ?? own.description ?? '',
      values: (own.enum ?? []).filter((value) => typeof value === 'string'),
      edge: ends ? (ends[0] === '_from' ? 'from' : 'to') : edge,
      base,
    };
  });
}

function kindOf(key: string, schema: Schema, tool: SlotSource): SlotKind {
  const type = typeOf(schema);
  const changes = tool.kind === 'write' || tool.kind === 'act';
  if (key === 'limit' || key === 'cursor' || key === 'sort') return key;
  if (schema.enum) return schema.enum.every((value) => /^\d+d$/.test(String(value))) ? 'days' : 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'array')
    return typeOf(unwrapUnion(schema.items)) === 'object'
      ? 'items'
      : typeOf(unwrapUnion(schema.items)) === 'string' && !unwrapUnion(schema.items).enum
        ? 'names'
        : 'other';
  if (type === 'integer' || type === 'number') {
    if (isId(key)) return 'number-id';
    if (schema.unit !== undefined) return 'amount';
    if (/(?:^|_)year$/.test(key)) return 'year';
    if (/(?:^|_)quarter$/.test(key)) return 'quarter';
    if (/^(?:months|days|weeks|quarters|years)$/.test(key)) return 'units';
    return 'number';
  }
  if (type !== 'string') return 'other';
  if (schema.format === 'date') return 'date';
  if (schema.format === 'email') return 'email';
  if (schema.format === 'uuid' || isId(key)) return 'id';
  if (schema.pattern?.includes('(0[1-9]|1[0-2])')) return 'month';
  if (/\b20\d\d-(?:Q\d|\d\d)\b|\bQ\d 20\d\d\b/.test(schema.description ?? '')) return 'period';
  if ((schema.maxLength ?? 1000) <= 200) return 'name';
  return changes ? 'prose' : 'query';
}
/** A slot for the name of a colleague, according to its description. */
export const isPerson = ({ kind, description }: Slot): boolean =>
  kind === 'name' &&
  /\b(?:salesperson|colleague|employee id|who (?:did|made|changed|recorded))\b/i.test(description) &&
  /\bname\b/i.test(description);
export const isId = (key: string): boolean => /(?:^|_)id$/.test(key);
