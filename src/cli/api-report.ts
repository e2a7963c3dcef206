/** The public API report: the exports and types of each entry point of the package, from the declaration files in dist/. */
import { posix } from 'node:path';

export interface EntryPoint {
  /** The import path, such as `tamshai/testing`. */
  readonly name: string;
  /** The declaration file, relative to dist/. */
  readonly file: string;
}

/** The entry points with types in the `exports` of a package.json. */
export const entryPoints = (exported: Readonly<Record<string, string | { readonly types: string }>>): EntryPoint[] =>
  Object.entries(exported).flatMap(([path, to]) =>
    typeof to === 'string' ? [] : [{ name: posix.join('tamshai', path), file: to.types.replace(/^\.\/dist\//, '') }],
  );

/** Types of these folders are printed in full if an exported type refers to them. Other types are printed as names. */
const PUBLIC = /^(?:src\/declare|src\/testing|domains)\//;

/** A name that another file or a package declares. */
interface Origin {
  readonly from: string;
  readonly name: string;
}
interface Module {
  readonly file: string;
  readonly declared: ReadonlyMap<string, string>;
  readonly imported: ReadonlyMap<string, Origin>;
  /** Exported name → where it is declared. */
  readonly exported: ReadonlyMap<string, Origin>;
}

const BEGINS = /^(?=(?:export|import|declare|interface|type|class|abstract)\b)/m;
const NAMES = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}(?:\s+from\s+'([^']+)')?/;
const DECLARES = /^(?:export\s+)?(?:declare\s+)?(?:const|function|class|abstract class|interface|type|enum)\s+(\w+)/;

/** Relies on the compiler's layout: statements start in the first column, and their other lines are indented. */
function parseModule(file: string, text: string): Module {
  const declared = new Map<string, string>();
  const imported = new Map<string, Origin>();
  const exported = new Map<string, Origin>();
  const statements = text
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .split(BEGINS)
    .map((statement) => statement.replaceAll(/^\s*\n/gm, '').trimEnd());
  for (const statement of statements) {
    const [, names, from] = NAMES.exec(statement) ?? [];
    const [, name] = DECLARES.exec(statement) ?? [];
    for (const each of names?.split(',') ?? []) {
      const [own = '', as = own] = each
        .replace(/^\s*type\s+/, '')
        .trim()
        .split(/\s+as\s+/);
      if (own === '') continue;
      const origin = from === undefined ? (imported.get(own) ?? { from: file, name: own }) : { from: resolveFrom(file, from), name: own };
      (statement.startsWith('import') ? imported : exported).set(as, origin);
    }
    if (names !== undefined || name === undefined) continue;
    declared.set(name, [declared.get(name), statement].filter(Boolean).join('\n'));
    if (statement.startsWith('export')) exported.set(name, { from: file, name });
  }
  return { file, declared, imported, exported };
}

const resolveFrom = (file: string, from: string): string =>
  from.startsWith('.') ? posix.join(posix.dirname(file), from).replace(/\.ts$/, '.d.ts') : from;

/** `read` returns the text of a declaration file, by its path relative to dist/. */
export function apiReport(entries: readonly EntryPoint[], read: (file: string) => string): string {
  const modules = new Map<string, Module>();
  const moduleOf = (file: string): Module => {
    const known = modules.get(file) ?? parseModule(file, read(file));
    modules.set(file, known);
    return known;
  };
  /** Follows re-exports to the file that declares the name. Returns undefined for names of packages. */
  const declarationOf = ({ from, name }: Origin): Origin | undefined => {
    if (!from.endsWith('.d.ts')) return undefined;
    const { declared, exported, imported } = moduleOf(from);
    if (declared.has(name)) return { from, name };
    const further = exported.get(name) ?? imported.get(name);
    return further === undefined ? undefined : declarationOf(further);
  };
  const textOf = ({ from, name }: Origin) => (moduleOf(from).declared.get(name) ?? '').replace(/^export /, '').replace(/^declare /, '');
  const keyOf = ({ from, name }: Origin) => `${from} ${name}`;

  /** Returns the declarations that `roots` refer to, directly or indirectly. */
  const referredBy = (roots: readonly Origin[]): Origin[] => {
    const seen = new Map(roots.map((root) => [keyOf(root), root]));
    const waiting = [...roots];
    for (let origin = waiting.pop(); origin !== undefined; origin = waiting.pop()) {
      const { declared, imported, file } = moduleOf(origin.from);
      for (const word of new Set(textOf(origin).match(/\b[A-Za-z_]\w*\b/g))) {
        const named = declared.has(word) ? { from: file, name: word } : imported.get(word);
        const found = named && declarationOf(named);
        if (found === undefined || !PUBLIC.test(found.from) || seen.has(keyOf(found))) continue;
        seen.set(keyOf(found), found);
        waiting.push(found);
      }
    }
    return [...seen.values()].slice(roots.length);
  };

  const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const listed = new Set<string>();
  const sections = entries.flatMap(({ name, file }) => {
    const names = [...moduleOf(file).exported].map(([as, origin]) => ({ name: as, origin, found: declarationOf(origin) })).toSorted(byName);
    const roots = names.flatMap(({ found }) => found ?? []);
    for (const root of roots) listed.add(keyOf(root));
    const further = referredBy(roots).filter((origin) => !listed.has(keyOf(origin)));
    for (const origin of further) listed.add(keyOf(origin));
    return [
      `## ${name}`,
      ...names.map(({ name: as, origin, found }) => entry(as, found ? textOf(found) : `export { ${origin.name} } from '${origin.from}';`)),
      ...(further.length === 0 ? [] : [`### Types that ${name} refers to without exporting them`]),
      ...further.toSorted(byName).map((origin) => entry(origin.name, textOf(origin))),
    ];
  });
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

const INTRODUCTION = `# Public API

\`npm run contracts\` writes this file from the declaration files. A change here is a change of what authors of domains can rely on.`;

const entry = (name: string, text: string) => `#### ${name}\n\n\`\`\`ts\n${text}\n\`\`\``;
