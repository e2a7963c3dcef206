/** Sample comments on tickets. */
import { between, chance, pick } from '../../sample-company/random.ts';
import { numbered } from '../../sales/sample/team.ts';
import type { Agent } from './agents.ts';
import type { SupportContact } from './customers.ts';

export interface SampleComment {
  readonly comment_id: string;
  readonly author_name: string;
  readonly author_kind: 'customer' | 'staff';
  readonly body: string;
  readonly created_at: string;
}
interface Conversation {
  readonly created: number;
  readonly until: number;
  readonly contact: SupportContact;
  readonly agent: Agent | undefined;
  readonly resolution: string | null;
}

const first = [
  'Thank you for the report. I am looking into it and will come back to you today.',
  'Thank you, I can see the same on our side and have raised it with the team.',
  'I have taken this over. Could you tell me since when it happens, and for whom?',
  'Thanks for the details. I am comparing your settings with ours at the moment.',
];
const answers = [
  'Since Monday, and for everyone with the same role.',
  'It happened again ten minutes ago; the picture shows the time.',
  'We tried it on another computer and it is the same there.',
  'Thank you. We can work around it until tomorrow, but not longer.',
];

export function commentsOf(n: number, { created, until, contact, agent, resolution }: Conversation): SampleComment[] {
  if (!agent) return [];
  const said: [string, 'customer' | 'staff', string][] = [[agent.name, 'staff', pick(first, n, 251)]];
  if (chance(n, 252) < 0.5) said.push([contact.name, 'customer', pick(answers, n, 253)]);
  if (resolution !== null) said.push([agent.name, 'staff', resolution]);
  if (resolution !== null && chance(n, 254) < 0.4) said.push([contact.name, 'customer', 'It works again. Thank you!']);
  const step = (until - created) / (said.length + 1);
  return said.map(([author_name, author_kind, body], which) => ({
    comment_id: numbered('0b200000', n * 8 + which + 1),
    author_name,
    author_kind,
    body,
    created_at: new Date(Math.floor((created + step * (which + 1) - between(0, 50, n, 255 + which)) / 1000) * 1000).toISOString(),
  }));
}
