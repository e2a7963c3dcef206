/** Generates the files of `contracts/`. They are committed, so that reviewers see each change of a contract. */
import { qualifiedName, type Registry } from '../engine/registry.ts';
import { answerOf, jsonSchema, outputSchema, resultOf } from './answers.ts';
import { roleMatrix, toolReference } from './docs.ts';
import { mcpTool } from './mcp.ts';
import { mcpPrompt, mcpResource, mcpTemplate } from './resources.ts';
import { namedShapes, openapi } from './openapi.ts';
import { createQualifier } from './qualify.ts';
import { typeScript } from './types.ts';

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Maps each path under contracts/ to its text. */
export function contracts(registry: Registry, version: string): Map<string, string> {
  const files = new Map<string, string>();
  const qualifier = createQualifier(registry);
  for (const tool of registry.tools) {
    const { name, title, description, roles, aliases, inputAliases, kind } = tool;
    files.set(
      `tools/${tool.domain.name}/${name}.json`,
      pretty({
        name,
        title,
        kind,
        description,
        roles,
        aliases,
        inputAliases,
        errors: Object.keys(tool.errors),
        mcp: qualifier.descriptions(mcpTool(tool, true), tool.domain.name),
        answer: jsonSchema(answerOf(tool), 'output', tool.company),
        ...(kind === 'write' && { afterApproval: jsonSchema(resultOf(tool), 'output', tool.company) }),
      }),
    );
  }
  files.set(
    'resources.json',
    pretty(
      registry.resources.map((resource) => ({
        ...(resource.variables.length === 0 ? mcpResource(resource) : mcpTemplate(resource)),
        server: resource.domain.name,
        roles: resource.roles,
        errors: Object.keys(resource.tool.errors),
        pages: resource.paged,
        subscribable: registry.feeds.some(({ resources }) => resources.includes(resource)),
        completes: Object.keys(resource.completions),
        contents: outputSchema(resource.tool),
      })),
    ),
  );
  files.set(
    'prompts.json',
    pretty(
      registry.prompts.map((prompt) => ({
        ...mcpPrompt(prompt),
        server: prompt.domain.name,
        roles: prompt.roles,
        tools: prompt.tools.map(qualifiedName),
        completes: Object.keys(prompt.completions),
      })),
    ),
  );
  files.set('openapi.json', pretty(openapi(registry, version)));
  files.set('api.d.ts', typeScript(namedShapes()));
  files.set('roles.md', roleMatrix(registry));
  files.set('tools.md', toolReference(registry));
  return files;
}
