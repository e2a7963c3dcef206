/** The supported protocol revisions, and what a client states about itself: its name and whether it can open a URL. */
import type { Server } from '@modelcontextprotocol/server';

export const MODERN = '2026-07-28';
/** The newest revision first. The SDK offers it to a client that asks for an unknown revision. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** True if the client can open a URL for its user. */
export function opensUrls(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { url?: unknown } };
  return typeof elicitation?.url === 'object' && elicitation.url !== null;
}

/** Elicitation by URL exists only since 2025-11-25. */
export const sessionOpensUrls = (server: Server): boolean =>
  server.getNegotiatedProtocolVersion() === '2025-11-25' && opensUrls(server.getClientCapabilities());

/** Returns at most 64 plain characters, because approval cards and the audit log show the client's name. */
export function clientName(info: unknown): string | undefined {
  const { title, name } = (info ?? {}) as { title?: unknown; name?: unknown };
  const given = typeof title === 'string' && title !== '' ? title : name;
  if (typeof given !== 'string') return undefined;
  // Truncates first, because normalisation can make a text eighteen times longer.
  const plain = given
    .slice(0, 256)
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N} ._/()@+-]/gu, '')
    .trim()
    .slice(0, 64);
  return plain === '' ? undefined : plain;
}
