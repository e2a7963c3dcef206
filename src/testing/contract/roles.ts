/** Cases for roles: for each set of roles, every endpoint allows, refuses and lists the tools as declared. */
import type { Realm } from '../../declare/people.ts';
import type { Persona } from '../../declare/sample.ts';
import type { Tool } from '../../declare/tool.ts';
import { opens } from '../../engine/access.ts';
import { qualifiedName } from '../../engine/registry.ts';
import { codeOf, concurrently, type Endpoint, SURFACES, today } from '../tool-caller.ts';
import { ensureEqual, ensureNone } from './expect.ts';
import { type ContractCase, nameOf, newestRecords, type Opened, type Subject } from './subject.ts';

interface RoleSetting {
  readonly name: string;
  readonly account: Persona;
  readonly roles: readonly string[];
}

/** The sets: every role alone, the roles of every sample person, no role, and names that are not roles of the realm. */
function settingsOf({ registry, people }: Subject): RoleSetting[] {
  const settings = (['staff', 'customer'] as const).flatMap((realm: Realm) => {
    const account = people.find((person) => person.realm === realm);
    if (account === undefined) return [];
    const own = registry.roles.of(realm);
    const foreign = registry.roles.of(realm === 'staff' ? 'customer' : 'staff');
    const sets = [
      [],
      ...own.map((role) => [role]),
      ...people.filter((person) => person.realm === realm).map(({ roles }) => roles.filter((role) => own.includes(role))),
      [...own.map((role) => role.toUpperCase()), '*', 'admin', ...foreign],
    ];
    return sets.map((roles) => ({ name: `${realm} with ${roles.toSorted().join(', ') || 'no role'}`, account, roles }));
  });
  return [...new Map(settings.map((setting) => [setting.name, setting])).values()];
}

export function roleCases(subject: Subject): ContractCase[] {
  const { registry } = subject;
  return settingsOf(subject).map((setting) => ({
    name: `roles: ${setting.name}`,
    async run() {
      const opened = await subject.begin();
      const { accounts } = opened.server.tamshai.modules.identity;
      const { username, realm, roles: usual } = setting.account;
      const held = registry.roles.resolve(realm, setting.roles);
      const allowed = (tool: Tool) => opens(tool, held);
      await accounts.setRoles(username, setting.roles);
      opened.caller.forget();
      try {
        await checkCalls(subject, opened, { setting, allowed });
        await checkLists(subject, opened, { setting, allowed });
      } finally {
        await accounts.setRoles(username, usual);
        opened.caller.forget();
      }
    },
  }));
}

async function checkCalls(
  { registry }: Subject,
  { server, caller }: Opened,
  { setting, allowed }: { readonly setting: RoleSetting; readonly allowed: (tool: Tool) => boolean },
): Promise<void> {
  const who = { user: setting.account.username, roles: setting.roles };
  const problems: string[] = [];
  const refused = new Map<string, Tool>();
  const calls = registry.tools.flatMap((tool) =>
    [tool.name, ...tool.aliases].flatMap((name) =>
      SURFACES.map((endpoint): { tool: Tool; name: string; endpoint: Endpoint } => ({ tool, name, endpoint })),
    ),
  );
  await concurrently(calls, async ({ tool, name, endpoint }) => {
    // An allowed call has an undeclared key, so that it changes nothing. A refused call has a valid input.
    const input = allowed(tool) ? { no_such_input: 1 } : (tool.examples[0]?.input(today(server)) ?? {});
    const { status, answer, requestId } = await caller.call(endpoint, who, tool, input, { name });
    const [code, http] = allowed(tool) ? (['VALIDATION_ERROR', 400] as const) : (['INSUFFICIENT_PERMISSIONS', 403] as const);
    const found = codeOf(answer);
    const isHttp = !endpoint.endsWith('mcp');
    if (found !== code || (isHttp && status !== http))
      problems.push(
        `${nameOf(tool)} (as ${name}, at ${endpoint}) for ${setting.name}: ` +
          `${allowed(tool) ? 'a role' : 'no role'} may call it, so expected ${code}, but got ${found}.`,
      );
    if (!allowed(tool)) refused.set(requestId, tool);
  });
  ensureNone(problems);
  const records = new Map((await newestRecords(server, refused.size + registry.tools.length * 8)).map((each) => [each.requestId, each]));
  ensureNone(
    [...refused].flatMap(([requestId, tool]) => {
      const { decision, code } = records.get(requestId) ?? {};
      const recorded = decision === 'refused' && code === 'INSUFFICIENT_PERMISSIONS';
      return recorded ? [] : [`${nameOf(tool)} for ${setting.name}: the audit log has no record of the refused call.`];
    }),
  );
}

async function checkLists(
  { registry }: Subject,
  { server, caller }: Opened,
  { setting, allowed }: { readonly setting: RoleSetting; readonly allowed: (tool: Tool) => boolean },
): Promise<void> {
  const who = { user: setting.account.username, roles: setting.roles };
  const open = registry.tools.filter(allowed);
  // The server can have more domains than this suite covers.
  const covered = (names: readonly string[]) => names.filter((tool) => registry.domains.some(({ name }) => tool.startsWith(`${name}_`)));
  const all = open.map(qualifiedName).toSorted();
  ensureEqual(covered(await caller.listed(who)), all, `The tools that the gateway lists for ${setting.name}`);
  const { body } = await server.send<{ data: { servers: { name: string; tools: { name: string }[] }[] } }>('GET', '/api/user/mcp-tools', {
    token: await caller.token(who),
  });
  const listed = covered(body.data.servers.flatMap(({ name, tools }) => tools.map((tool) => `${name}_${tool.name}`)));
  ensureEqual(listed.toSorted(), all, `The tools at /api/user/mcp-tools for ${setting.name}`);
  for (const { name } of registry.domains) {
    const own = open.filter(({ domain }) => domain.name === name);
    ensureEqual(
      await caller.listed(who, name),
      own.map((tool) => tool.name).toSorted(),
      `The tools that ${name} lists for ${setting.name}`,
    );
    ensureEqual(
      await caller.listed(who, undefined, `?servers=${name}`),
      own.map(qualifiedName).toSorted(),
      `The tools that the gateway lists with ?servers=${name} for ${setting.name}`,
    );
  }
}
