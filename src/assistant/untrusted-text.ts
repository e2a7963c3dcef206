/** Finds untrusted text in an answer, by the output schema of its tool. */
import type { Answer } from '../core/answer.ts';
import { jsonSchema } from '../core/derive/answers.ts';
import type { Tool } from '../core/tool.ts';

type Schema = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

const schemas = new WeakMap<Tool, Schema>();
function schemaOf(tool: Tool): Schema {
  let schema = schemas.get(tool);
  if (!schema) schemas.set(tool, (schema = jsonSchema(tool.output, 'output')));
  return schema;
}

export function holdsUntrustedText(tool: Tool | undefined, answer: Answer): boolean {
  // What a change answers is what the person just said.
  if (!tool || answer.status !== 'success' || tool.kind === 'act' || tool.kind === 'write') return false;
  const whole = schemaOf(tool);
  const holds = (schema: unknown, value: unknown): boolean => {
    if (!isRecord(schema) || value === null || value === undefined || value === '') return false;
    if (schema['untrusted'] === true) return true;
    const reference = schema['$ref'];
    if (typeof reference === 'string') return holds(at(whole, reference), value);
    const choices = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
    if (choices.some((choice) => holds(choice, value))) return true;
    if (Array.isArray(value)) return value.some((each) => holds(schema['items'], each));
    if (!isRecord(value)) return false;
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    return Object.entries(value).some(([key, each]) => holds(properties[key] ?? schema['additionalProperties'], each));
  };
  return holds(whole, answer.data);
}

/** `#/$defs/node`, or `#` for the whole. */
const at = (whole: Schema, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), whole);
