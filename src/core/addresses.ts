/** From an address that somebody gives to the resource that it names. Nothing is ever opened by an address: it is looked up among the declared ones. */
import type { Resource } from './resources.ts';

export interface Addressed {
  readonly resource: Resource;
  /** As it was given; the resource's own schema says what is right. */
  readonly input: Readonly<Record<string, unknown>>;
}

const LONGEST = 8192;
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');

/** One part of a path, or nothing: what would lead elsewhere in a path leads nowhere here. */
function decoded(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    return text === '.' || text === '..' || /[/\\\p{Cc}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Whole numbers are what they say; of anything else the schema says that it is none. */
const valueOf = (texts: readonly string[]): unknown => {
  const [text = '', ...more] = texts;
  if (more.length > 0) return texts;
  return /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
};

/** Undefined where no resource has this address. */
export function addresses(resources: readonly Resource[]): (uri: string) => Addressed | undefined {
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
    // Only what is counted may be a number: a topic called 2026 stays a text.
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
