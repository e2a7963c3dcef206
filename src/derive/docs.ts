/** Generates the role matrix and the tool reference from the declarations. */
import type { z } from 'zod';
import { textFor } from '../declare/company.ts';
import { matrixRow } from '../engine/access.ts';
import { commonCodes, pipelineCodes, statusOf, toolFailure } from '../declare/errors.ts';
import type { Registry } from '../engine/registry.ts';
import { atOnceWhenOf, type Tool } from '../declare/tool.ts';
import { EXAMPLE_DAY } from './answers.ts';

const KIND = {
  read: 'Reads',
  list: 'Lists, 50 at a time',
  analyze: 'Computes figures over the rows of a list',
  history: 'Reads the changes of one record, a page at a time',
  write: 'Writes, after a person approves',
  act: 'Writes at once',
  pages: 'Read page by page',
  plain: 'Reads no store',
} as const;
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** One line for each tool and each role that may call the tool, with the rows that this role alone sees. */
export function roleMatrix(registry: Registry): string {
  const lines = [
    '# Who may use what',
    '',
    'Generated from the declarations. If several roles of a person open a tool, the person sees the rows of the widest one.',
    '',
  ];
  for (const domain of registry.domains) {
    lines.push(`## ${domain.name}: ${domain.title}`, '', '| tool | kind | role | sees |', '|---|---|---|---|');
    for (const tool of registry.tools.filter((each) => each.domain === domain)) {
      const opened = matrixRow(tool);
      for (const role of registry.roles.names)
        if (opened.has(role)) lines.push(`| ${tool.name} | ${tool.kind} | ${role} | ${cell(opened.get(role) ?? '')} |`);
    }
    const masks = Object.entries(domain.masks ?? {});
    if (masks.length > 0) lines.push('', '| mask | hides | shown to |', '|---|---|---|');
    for (const [name, mask] of masks)
      lines.push(`| ${name} | ${mask.hides} | ${mask.shownTo.join(', ')}${mask.andOwner ? ', oneself' : ''} |`);
    lines.push('');
  }
  return lines.join('\n');
}

function inputTable(tool: Tool): string[] {
  const fields = Object.entries(tool.input.shape) as [string, z.ZodType][];
  if (fields.length === 0) return ['No input.', ''];
  return [
    '| input | | |',
    '|---|---|---|',
    ...fields.map(
      ([key, schema]) =>
        `| \`${key}\` | ${schema.safeParse(undefined).success ? 'optional' : 'required'} | ${cell(textFor(schema.description ?? '', tool.company))} |`,
    ),
    '',
  ];
}

function section(tool: Tool): string[] {
  const codes = Object.keys(tool.errors);
  const atOnceWhen = atOnceWhenOf(tool);
  const kind = atOnceWhen === undefined ? KIND[tool.kind] : `Writes at once when ${atOnceWhen}, else after a person approves`;
  const aliases = tool.aliases.length > 0 ? ` Also called ${tool.aliases.join(', ')}.` : '';
  return [
    `### ${tool.name}`,
    '',
    `${tool.description} *${kind}.*${aliases}`,
    '',
    `Roles: ${tool.roles.join(', ')}.`,
    '',
    ...inputTable(tool),
    ...codes.map((code) => `- \`${code}\` (${toolFailure(code, tool.errors).status}): ${toolFailure(code, tool.errors).suggestedAction}`),
    ...(codes.length > 0 ? [''] : []),
    ...tool.examples.map(
      ({ question, as, input, expects }) =>
        `> ${as}: “${question}” → \`${JSON.stringify(input(EXAMPLE_DAY))}\`${expects ? ` → \`${expects}\`` : ''}\n`,
    ),
  ];
}

export function toolReference(registry: Registry): string {
  return [
    '# Tools',
    '',
    'Generated from the declarations. You can call every tool by MCP (`<server>_<tool>` on the gateway), by `POST ' +
      '/api/tools/<server>/<tool>`, and by `tamshai call <server> <tool>`.',
    '',
    ...registry.domains.flatMap((domain) => [
      `## ${domain.name}: ${domain.title} (port ${domain.port})`,
      '',
      ...(domain.actsAtOnce ? [`Writes at once: ${domain.actsAtOnce}`, ''] : []),
      ...registry.tools.filter((tool) => tool.domain === domain).flatMap(section),
    ]),
    '## Error codes that any call may return',
    '',
    '| code | status |',
    '|---|---|',
    ...[...commonCodes, ...pipelineCodes].map((code) => `| \`${code}\` | ${statusOf(code)} |`),
    '',
  ].join('\n');
}
