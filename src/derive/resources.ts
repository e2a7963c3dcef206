/** Converts resources and prompts to MCP. */
import type { z } from 'zod';
import type { Prompt, Resource } from '../declare/resources.ts';

/** `_meta` repeats the extra keys, because many clients drop unknown keys. */
function common({ name, title, description, mimeType, version }: Resource) {
  const more = { mime_type: mimeType, version };
  return { name, title, description, mimeType, ...more, _meta: more };
}

export const mcpResource = (resource: Resource) => ({ uri: resource.uri, ...common(resource) });

export const mcpTemplate = (resource: Resource) => ({
  uriTemplate: resource.paged ? `${resource.uri}{?limit,cursor}` : resource.uri,
  ...common(resource),
});

export const mcpPrompt = ({ name, title, description, arguments: { shape } }: Prompt) => ({
  name,
  title,
  description,
  arguments: Object.entries(shape as Record<string, z.ZodType>).map(([argument, schema]) => ({
    name: argument,
    description: schema.description ?? '',
    required: !schema.safeParse(undefined).success,
  })),
});
