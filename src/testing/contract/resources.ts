/** Cases for resources and prompts: only people with a right can read and list them. */
import type { Persona } from '../../declare/sample.ts';
import type { Prompt, Resource } from '../../declare/resources.ts';
import { opens } from '../../engine/access.ts';
import { jsonSchema } from '../../derive/answers.ts';
import type { Property } from '../tool-caller.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import { type ContractCase, type Opened, type Subject } from './subject.ts';

export function resourceCases(subject: Subject): ContractCase[] {
  return [
    ...subject.registry.resources.map((resource) => ({
      name: `${resource.uri} is listed and read only by those who may`,
      run: () => checkResource(subject, resource),
    })),
    ...subject.registry.prompts.map((prompt) => ({
      name: `the prompt ${prompt.name} is listed and given only to those who may use all its tools`,
      run: () => checkPrompt(subject, prompt),
    })),
  ];
}

interface Reply {
  readonly result: Record<string, unknown> | undefined;
  readonly error: { readonly message: string; readonly data?: { readonly code?: string } } | undefined;
}
const rpc = async (
  { server, caller }: Opened,
  { username }: Persona,
  { method, params = {} }: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> | undefined },
) => {
  const named = params['uri'] ?? params['name'];
  const headers = typeof named === 'string' ? { 'mcp-name': named } : {};
  return (await server.rpc<Record<string, unknown>>(await caller.token(username, { mcp: true }), method, params, { headers })) as Reply;
};
const listed = async (
  opened: Opened,
  person: Persona,
  { kind, key }: { readonly kind: 'resources' | 'resourceTemplates' | 'prompts'; readonly key: string },
) => {
  const method = kind === 'resourceTemplates' ? 'resources/templates/list' : `${kind}/list`;
  const { result } = await rpc(opened, person, { method });
  return ((result?.[kind] ?? []) as Record<string, unknown>[]).map((each) => each[key]);
};

async function checkResource(subject: Subject, resource: Resource): Promise<void> {
  const opened = await subject.begin();
  const isTemplate = resource.variables.length > 0;
  // No row has the id `x`, so the answer is a declared error.
  const uri = resource.uri.replace(/\{[^}]+\}/g, 'x');
  for (const person of subject.people) {
    const may = opens(resource.tool, subject.rolesOf(person));
    const what = `${resource.uri} for ${person.username}`;
    const { result, error } = await rpc(opened, person, { method: 'resources/read', params: { uri } });
    const code = error?.data?.code;
    if (!may) ensureEqual(code, 'INSUFFICIENT_PERMISSIONS', `${what}, who may not read it`);
    else if (result === undefined)
      ensure(isTemplate && code !== undefined && code in resource.tool.errors, `${what}: expected its content, but got ${inShort(error)}.`);
    else {
      const [content] = (result['contents'] ?? []) as { mimeType?: string; text?: string }[];
      ensureEqual(content?.mimeType, resource.mimeType, `${what}: the MIME type`);
      ensure(typeof content?.text === 'string', `${what}: the content is no text: ${inShort(content)}.`);
    }
    const names = isTemplate
      ? await listed(opened, person, { kind: 'resourceTemplates', key: 'uriTemplate' })
      : await listed(opened, person, { kind: 'resources', key: 'uri' });
    ensureEqual(names.includes(resource.uri), may, `${what}: whether it is listed`);
  }
}

async function checkPrompt(subject: Subject, prompt: Prompt): Promise<void> {
  const opened = await subject.begin();
  const properties = (jsonSchema(prompt.arguments, 'input')['properties'] ?? {}) as Record<string, Property>;
  const given = Object.fromEntries(
    Object.entries(properties).map(([key, { enum: options, format }]) => [
      key,
      (options?.[0] as string | undefined) ?? (format === 'date' ? '2026-01-01' : 'office'),
    ]),
  );
  for (const person of subject.people) {
    const roles = subject.rolesOf(person);
    const may = opens(prompt.tool, roles);
    const what = `The prompt ${prompt.name} for ${person.username}`;
    if (may) for (const tool of prompt.tools) ensure(opens(tool, roles), `${what}: it names ${tool.name}, which this person may not use.`);
    const { result, error } = await rpc(opened, person, { method: 'prompts/get', params: { name: prompt.name, arguments: given } });
    if (!may) ensureEqual(error?.data?.code, 'INSUFFICIENT_PERMISSIONS', `${what}, who may not use it`);
    else ensure(Array.isArray(result?.['messages']), `${what}: expected messages, but got ${inShort(error ?? result)}.`);
    ensureEqual(
      (await listed(opened, person, { kind: 'prompts', key: 'name' })).includes(prompt.name),
      may,
      `${what}: whether it is listed`,
    );
  }
}
