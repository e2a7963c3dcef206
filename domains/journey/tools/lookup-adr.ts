import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { adrNotFound, findDecision } from '../decisions.ts';
import { journey, staff } from '../domain.ts';
import { adrName } from '../record.ts';
import { decision, storedDecision } from '../schemas.ts';

export const lookupAdr = journey.read({
  name: 'lookup_adr',
  title: 'Architecture decision',
  description:
    'The full text of one architecture decision record (ADR) of this project: the problem, the decision and its consequences. By ' +
    'its number in any spelling: ADR-0004, adr-4, 4.',
  roles: staff,
  input: z.object({ adr_id: line(120).min(1).describe('Its number, such as ADR-0004 or 4, or the name of its record') }),
  output: decision,
  errors: { ADR_NOT_FOUND: adrNotFound },
  examples: [
    { question: 'Show me ADR 3', as: 'nina.patel', input: { adr_id: '3' } },
    { question: 'What does ADR-0004 say?', as: 'marcus.johnson', input: { adr_id: 'ADR-0004' } },
    { question: 'What does architecture decision record 11 say?', as: 'frank.davis', input: { adr_id: '11' } },
    { question: 'Open adr-0001', as: 'eve.thompson', input: { adr_id: 'adr-0001' } },
    { question: 'Show me ADR 9999', as: 'sarah.kim', input: { adr_id: '9999' }, expects: 'ADR_NOT_FOUND' },
    { question: 'Show me ADR 2', as: 'jane.smith@acme.example', input: { adr_id: '2' }, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  async run({ adr_id }, { search, fail }) {
    const { number, ...rest } = (await findDecision(search, storedDecision, adr_id)) ?? fail('ADR_NOT_FOUND', { adr_id });
    return { adr_id: number === null ? null : adrName(number), ...rest };
  },
  summary: ({ adr_id, title }) => (adr_id === null ? title : `${adr_id}: ${title}`),
});
