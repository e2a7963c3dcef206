/** Builds the approval card of a change from its plan. */
import type { CardChange, ConfirmationData } from '../../declare/answer.ts';
import { labelFor } from '../../declare/fields.ts';
import type { Person } from '../../declare/people.ts';
import type { EffectTool, Input, Plan } from '../../declare/tool.ts';

const NOT_RESTORABLE = 'The data stays in the database for audits, but no tool can restore the record.';

export const messageOf = (tool: EffectTool, plan: Plan, because: string | undefined) =>
  [
    `${plan.summary}?`,
    ...(tool.effect === 'removes' ? [plan.afterwards ?? NOT_RESTORABLE] : []),
    ...(because === undefined ? [] : [because]),
    'Nothing has changed yet.',
  ].join(' ');

export interface CardRequest {
  readonly input: Input;
  readonly person: Person;
  /** The fields of the card that do not come from the plan. */
  readonly moment: Pick<ConfirmationData, 'timestamp' | 'expiresAt' | 'approvalUrl' | 'origin' | 'because'>;
}

/** Converts the card to JSON and back, because it is compared with a stored card. */
export function cardOf(tool: EffectTool, plan: Plan, { input, person, moment }: CardRequest): ConfirmationData {
  const { timestamp, expiresAt, approvalUrl, origin, because } = moment;
  const changes = plan.changes.map(
    ({ field, from, to, label, format = 'text' }): CardChange => ({
      field,
      label: label ?? labelFor(field),
      from,
      to,
      format,
      ...(format === 'money' && { currency: tool.company.currency }),
    }),
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
