/** The protocol revisions served here, and what a client states about itself: its name and whether it can open a URL. */
import type { Server } from '@modelcontextprotocol/server';

export const MODERN = '2026-07-28';
/** Newest first: a client that asks for an unknown revision is offered the first one. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** Whether the client can open a URL for its user. */
export function opensUrls(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { url?: unknown } };
  return typeof elicitation?.url === 'object' && elicitation.url !== null;
}

/** Elicitation by URL exists since 2025-11-25; older sessions cannot use it. */
export const sessionOpensUrls = (server: Server): boolean =>
  server.getNegotiatedProtocolVersion() === '2025-11-25' && opensUrls(server.getClientCapabilities());

/** The client's name appears on approval cards and in the audit log, so it is reduced to 64 plain characters. */
export function clientName(info: unknown): string | undefined {
  const { title, name } = (info ?? {}) as { title?: unknown; name?: unknown };
  const given = typeof title === 'string' && title !== '' ? title : name;
  if (typeof given !== 'string') return undefined;
  // The name is truncated first, because normalisation can make a text eighteen times as long.
  const plain = given
    .slice(0, 256)
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N} ._/()@+-]/gu, '')
    .trim()
    .slice(0, 64);
  return plain === '' ? undefined : plain;
}
