/** The filters of the audit log, as the REST API takes them. */
import { z } from 'zod';

const given = z.string().min(1).max(300);
/** What a page of the audit log can be limited to. */
export const auditFilters = z.strictObject({
  person: given.optional().describe('User name'),
  server: given.optional(),
  tool: given.optional(),
  decision: z.enum(['allowed', 'refused', 'failed', 'pending', 'approved', 'denied']).optional(),
  record: given
    .regex(/^[^/]+\/.+$/s, 'A record is <type>/<id>')
    .optional()
    .describe('<type>/<id>, such as employee/0e000000-…'),
  request: given.optional().describe('Request id'),
  from: z.iso.datetime().optional().describe('Only records from this time on'),
  to: z.iso.datetime().optional().describe('Only records before this time'),
});
export type AuditFilters = z.output<typeof auditFilters>;
