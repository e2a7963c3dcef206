/** `tamshai people`: lists the sample people, their roles and their realm. */
import type { Role } from '../../declare/people.ts';
import type { RoleTable } from '../../declare/roles.ts';
import type { Persona } from '../../declare/sample.ts';
import { samplePeopleOf } from '../../server/sample-people.ts';
import { table, widthOfTable } from '../terminal/table.ts';
import { dataLines } from '../terminal/data.ts';
import { safe } from '../terminal/text.ts';
import { openConsole } from './console.ts';
import { exampleUser } from './person.ts';
import { EXIT, Stop } from './stop.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';

const join = (names: readonly string[]) => names.join(', ').replace(/, ([^,]*)$/, ' and $1');
const serversWith = (roles: readonly Role[], ending: string) =>
  roles.flatMap((role) => (role.endsWith(ending) ? [role.slice(0, -ending.length)] : []));

function abilities({ realm, roles: named }: Persona, table: RoleTable): string {
  if (realm === 'customer') return named.flatMap((role) => table.means(role) ?? []).join('; ');
  const roles = [...table.resolve(realm, named)];
  const [reads, writes] = [serversWith(roles, '-read'), serversWith(roles, '-write')];
  const both = reads.filter((server) => writes.includes(server));
  const only = reads.filter((server) => !writes.includes(server));
  const alone = writes.filter((server) => !reads.includes(server));
  const parts = [
    ...(roles.includes('executive') ? ['read everything'] : []),
    ...(both.length > 0 ? [`read and change ${join(both)}`] : []),
    ...(only.length > 0 ? [`read ${join(only)}`] : []),
    ...(alone.length > 0 ? [`change ${join(alone)}`] : []),
    ...(roles.includes('manager') ? ['lead a team'] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : 'see their own data';
}

export async function people(options: ProjectOptions & { json?: boolean }): Promise<number> {
  const console = openConsole(options.json);
  const { issuers, registry } = await loadConfig(options);
  const { people: all, roles } = registry;
  if (issuers.staff !== undefined)
    throw new Stop('Sample people exist with the built-in identity provider only; here people sign in at OIDC_ISSUER.');
  if (console.json) {
    console.value({ people: all.map(({ username, name, title, realm, roles: own }) => ({ username, name, title, realm, roles: own })) });
    return EXIT.ok;
  }
  const [first] = all;
  if (first === undefined) {
    console.out('This configuration has no sample people; set OIDC_ISSUER, so that people can sign in.');
    return EXIT.ok;
  }
  const { style, width } = console.look;
  const columns = ['Username', 'Name', 'Title', 'Can', 'Realm'].map((heading) => ({ heading }));
  const rows = all.map((each) => [each.username, each.name, each.title, abilities(each, roles), each.realm].map(safe));
  const records = rows.map(([username, name, title, can, realm]) => ({ username, name, title, can, realm }));
  console.out(...(widthOfTable(columns, rows) <= width ? table(columns, rows, style) : dataLines(records, undefined, console.look)));
  console.out(
    '',
    style.dim(`Act as one of them with --as, such as  tamshai tools --as ${exampleUser(samplePeopleOf(registry)) ?? first.username}`),
  );
  return EXIT.ok;
}
