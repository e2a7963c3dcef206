/** Walks through the parts of a schema, so that marks on them (masks, sensitive inputs) are found at any depth and inside any wrapper. */
import type { z } from 'zod';

type Part = z.core.$ZodType;
type AnyDef = z.core.$ZodTypes['_zod']['def'];
interface Inner {
  readonly schema: Part;
  /** How the path continues: `.name` for a field, `[]` for an item, `.*` for a value of a record; empty for a wrapper or an option. */
  readonly step: string;
}

/** Returns the schemas directly inside a schema. Leaves out maps, sets and promises, because JSON cannot contain them. */
export function innerSchemas(def: AnyDef): Inner[] {
  const through = (...schemas: readonly Part[]) => schemas.map((schema) => ({ schema, step: '' }));
  if (def.type === 'object') {
    const fields = Object.entries(def.shape).map(([name, schema]) => ({ schema, step: `.${name}` }));
    return def.catchall ? [...fields, { schema: def.catchall, step: '.*' }] : fields;
  }
  if (def.type === 'record') return [{ schema: def.valueType, step: '.*' }];
  if (def.type === 'array') return [{ schema: def.element, step: '[]' }];
  if (def.type === 'tuple') return [...def.items, ...(def.rest ? [def.rest] : [])].map((schema) => ({ schema, step: '[]' }));
  if (def.type === 'union') return through(...def.options);
  if (def.type === 'intersection') return through(def.left, def.right);
  if (def.type === 'pipe') return through(def.in, def.out);
  if (def.type === 'lazy') return through(def.getter());
  // Optional, nullable, default and the other wrappers.
  return 'innerType' in def && def.type !== 'promise' ? through(def.innerType) : [];
}

/** Calls `visit` for the schema and for every schema inside it, with its path: `lines[].amount`. A recursive schema is entered once. */
export function walkSchema(schema: Part, visit: (part: Part, path: string) => void): void {
  const open = new Set<Part>();
  const walk = (part: Part, path: string) => {
    if (open.has(part)) return;
    open.add(part);
    visit(part, path);
    for (const { schema: inner, step } of innerSchemas((part as z.core.$ZodTypes)._zod.def))
      walk(inner, path === '' ? step.replace(/^\./, '') : path + step);
    open.delete(part);
  };
  walk(schema, '');
}

/** The name of the field at the end of a path: `amount` for `lines[].amount`, `lines` for `lines[]`. */
export const lastName = (path: string): string =>
  path
    .replace(/(?:\[\]|\.\*)+$/, '')
    .split('.')
    .at(-1) ?? '';
