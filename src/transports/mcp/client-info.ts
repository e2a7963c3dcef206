/** The protocol revisions served here, and what a client states about itself: its name and whether it can open a URL. */
import type { Server } from '@modelcontextprotocol/server';

export const MODERN = '2026-07-28';
/** Newest first: the first is offered to a client that asks for something else. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** Can this client show its user a page? */
export function opensUrls(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { url?: unknown } };
  return typeof elicitation?.url === 'object' && elicitation.url !== null;
}

/** Elicitation by URL came with 2025-11-25; an older session cannot mean it. */
export const sessionOpensUrls = (server: Server): boolean =>
  server.getNegotiatedProtocolVersion() === '2025-11-25' && opensUrls(server.getClientCapabilities());

/** A client's own name ends up on cards and in the audit: plain letters of a sensible length, or nothing. */
export function clientName(info: unknown): string | undefined {
  const { title, name } = (info ?? {}) as { title?: unknown; name?: unknown };
  const given = typeof title === 'string' && title !== '' ? title : name;
  if (typeof given !== 'string') return undefined;
  // Cut before it is made plain, which can make it eighteen times as long.
  const plain = given
    .slice(0, 256)
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N} ._/()@+-]/gu, '')
    .trim()
    .slice(0, 64);
  return plain === '' ? undefined : plain;
}
