/** The recorder: builds every audit record, without sensitive values. No other code builds audit records. */
import type { Answer, CardChange } from '../../declare/answer.ts';
import type { Details } from '../../declare/errors.ts';
import { sensitiveFieldNames } from '../../declare/fields.ts';
import { maskedFields } from '../../declare/masks.ts';
import { systemPerson } from '../../declare/people.ts';
import type { Provision } from '../../declare/provisions.ts';
import type { ContractCall } from '../contract-caller.ts';
import type { EffectTool, Plan, Tool } from '../../declare/tool.ts';
import { lastName } from '../../declare/walk-schema.ts';
import type { Ticket } from '../approvals/tickets.ts';
import type { Approver, Caller, Surface } from '../caller.ts';
import type { AuditRecord, Clock, Decision } from '../ports.ts';
import type { Registry } from '../registry.ts';
import type { Call, CallRequest, CompletedCall } from '../runtime.ts';
import { redact } from './redact.ts';

/** The size and the digest of a refused body. The audit record contains nothing else of the body. */
export interface UnreadBody {
  readonly bytes: number;
  readonly sha256?: string;
}
/** A call that was refused before its input was read. */
export interface RefusedCall extends Omit<CallRequest, 'input' | 'signal' | 'approvalBecause'> {
  readonly body: UnreadBody;
  /** Set if the refused call was a decision on a ticket. */
  readonly confirmationId?: string;
}
/** A decision that executed nothing: a denial or a refusal. */
export interface UnexecutedDecision {
  readonly caller: Caller;
  readonly confirmationId: string;
  /** Undefined if the body of the decision was invalid. */
  readonly approved: boolean | undefined;
  readonly answer: { readonly status: string; readonly code?: string };
  readonly requestId: string;
}
export interface FailedSignIns {
  readonly surface: string;
  readonly server: string;
  readonly times: number;
}

type Recorded = Pick<Call, 'request' | 'tool' | 'started'> & { readonly runtime: { readonly clock: Clock } };
type RecordedWrite = Recorded & { readonly tool: Tool; readonly runtime: { readonly registry: Registry } };

/** What a write did, for its record. */
export interface RecordedEffect {
  /** The changed record, as `<type>/<id>`. */
  readonly record: string | undefined;
  readonly changes: readonly CardChange[];
  readonly touched: readonly { readonly record: string; readonly changes: readonly CardChange[] }[];
  readonly reason: string | null;
  readonly confidential: Plan['confidential'];
}

interface RefusedContract {
  readonly runtime: { readonly clock: Clock };
  readonly provision: Provision;
  readonly call: ContractCall;
  readonly started: number;
}

export const recorder = {
  /** A call that the pipeline answered. */
  answered(call: Recorded, answer: Answer): AuditRecord {
    const [decision, code] = decisionOf(answer);
    // A record with RATE_LIMITED has no input, because redacting the input would cost more than refusing the call.
    const input = code === 'RATE_LIMITED' ? {} : call.request.input;
    const record = recordOf(call, { input, decision, code, rows: rowsOf(call.tool, answer) });
    return answer.status === 'pending_confirmation' ? { ...record, confirmationId: answer.confirmationId } : record;
  },

  /** A write that needed no approval. */
  wroteAtOnce: (call: RecordedWrite, answer: Answer, effect: RecordedEffect): AuditRecord => ({
    ...recorder.answered(call, answer),
    ...effectOn(call, effect),
  }),

  /** A first-use change. */
  firstUse: (call: Recorded, name: string): AuditRecord => ({
    ...recordOf(call, { input: {}, decision: 'allowed', code: null, rows: 1 }),
    tool: name,
  }),

  /** An approved ticket that was executed. */
  executed(
    execution: { readonly runtime: RecordedWrite['runtime']; readonly tool: EffectTool; readonly started: number },
    ticket: Ticket,
    { by: { person, origin, requestId }, effect }: { readonly by: Approver; readonly effect: RecordedEffect },
  ): AuditRecord {
    const { tool, runtime } = execution;
    const request = { server: ticket.server, tool: tool.name, surface: 'internal', requestId, caller: { origin, person } } as const;
    const record = recordOf({ ...execution, request }, { input: ticket.input, decision: 'approved', code: null, rows: 1 });
    return { ...record, confirmationId: ticket.id, askedAt: ticket.askedAt, ...effectOn({ tool, runtime }, effect) };
  },

  decided(runtime: { readonly clock: Clock }, { caller, confirmationId, approved, answer, requestId }: UnexecutedDecision): AuditRecord {
    const decision = answer.status === 'cancelled' ? 'denied' : answer.status === 'error' ? 'refused' : 'approved';
    const request = { server: 'gateway', tool: 'confirm', surface: 'rest', requestId, caller } as const;
    const call = { runtime, request, tool: undefined, started: performance.now() };
    const record = recordOf(call, { input: { approved }, decision, code: answer.code ?? null, rows: 0 });
    return { ...record, confirmationId: confirmationId.slice(0, 64) };
  },

  /** A call whose input was not read: malformed, too large, too slow or of another media type. */
  unread(call: Omit<Recorded, 'request'> & { readonly request: RefusedCall }, code: string): AuditRecord {
    const { body, confirmationId } = call.request;
    return {
      ...recordOf(call, { input: {}, decision: 'refused', code, rows: 0 }),
      // The size and the digest of the body need no redaction.
      input: JSON.stringify(body),
      ...(confirmationId !== undefined && { confirmationId: confirmationId.slice(0, 64) }),
    };
  },

  /** A call of the assistant's model that the assistant refused. */
  refusedByAssistant: (call: Recorded, code: string): AuditRecord =>
    recordOf(call, { input: call.request.input, decision: 'refused', code, rows: 0 }),

  /** A refused call of a contract. Its input is not recorded, because it can contain what the calling domain masks. */
  refusedContract(
    { runtime, provision, call: { call, person = systemPerson(), requestId }, started }: RefusedContract,
    code: string,
  ): AuditRecord {
    const tool = `${provision.name}.${call}`;
    const request = {
      server: provision.domain.name,
      tool,
      surface: 'internal',
      requestId,
      caller: { origin: 'contract', person },
    } as const;
    return recordOf({ runtime, request, tool: undefined, started }, { input: {}, decision: 'refused', code, rows: 0 });
  },

  /** Requests without a valid sign-in, in the last second. */
  unauthenticated(clock: Clock, counts: readonly FailedSignIns[]): AuditRecord {
    const only = (names: readonly string[]) => (new Set(names).size === 1 ? (names[0] ?? '') : 'several');
    return {
      at: clock.now().toISOString(),
      principal: '',
      username: '',
      origin: '',
      surface: only(counts.map(({ surface }) => surface)),
      server: only(counts.map(({ server }) => server)),
      tool: '',
      requestId: '',
      decision: 'refused',
      code: 'UNAUTHENTICATED',
      ms: 0,
      rows: 0,
      input: JSON.stringify({ calls: counts.reduce((sum, { times }) => sum + times, 0), by: counts }),
    };
  },

  /** The number of rate-limited calls of one person without their own records. `last` is the record of the last one. */
  rateLimited: (clock: Clock, last: AuditRecord, calls: number): AuditRecord => ({
    ...last,
    at: clock.now().toISOString(),
    server: 'several',
    tool: '',
    requestId: '',
    ms: 0,
    input: JSON.stringify({ calls }),
  }),

  /** The record of a write that did not happen, made from its prepared record. */
  notWritten: (record: AuditRecord): AuditRecord => ({ ...record, decision: 'failed', code: 'NOT_WRITTEN', rows: 0 }),
};

/** The entry of a call for metrics and the log. */
export function completedCall({ request: { server, surface, requestId }, tool, started }: Completing, answer: Answer): CompletedCall {
  const [decision, code] = decisionOf(answer);
  return { server, tool, surface, requestId, decision, code, rows: rowsOf(tool, answer), ms: performance.now() - started };
}
type Completing = Pick<Call, 'tool' | 'started'> & { readonly request: Pick<CallRequest, 'server' | 'surface' | 'requestId'> };

interface RecordedRequest {
  readonly server: string;
  readonly tool: string;
  readonly surface: Surface;
  readonly requestId: string;
  readonly caller: Pick<Caller, 'origin' | 'person'>;
}
interface Outcome {
  readonly input: unknown;
  readonly decision: Decision;
  readonly code: string | null;
  readonly rows: number;
}
/** The order of the keys must not change, because it is part of the stored text. */
const recordOf = (
  { runtime, request, tool, started }: Omit<Recorded, 'request'> & { readonly request: RecordedRequest },
  { input, decision, code, rows }: Outcome,
): AuditRecord => ({
  at: runtime.clock.now().toISOString(),
  principal: request.caller.person.principal,
  username: request.caller.person.username,
  surface: request.surface,
  origin: request.caller.origin,
  server: tool?.domain.name ?? request.server.slice(0, 64),
  tool: tool?.name ?? request.tool.slice(0, 64),
  decision,
  code,
  ms: Math.round((performance.now() - started) * 100) / 100,
  rows,
  requestId: request.requestId,
  input: redact(input, sensitiveInputs(tool)),
});

/** The part of a record by which a history finds and shows the change. */
function effectOn(
  { tool, runtime: { registry } }: Pick<RecordedWrite, 'tool' | 'runtime'>,
  { record, changes, touched, reason, confidential }: RecordedEffect,
): Pick<AuditRecord, 'records' | 'changes' | 'touched' | 'reason' | 'confidential'> {
  const short = reason === null ? undefined : (JSON.parse(redact({ reason }, sensitiveInputs(tool))) as Details)['reason'];
  return {
    records: [...new Set([...(record === undefined ? [] : [record]), ...touched.map((each) => each.record)])],
    changes: auditedChanges(registry, tool, changes),
    ...(touched.length > 0 && {
      touched: touched.map((each) => ({ record: each.record, changes: auditedChanges(registry, tool, each.changes) })),
    }),
    ...(typeof short === 'string' && { reason: short }),
    ...(confidential !== undefined && { confidential }),
  };
}

/** Lists every changed field. Omits the values of fields that a tool of the domain masks, and redacts sensitive inputs. */
function auditedChanges(registry: Registry, tool: Tool, changes: readonly CardChange[]): Details[] {
  const masked = masksByField(registry, tool.domain.name);
  const secrets = new Set([...sensitiveInputs(tool), ...masked.keys()]);
  const redacted = (field: string, value: unknown): unknown => {
    const clean = JSON.parse(redact({ [field]: value }, secrets)) as Details;
    // `redact` replaces a value that is too long by an object with the truncated value.
    return Object.hasOwn(clean, field) ? clean[field] : clean;
  };
  return changes.map(({ field, from, to }) =>
    field.split('.').some((name) => masked.has(name)) ? { field } : { field, from: redacted(field, from), to: redacted(field, to) },
  );
}

function rowsOf(tool: Tool | undefined, answer: Answer): number {
  if (answer.status !== 'success') return 0;
  const rows = rowsIn(tool, answer.data);
  return Array.isArray(rows) ? rows.length : 1;
}

function rowsIn(tool: Tool | undefined, data: unknown): unknown {
  if (tool?.kind === 'pages') return (data as { readonly items: unknown }).items;
  return tool?.kind === 'analyze' ? (data as { readonly rows: unknown }).rows : data;
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
    fields = new Set((tool.kind === 'analyze' ? tool.lists : [tool]).flatMap(({ input }) => sensitiveFieldNames(input)));
    sensitiveByTool.set(tool, fields);
  }
  return fields;
}

type MasksByField = ReadonlyMap<string, ReadonlySet<string>>;
const maskedByDomain = new WeakMap<Registry, Map<string, MasksByField>>();
/** The names of all fields that some tool of the domain masks, each with its masks. */
export function masksByField(registry: Registry, domain: string): MasksByField {
  const known = maskedByDomain.get(registry) ?? new Map<string, MasksByField>();
  maskedByDomain.set(registry, known);
  let fields = known.get(domain);
  if (!fields) {
    const found = new Map<string, Set<string>>();
    for (const tool of registry.tools.filter((each) => each.domain.name === domain))
      for (const { path, mask } of maskedFields(tool.output)) {
        const name = lastName(path);
        found.set(name, (found.get(name) ?? new Set()).add(mask));
      }
    fields = found;
    known.set(domain, fields);
  }
  return fields;
}
