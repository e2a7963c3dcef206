/** Sample articles for staff only, drafts and archived ones. */
import { type Article, article, kept } from './article.ts';

const internal = (category: string, title: string, tags: string, summary: string, text: string) =>
  kept('internal', article(category, title, tags, summary, text));

export const staffArticles: readonly Article[] = [
  internal(
    'security',
    'Checking who a caller is',
    'identity playbook',
    'Before a second factor or a lead contact is changed.',
    'Call back on the number in the contract, never on the one in the ticket. Two people agree for enterprise customers.',
  ),
  internal(
    'performance',
    'Playbook: login outage',
    'incident playbook',
    'First ten minutes when nobody can sign in.',
    'Check the identity service, then the certificate, then the edge. Tell the status page before you look for the reason.',
  ),
  internal(
    'integrations',
    'Playbook: webhook backlog',
    'incident webhook playbook',
    'Drain the queue without flooding customers.',
    'Halve the workers per customer first; then let the oldest events go. Never drop an event without the agreement of the customer.',
  ),
  internal(
    'billing',
    'Granting credits',
    'refund playbook',
    'How much an agent may credit without asking.',
    'Up to 200 dollars by the agent, up to 2,000 by the team lead, beyond that by finance. Always name the ticket.',
  ),
  internal(
    'other',
    'Tone and words',
    'writing',
    'How we write to customers.',
    'Say what happened, what we did, what comes next. No blame, no jargon, no promise of a day that is not sure.',
  ),
  internal(
    'other',
    'When to close a ticket',
    'ticket playbook',
    'Solved, work-around, duplicate, cannot reproduce, will not fix.',
    'Close when the customer has confirmed or has been silent for five working days after a solution. The resolution says what was ' +
      'done, in words the customer understands.',
  ),
  internal(
    'performance',
    'Reading the service-level report',
    'sla playbook',
    'What counts as at risk, and who is told.',
    'Less than two hours left is at risk: the owner and the team lead see it on the board. Past the deadline it is breached and stays so.',
  ),
  internal(
    'api',
    'Raising a customer’s rate limit',
    'api limits playbook',
    'Who decides, for how long, and where to enter it.',
    'Up to double for thirty days by any senior engineer. Longer needs a change of plan.',
  ),
  kept(
    'draft',
    article(
      'data_export',
      'Exporting to Parquet',
      'export parquet',
      'Columnar files for your data lake.',
      'Not released yet: the options may still change.',
    ),
  ),
  kept('draft', article('security', 'Passkeys', 'passkey login', 'Sign in without a password.', 'In preparation for the next version.')),
  kept(
    'draft',
    article(
      'reporting',
      'Forecast tiles',
      'dashboard forecast',
      'A look ahead on the dashboard.',
      'Waiting for review by the product team.',
    ),
  ),
  kept(
    'archived',
    article(
      'integrations',
      'The old connector (version 3)',
      'connector',
      'For installations that have not been updated.',
      'Version 3 has not been supported since last year. Install version 5.',
    ),
  ),
  kept(
    'archived',
    article(
      'api',
      'Version 0 of the API',
      'api version',
      'The API as it was before 2023.',
      'Switched off. See "Versions of the API and how long they live".',
    ),
  ),
];
