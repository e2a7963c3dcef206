/** Checks the domains of a configuration: names, ports, roles, database roles and texts. Each problem is one sentence. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { contractName, contractOf } from '../declare/contracts.ts';
import type { Installed } from '../declare/install.ts';
import { BASE_ROLES } from '../declare/people.ts';
import { type AnyDomain, ENGINE_VERSION, type Tool } from '../declare/tool.ts';
import { sensitiveFieldNames, unseen } from '../declare/fields.ts';
import { maskedFieldNames } from '../declare/masks.ts';
import { lastName, walkSchema } from '../declare/walk-schema.ts';
import { mcpTool } from '../derive/mcp.ts';
import { ANALYZE } from '../engine/analyze/tool.ts';
import { GET_HISTORY } from '../engine/history/tool.ts';
import { mcpPrompt, mcpResource } from '../derive/resources.ts';
import { ConfigProblem } from './config.ts';
import { pathIn } from './config-file.ts';

/** A domain name is also a schema name and a prefix of roles and settings, so it has no underscore. */
const DOMAIN_NAME = /^[a-z][a-z0-9]{1,19}$/;
/** Names that the engine uses for schemas, migrations and settings. A domain `redis` would have the setting REDIS_URL. */
const RESERVED = new Set('tamshai public platform gateway ops oidc redis database mongodb elasticsearch constructor'.split(' '));
/** The words that PostgreSQL accepts as the name of a schema only in quotes. */
const SQL_WORDS = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
  constraint create cross default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having
  ilike in initially inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null
  offset on only or order outer overlaps placing primary references returning right select similar some symmetric table tablesample then to
  trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
);
const IDENTIFIER = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** PostgreSQL truncates longer names, and two of them could become the same role. */
const MAX_ROLE_BYTES = 63;
const MAX_TOOL_NAME = 64;

const quoted = (name: string) => JSON.stringify(String(name).slice(0, 80));

/** `folder` is the project folder. Messages name files relative to it. */
export function checkDomains(installed: readonly Installed[], folder: string): void {
  const domains = installed.map(({ domain }) => domain);
  const where = ({ name, home }: AnyDomain) => `${name} (${fileOf(home, folder)})`;
  for (const domain of domains) {
    checkEngine(domain, where(domain));
    checkName(domain, where(domain));
  }
  const twice = domains.find(({ name }, at) => domains.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) {
    const files = domains.filter(({ name }) => name === twice.name).map(({ home }) => fileOf(home, folder));
    throw new ConfigProblem(`Two domains have the name ${twice.name} (${files.join(', ')}); rename one of them.`);
  }
  for (const domain of domains) {
    checkAudiences(domain, where(domain));
    checkRoles(domain, where(domain));
  }
  checkRoleOwners(domains, where);
  checkNeeds(installed, where);
  for (const each of installed) {
    const here = where(each.domain);
    for (const tool of each.tools) checkTool(tool, here);
    checkTexts(each, here);
    checkMaskedInputs(each.tools, here);
  }
}

/** Refuses two servers with the same declared port, unless the environment changes one of them. */
export function checkPorts(domains: readonly AnyDomain[], ports: Readonly<Record<string, number>>, folder: string): void {
  const declared = [{ name: 'gateway', port: ports['gateway'] ?? 0, home: undefined }, ...domains];
  for (const [at, one] of declared.entries()) {
    const other = declared.slice(at + 1).find(({ name, port }) => port === one.port && ports[name] === ports[one.name]);
    if (other === undefined || ports[one.name] === 0) continue;
    const shown = [one, other].map(({ name, home }) => (home === undefined ? name : `${name} (${fileOf(home, folder)})`));
    throw new ConfigProblem(
      `${shown.join(' and ')} have the same port ${one.port}; declare another one, or set ${other.name.toUpperCase()}_PORT.`,
    );
  }
}

function fileOf(home: string, folder: string): string {
  try {
    return pathIn(folder, fileURLToPath(home));
  } catch {
    throw new ConfigProblem(`A domain has home: ${quoted(home)}; set it to import.meta.url.`);
  }
}

function checkEngine({ engine }: { readonly engine?: number | undefined }, where: string): void {
  if (engine === undefined) throw new ConfigProblem(`The domain ${where} declares no engine version; declare engine: ${ENGINE_VERSION}.`);
  if (engine !== ENGINE_VERSION)
    throw new ConfigProblem(
      `The domain ${where} is written for engine ${engine}, and this is engine ${ENGINE_VERSION}; install a version ` +
        'of the domain for this engine.',
    );
}

export function checkName({ name, store }: Pick<AnyDomain, 'name' | 'store'>, where: string): void {
  if (!DOMAIN_NAME.test(name))
    throw new ConfigProblem(
      `The domain ${where} needs another name: 2 to 20 lower-case letters and digits, beginning with a letter, without underscore.`,
    );
  if (RESERVED.has(name)) throw new ConfigProblem(`The domain ${where} needs another name: ${name} is reserved.`);
  if (store === 'sql' && SQL_WORDS.has(name))
    throw new ConfigProblem(`The domain ${where} needs another name: ${name} is a reserved word of SQL.`);
  if (store === 'sql' && name.startsWith('pg'))
    throw new ConfigProblem(`The domain ${where} needs another name: PostgreSQL reserves names that begin with pg.`);
}

/** Each role belongs to one domain, which alone may grant its rights. */
function checkRoleOwners(domains: readonly AnyDomain[], where: (domain: AnyDomain) => string): void {
  const owners = new Map<string, AnyDomain>();
  for (const domain of domains) {
    for (const role of domain.roles?.names ?? []) {
      const owner = owners.get(role);
      if (owner !== undefined)
        throw new ConfigProblem(`${where(owner)} and ${where(domain)} both declare the role ${role}; rename one of them.`);
      if ((BASE_ROLES as readonly string[]).includes(role))
        throw new ConfigProblem(`The domain ${where(domain)} declares the role ${role}, which the engine has; rename it.`);
      owners.set(role, domain);
    }
  }
}

/** Another domain must provide each need in the same version. */
function checkNeeds(installed: readonly Installed[], where: (domain: AnyDomain) => string): void {
  const provisions = installed.flatMap(({ provides }) => provides);
  for (const { domain } of installed) {
    for (const need of Object.values(domain.needs ?? {})) {
      const wanted = contractOf(need);
      const found = provisions.filter(({ contract }) => contract.id === wanted.id);
      if (found.some(({ contract }) => contract.version === wanted.version)) continue;
      const name = contractName(wanted);
      const [other] = found;
      if (other !== undefined)
        throw new ConfigProblem(
          `The domain ${where(domain)} needs ${name}, but ${where(other.domain)} provides ${other.name}; install ` +
            'versions of both that match.',
        );
      if (!('optional' in need))
        throw new ConfigProblem(`The domain ${where(domain)} needs ${name}, which no domain provides; add the domain that provides it.`);
    }
  }
}

/** Each audience has a database role for reading and one for writing. */
function checkAudiences({ name, audiences, store }: AnyDomain, where: string): void {
  const odd = Object.keys(audiences).find((audience) => !IDENTIFIER.test(audience));
  if (odd !== undefined)
    throw new ConfigProblem(
      `The audience ${quoted(odd)} of ${where} needs another name: lower-case letters, digits and single underscores.`,
    );
  if (store !== 'sql') return;
  const owners = new Map([[`${name}_audit`, 'the audit log']]);
  for (const audience of Object.keys(audiences)) {
    for (const role of [`${name}_${audience}`, `${name}_${audience}_write`]) {
      const owner = owners.get(role);
      if (owner !== undefined)
        throw new ConfigProblem(
          `In ${where}, the audience ${audience} and ${owner} have the same database role ${role}; rename the audience.`,
        );
      if (role.length > MAX_ROLE_BYTES)
        throw new ConfigProblem(
          `The database role ${role} of ${where} is longer than ${MAX_ROLE_BYTES} bytes; shorten the audience's name.`,
        );
      owners.set(role, `the audience ${audience}`);
    }
  }
}

/** The compiler finds undeclared roles in TypeScript. This check is for JavaScript and casts. */
function checkRoles({ roles, rolesOf = [], audiences, masks = {} }: AnyDomain, where: string): void {
  const known = new Set<string>([...BASE_ROLES, ...(roles?.names ?? []), ...rolesOf.flatMap(({ names }) => names)]);
  const named = [
    ...Object.entries(audiences).map(([name, { roles: held }]) => [`audience ${name}`, held] as const),
    ...Object.entries(masks).map(([name, { shownTo }]) => [`mask ${name}`, shownTo] as const),
  ];
  // A role must not include a role of another domain, because only that domain may grant its rights.
  for (const [name, { includes = [] }] of Object.entries(roles?.specs ?? {})) {
    const foreign = includes.find((role) => !roles?.names.includes(role));
    if (foreign !== undefined)
      throw new ConfigProblem(`The role ${name} of ${where} includes ${quoted(foreign)}; a role includes only roles of its own domain.`);
  }
  for (const [what, held] of named) {
    const unknown = held.find((role) => !known.has(role));
    if (unknown !== undefined)
      throw new ConfigProblem(
        `The ${what} of ${where} names the role ${quoted(unknown)}, which nobody declares; declare it in roles, or ` +
          'list its role set in rolesOf.',
      );
  }
}

function checkTool(tool: Tool, where: string): void {
  const { name, roles, domain } = tool;
  if (!IDENTIFIER.test(name) || `${domain.name}_${name}`.length > MAX_TOOL_NAME)
    throw new ConfigProblem(
      `The tool ${quoted(name)} of ${where} needs another name: lower-case letters, digits and single underscores, ` +
        `at most ${MAX_TOOL_NAME} characters together with the domain.`,
    );
  const taken = [ANALYZE, GET_HISTORY].find((reserved) => [name, ...tool.aliases].includes(reserved));
  if (taken !== undefined)
    throw new ConfigProblem(`The tool ${quoted(name)} of ${where} needs another name: the engine has a tool ${taken} for every server.`);
  const own = new Set(Object.values(domain.audiences).flatMap((audience) => audience.roles));
  const foreign = tool.audience === undefined ? roles.find((role) => !own.has(role)) : undefined;
  if (foreign !== undefined)
    throw new ConfigProblem(`The tool ${name} of ${where} is for the role ${quoted(foreign)}, which no audience of the domain has.`);
  checkZod(tool, where);
  refuseHidden(`The tool ${name} of ${where}`, [mcpTool(tool, true), tool.errors, tool.examples.map(({ question }) => question)]);
}

/** People and LLMs read these texts. An invisible character could hide an instruction, or make one name look like another. */
function checkTexts({ domain, resources }: Installed, where: string): void {
  const { title, roles, audiences, masks, actsAtOnce, needs = {} } = domain;
  const needed = Object.values(needs).map((need) => ('optional' in need ? need.without : ''));
  refuseHidden(`The domain ${where}`, [title, roles?.specs, audiences, masks, actsAtOnce, needed]);
  for (const item of resources) {
    if (item.kind === 'resource') refuseHidden(`The resource ${quoted(item.name)} of ${where}`, [mcpResource(item), item.tool.errors]);
    if (item.kind === 'prompt') refuseHidden(`The prompt ${quoted(item.name)} of ${where}`, mcpPrompt(item));
  }
}

function refuseHidden(what: string, texts: unknown): void {
  const hidden = findHidden(texts);
  if (hidden !== undefined) throw new ConfigProblem(`${what} has the invisible or control character ${hidden} in a text; remove it.`);
}

/** The audit log must not contain a masked value. An input with the name of a masked field usually carries such a value. */
function checkMaskedInputs(tools: readonly Tool[], where: string): void {
  const masked = new Set(tools.flatMap((tool) => maskedFieldNames(tool.output)));
  for (const { name, input } of tools) {
    const sensitive = sensitiveFieldNames(input);
    walkSchema(input, (_part, path) => {
      const field = lastName(path);
      if (masked.has(field) && !sensitive.includes(field))
        throw new ConfigProblem(
          `The input ${field} of the tool ${name} of ${where} has the name of a masked field; wrap its schema in sensitive(), ` +
            'so that the audit log does not contain its value.',
        );
    });
  }
}

/** A project can contain another version of zod, whose schemas this engine does not know. */
function checkZod(tool: Tool, where: string): void {
  const { major, minor, patch } = z.core.version;
  for (const schema of [tool.input, tool.output]) {
    const made = (schema as { _zod?: { version?: typeof z.core.version } })._zod?.version;
    if (made?.major === major && made.minor === minor && made.patch === patch) continue;
    const shown = made === undefined ? 'another version of zod' : `zod ${made.major}.${made.minor}.${made.patch}`;
    throw new ConfigProblem(
      `The schemas of the tool ${tool.name} of ${where} come from ${shown}, not from ${major}.${minor}.${patch}; ` +
        `import { z } from 'tamshai'.`,
    );
  }
}

/** Returns the first invisible character of all texts in a value, as `U+200B`. Line breaks are allowed. */
function findHidden(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const [found] = value.replaceAll('\n', '').match(unseen as RegExp) ?? [];
    return found === undefined ? undefined : `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const inner of Object.values(value)) {
    const found = findHidden(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}
