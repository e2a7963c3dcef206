/** Cases that need no server: names, texts, examples, errors, phrases and the origin of every text. */
import { commonCodes, pipelineCodes } from '../../declare/errors.ts';
import { maskedFields } from '../../declare/masks.ts';
import { atOnceWhenOf, type Tool } from '../../declare/tool.ts';
import { EXAMPLE_DAY, jsonSchema, schemaWithOrigins } from '../../derive/answers.ts';
import { qualifiedName } from '../../engine/registry.ts';
import { readPhrases } from '../../server/phrases.ts';
import { textFields } from '../text-fields.ts';
import { propertiesOf, type Property } from '../tool-caller.ts';
import { ensureNone } from './expect.ts';
import { type ContractCase, nameOf, type Subject } from './subject.ts';

export function declarationCases(subject: Subject): ContractCase[] {
  const { registry } = subject;
  const readers = [...registry.resources, ...registry.prompts].flatMap(({ tool, completions }) => [tool, ...Object.values(completions)]);
  return [
    ...registry.tools.map((tool) => ({
      name: `${nameOf(tool)} is declared completely`,
      run: async () =>
        ensureNone([
          ...textProblems(tool),
          ...nameProblems(tool),
          ...exampleProblems(subject, tool),
          ...errorProblems(tool),
          ...limitProblems(tool),
          ...maskProblems(tool),
          ...originProblems(tool),
        ]),
    })),
    ...readers.map((tool) => ({
      name: `${nameOf(tool)} declares the origin of its texts`,
      run: async () => ensureNone(originProblems(tool)),
    })),
    ...registry.domains.map((domain) => ({
      name: `${domain.name}: phrases belong to examples, and their slots to the inputs`,
      run: async () => {
        const tools = registry.tools.filter((tool) => tool.domain === domain);
        const phrases = readPhrases({ ...registry, domains: [domain] });
        if (phrases.size === 0) return;
        ensureNone(
          tools
            .filter((tool) => tool.kind !== 'analyze' && tool.kind !== 'history' && !phrases.has(qualifiedName(tool)))
            .map(
              (tool) =>
                `${nameOf(tool)} has no file phrases/${tool.name.replaceAll('_', '-')}.txt, but other tools of its domain have one.`,
            ),
        );
      },
    })),
  ];
}

/** Every object schema within a schema, with its path. */
function objectsIn(schema: unknown, path = ''): [string, Record<string, unknown>][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => objectsIn(value, `${path}/${key}`));
  return 'properties' in schema ? [[path, schema as Record<string, unknown>], ...inner] : inner;
}

function textProblems(tool: Tool): string[] {
  const problems: string[] = [];
  if (!/^\S.{2,58}\S$/.test(tool.title)) problems.push(`${nameOf(tool)}: the title must have 4 to 60 characters.`);
  if (!/^\S.{15,400}\S$/s.test(tool.description)) problems.push(`${nameOf(tool)}: the description must have 17 to 402 characters.`);
  for (const [path, { additionalProperties }] of objectsIn(jsonSchema(tool.input, 'input')))
    if (additionalProperties !== false) problems.push(`${nameOf(tool)}: the input ${path || '/'} accepts undeclared keys.`);
  // The filters that a list gets from the fields of its rows have no descriptions: their names and types say what they do.
  const declared = tool.kind === 'list' ? tool.ownInput : tool.input;
  for (const [path, { properties }] of objectsIn(jsonSchema(declared, 'input'))) {
    for (const [key, field] of Object.entries(properties as Record<string, { description?: string }>))
      if (!/\S/.test(field.description ?? '')) problems.push(`${nameOf(tool)}: the input ${path}/${key} has no description.`);
  }
  return problems;
}

function nameProblems(tool: Tool): string[] {
  const odd = [tool.name, ...tool.aliases].filter((name) => !/^[a-z]+(_[a-z0-9]+)*$/.test(name));
  const schemas = [...objectsIn(jsonSchema(tool.input, 'input')), ...objectsIn(jsonSchema(tool.output, 'output'))];
  const fields = schemas.flatMap(([, { properties }]) => Object.keys(properties as object));
  return [...odd, ...fields.filter((key) => !/^_?[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key))].map(
    (name) => `${nameOf(tool)}: the name ${name} is not in snake_case.`,
  );
}

function exampleProblems({ registry }: Subject, tool: Tool): string[] {
  const people = registry.sample?.people ?? [];
  if (tool.examples.length === 0) return [`${nameOf(tool)} has no example: add one with a question, a person and an input.`];
  const known = new Set<string>([...Object.keys(tool.errors), ...commonCodes, ...pipelineCodes]);
  if (tool.kind !== 'write' || atOnceWhenOf(tool) !== undefined) known.add('success');
  return tool.examples.flatMap(({ question, as, input, expects }) => {
    const problems: string[] = [];
    if (!people.some(({ username }) => username === as)) problems.push(`is asked as ${as}, who is not a person of the sample`);
    const issue = tool.input.safeParse(input(EXAMPLE_DAY)).error?.issues[0];
    if (issue !== undefined && expects !== 'VALIDATION_ERROR')
      problems.push(`has an input that the tool refuses (${issue.path.join('.')}: ${issue.message})`);
    if (expects !== undefined && !known.has(expects)) problems.push(`expects ${expects}, which the tool does not declare under errors`);
    return problems.map((problem) => `${nameOf(tool)}: the example “${question}” ${problem}.`);
  });
}

function errorProblems(tool: Tool): string[] {
  const problems = Object.entries(tool.errors).flatMap(([code, text]) => [
    ...(/^[A-Z]+(_[A-Z]+)*$/.test(code) ? [] : [`${nameOf(tool)}: the error code ${code} is not in upper case.`]),
    ...([...commonCodes, ...pipelineCodes].includes(code as never) ? [`${nameOf(tool)}: ${code} is a code of the engine.`] : []),
    ...(/^\S.{10,}[.!]$/s.test(typeof text === 'string' ? text : text.hint)
      ? []
      : [`${nameOf(tool)}: the hint of ${code} is no sentence.`]),
  ]);
  const takesId = idsOf(tool).length > 0 && tool.kind !== 'list';
  const declares = Object.keys(tool.errors).some((code) => code.endsWith('_NOT_FOUND'));
  if (takesId && !declares) problems.push(`${nameOf(tool)} takes an id, but declares no error that ends with _NOT_FOUND.`);
  return problems;
}

/** The inputs that are ids of rows. */
export const idsOf = (tool: Tool): [string, Property][] =>
  propertiesOf(tool).filter(([key, { format }]) => format === 'uuid' || key.endsWith('_id'));

function limitProblems(tool: Tool): string[] {
  return propertiesOf(tool).flatMap(([key, property]) => {
    const { type, enum: options, format, maxLength, maximum } = property;
    const isText = type === 'string' && options === undefined && format === undefined;
    if (isText && maxLength === undefined) return [`${nameOf(tool)}: the text ${key} has no greatest length.`];
    if ((type === 'integer' || type === 'number') && maximum === undefined) return [`${nameOf(tool)}: the number ${key} has no maximum.`];
    if (type === 'array' && !('maxItems' in property)) return [`${nameOf(tool)}: the list ${key} has no greatest length.`];
    return [];
  });
}

const maskProblems = (tool: Tool): string[] =>
  maskedFields(tool.output)
    .filter(({ mask }) => !Object.hasOwn(tool.domain.masks ?? {}, mask))
    .map(({ path, mask }) => `${nameOf(tool)}: ${path} has the mask '${mask}', which the domain does not declare.`);

const originProblems = (tool: Tool): string[] =>
  textFields(schemaWithOrigins(tool))
    .filter(({ origin }) => origin === undefined)
    .map(({ path }) => `${nameOf(tool)}: the text ${path} has no origin; declare it as untrusted, companyText or callerText.`);
