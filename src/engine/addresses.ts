/** Finds the declared resource of a URI. It compares the URI only with declared URIs and never opens it as a path. */
import type { Resource } from '../declare/resources.ts';

export interface Addressed {
  readonly resource: Resource;
  /** Not validated yet; the tool of the resource validates it. */
  readonly input: Readonly<Record<string, unknown>>;
}

const LONGEST = 8192;
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');

/** Decodes one path segment; undefined for `.`, `..`, a malformed segment, and one with a slash, backslash or control character. */
function decoded(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    return text === '.' || text === '..' || /[/\\\p{Cc}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Converts whole numbers, because `limit` is a number. A repeated parameter becomes a list, which the schema refuses. */
const valueOf = (texts: readonly string[]): unknown => {
  const [text = '', ...more] = texts;
  if (more.length > 0) return texts;
  return /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
};

/** Returns a function that finds the resource of a URI; it returns undefined if no resource matches. */
export function createResourceFinder(resources: readonly Resource[]): (uri: string) => Addressed | undefined {
  const plain = new Map(resources.filter(({ variables }) => variables.length === 0).map((resource) => [resource.uri, resource]));
  const patterns = resources
    .filter(({ variables }) => variables.length > 0)
    .map((resource) => ({
      resource,
      pattern: new RegExp(
        `^${resource.uri
          .split(/\{[^}]+\}/)
          .map(literal)
          .join('([^/?#]+)')}$`,
      ),
      keys: resource.variables.map((variable) => variable.replaceAll('-', '_')),
    }));
  return (uri) => {
    if (uri.length > LONGEST || uri.includes('#')) return undefined;
    const end = uri.indexOf('?');
    const path = end < 0 ? uri : uri.slice(0, end);
    const query = new URLSearchParams(end < 0 ? '' : uri.slice(end + 1));
    // A cursor stays a string, even if it consists of digits.
    const asked = Object.fromEntries(
      [...new Set(query.keys())].map((key) => [key, key === 'cursor' ? textOf(query.getAll(key)) : valueOf(query.getAll(key))]),
    );
    const exact = plain.get(path);
    if (exact) return { resource: exact, input: asked };
    for (const { resource, pattern, keys } of patterns) {
      const parts = pattern.exec(path)?.slice(1).map(decoded);
      if (!parts) continue;
      if (parts.includes(undefined)) return undefined;
      return { resource, input: { ...asked, ...Object.fromEntries(keys.map((key, at) => [key, parts[at]])) } };
    }
    return undefined;
  };
}

const textOf = (texts: readonly string[]): unknown => (texts.length === 1 ? texts[0] : texts);
