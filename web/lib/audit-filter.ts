/** Converts the search text of the audit page to a filter of GET /api/audit. */

export type AuditFilter = Readonly<Partial<Record<'person' | 'server' | 'tool' | 'record' | 'request', string>>>;

const REQUEST = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|req[-_]\S+|[0-9a-f]{16,})$/i;
const QUALIFIED = /^([a-z][a-z0-9]*)\.([a-z][a-z0-9_]*)$/;

/** `hr.update_salary` is a tool, `employee/<id>` a record, a UUID a request; a word with an underscore is a tool, any other a person. */
export function auditFilterOf(text: string, servers: readonly string[]): AuditFilter {
  const words = text.trim();
  if (words === '') return {};
  const [, server, tool] = QUALIFIED.exec(words) ?? [];
  if (server !== undefined && tool !== undefined && servers.includes(server)) return { server, tool };
  if (/^[a-z_]+\/./.test(words)) return { record: words };
  if (REQUEST.test(words)) return { request: words };
  return /^[a-z]+(?:_[a-z]+)+$/.test(words) ? { tool: words } : { person: words };
}
