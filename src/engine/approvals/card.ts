/** Builds the approval card of a change from its plan. */
import type { CardChange, ConfirmationData } from '../../declare/answer.ts';
import { inWords } from '../../declare/fields.ts';
import type { Person } from '../../declare/people.ts';
import type { Input, Plan, Tool } from '../../declare/tool.ts';

export const messageOf = (tool: Tool, plan: Plan, because: string | undefined) =>
  [
    `${plan.summary}?`,
    ...(tool.effect === 'removes' ? [plan.afterwards ?? 'The record stays for the audit; no tool can bring it back.'] : []),
    ...(because === undefined ? [] : [because]),
    'Nothing has changed yet.',
  ].join(' ');

export interface CardRequest {
  readonly input: Input;
  readonly person: Person;
  /** The part of the card that does not follow from the plan. */
  readonly moment: Pick<ConfirmationData, 'timestamp' | 'expiresAt' | 'approvalUrl' | 'origin' | 'because'>;
}

/** The card has passed through JSON, so that it can be compared with a stored one. */
export function cardOf(tool: Tool, plan: Plan, { input, person, moment }: CardRequest): ConfirmationData {
  const { timestamp, expiresAt, approvalUrl, origin, because } = moment;
  const changes = plan.changes.map(
    ({ field, from, to, label, format }): CardChange => ({ field, label: label ?? inWords(field), from, to, format: format ?? 'text' }),
  );
  const reason = plan.reason ?? (typeof input['reason'] === 'string' ? input['reason'] : null);
  const card: ConfirmationData = {
    action: tool.name,
    mcpServer: tool.domain.name,
    userId: person.employeeId ?? person.sub,
    timestamp,
    expiresAt,
    approvalUrl,
    summary: plan.summary,
    subject: plan.subject,
    changes,
    reason,
    destructive: tool.effect === 'removes',
    origin,
    because,
  };
  return JSON.parse(JSON.stringify(card)) as ConfirmationData;
}
