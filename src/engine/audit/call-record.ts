/** Builds the audit record and the metrics entry of a call, without sensitive values. */
import type { Answer, CardChange } from '../../declare/answer.ts';
import type { Surface } from '../caller.ts';
import type { Details } from '../../declare/errors.ts';
import { sensitiveFieldNames } from '../../declare/fields.ts';
import { maskedFieldNames } from '../../declare/masks.ts';
import type { Person } from '../../declare/people.ts';
import type { AuditRecord, Decision } from '../ports.ts';
import { redact } from './redact.ts';
import type { Registry } from '../registry.ts';
import type { CallRequest, CompletedCall, Runtime } from '../runtime.ts';
import type { Tool } from '../../declare/tool.ts';

export interface AnsweredCall {
  readonly tool: Tool | undefined;
  readonly answer: Answer;
  readonly started: number;
}

export function completedCall(
  { server, surface, requestId }: Pick<CallRequest, 'server' | 'surface' | 'requestId'>,
  { tool, answer, started }: AnsweredCall,
): CompletedCall {
  const [decision, code] = decisionOf(answer);
  return { server, tool, surface, requestId, decision, code, rows: rowsOf(tool, answer), ms: performance.now() - started };
}

export function recordOfCall(runtime: Pick<Runtime, 'clock'>, request: CallRequest, { tool, answer, started }: AnsweredCall): AuditRecord {
  const [decision, code] = decisionOf(answer);
  const {
    server,
    tool: name,
    surface,
    requestId,
    caller: { origin, person },
  } = request;
  // A record with RATE_LIMITED has no input, because redacting the input would cost more than refusing the call.
  const input = code === 'RATE_LIMITED' ? {} : request.input;
  const rows = rowsOf(tool, answer);
  const record = auditRecord(runtime, tool, {
    server,
    tool: name,
    input,
    surface,
    requestId,
    origin,
    person,
    decision,
    code,
    rows,
    started,
  });
  return answer.status === 'pending_confirmation' ? { ...record, confirmationId: answer.confirmationId } : record;
}

interface RecordedCall {
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly surface: Surface;
  readonly requestId: string;
  readonly origin: string;
  readonly person: Person;
  readonly decision: Decision;
  readonly code: string | null;
  readonly rows: number;
  readonly started: number;
}
export const auditRecord = (runtime: Pick<Runtime, 'clock'>, tool: Tool | undefined, call: RecordedCall): AuditRecord => ({
  at: runtime.clock.now().toISOString(),
  principal: call.person.principal,
  username: call.person.username,
  surface: call.surface,
  origin: call.origin,
  server: tool?.domain.name ?? call.server.slice(0, 64),
  tool: tool?.name ?? call.tool.slice(0, 64),
  decision: call.decision,
  code: call.code,
  ms: Math.round((performance.now() - call.started) * 100) / 100,
  rows: call.rows,
  requestId: call.requestId,
  input: redact(call.input, sensitiveInputs(tool)),
});

/**
 * Lists every changed field. Leaves out the values of fields that any tool of the domain masks, also inside other values, and redacts
 * sensitive inputs.
 */
export function auditedChanges(registry: Registry, tool: Tool, changes: readonly CardChange[]): Details[] {
  const masked = maskedNames(registry, tool.domain.name);
  const secrets = new Set([...sensitiveInputs(tool), ...masked]);
  const redacted = (field: string, value: unknown): unknown => {
    const clean = JSON.parse(redact({ [field]: value }, secrets)) as Details;
    // `redact` replaces a value that is too long by an object that holds its beginning.
    return Object.hasOwn(clean, field) ? clean[field] : clean;
  };
  return changes.map(({ field, from, to }) =>
    field.split('.').some((name) => masked.has(name)) ? { field } : { field, from: redacted(field, from), to: redacted(field, to) },
  );
}

function rowsOf(tool: Tool | undefined, answer: Answer): number {
  if (answer.status !== 'success') return 0;
  const rows = tool?.kind === 'pages' ? (answer.data as { items: unknown }).items : answer.data;
  return Array.isArray(rows) ? rows.length : 1;
}

function decisionOf(answer: Answer): [Decision, string | null] {
  if (answer.status === 'success') return ['allowed', null];
  if (answer.status === 'pending_confirmation') return ['pending', null];
  return [answer.retryable ? 'failed' : 'refused', answer.code];
}

const sensitiveByTool = new WeakMap<Tool, ReadonlySet<string>>();
function sensitiveInputs(tool: Tool | undefined): ReadonlySet<string> {
  if (!tool) return new Set();
  let fields = sensitiveByTool.get(tool);
  if (!fields) {
    fields = new Set(sensitiveFieldNames(tool.input));
    sensitiveByTool.set(tool, fields);
  }
  return fields;
}

const maskedByDomain = new WeakMap<Registry, Map<string, ReadonlySet<string>>>();
/** The names of all fields that some tool of the domain masks. */
function maskedNames(registry: Registry, domain: string): ReadonlySet<string> {
  const known = maskedByDomain.get(registry) ?? new Map<string, ReadonlySet<string>>();
  maskedByDomain.set(registry, known);
  let names = known.get(domain);
  if (!names) {
    names = new Set(registry.tools.filter((tool) => tool.domain.name === domain).flatMap((tool) => maskedFieldNames(tool.output)));
    known.set(domain, names);
  }
  return names;
}
