/** Refuses conditions and figures on fields that the caller may not see. */
import { failure } from '../../declare/errors.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { CallSession } from '../store.ts';

export const isHidden = ({ mask, hiddenFrom }: ListField, { shows, audience }: Pick<CallSession, 'shows' | 'audience'>): boolean =>
  (mask !== undefined && !shows.includes(mask)) || hiddenFrom.includes(audience);

/** Refuses a field that the person may not see on every row. Its condition would tell something about the hidden values. */
export function refuseHidden(fields: readonly ListField[], session: CallSession): void {
  const hidden = fields.find((field) => isHidden(field, session));
  if (hidden === undefined) return;
  const { name } = hidden;
  throw failure('FIELD_HIDDEN', `You may not see ${name} on every row, so it cannot be used here.`, { field: name });
}
