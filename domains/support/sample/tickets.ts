/** Sample tickets: each is computed from its number, with times relative to the time of generation. */
import { at, between, chance, pick } from '../../sample-company/random.ts';
import { numbered } from '../../sales/sample/team.ts';
import type { Agent } from './agents.ts';
import { commentsOf } from './comments.ts';
import type { SupportContact, SupportCustomer } from './customers.ts';
import { type PlantedTicket, planted } from './planted.ts';
import type { Topic } from './topic.ts';
import { slots, topics } from './topics.ts';

export type SampleTicket = Readonly<Record<string, unknown>>;
export interface TicketOptions {
  readonly count: number;
  readonly now: number;
  readonly agents: readonly Agent[];
  readonly customers: readonly SupportCustomer[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** SLA hours, equal to the rules of the support tools. */
const HOURS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  critical: { enterprise: 4, business: 8, startup: 12, free: 24 },
  high: { enterprise: 8, business: 16, startup: 24, free: 48 },
  medium: { enterprise: 24, business: 48, startup: 72, free: 96 },
  low: { enterprise: 96, business: 120, startup: 144, free: 168 },
};
const hoursFor = (priority: string, tier: string): number => HOURS[priority]?.[tier] ?? 72;
const priorities = ['critical', 'high', 'medium', 'low'] as const;

/** The share of open tickets. */
const WAITING = 0.2;
/** Every ninth open ticket is late. */
const LATE = 9;
/** Deadlines are spread over this time, so some are near on each of the next days. */
const AHEAD = 94 * HOUR;
const OLDEST = 660 * DAY;

interface Times {
  readonly priority: string;
  readonly created: number;
  readonly deadline: number;
  readonly resolved?: number;
}

const iso = (time: number) => new Date(Math.floor(time / 1000) * 1000).toISOString();

/** The times of the nth open ticket. */
function waiting(n: number, of: number, tier: string, now: number): Times {
  const late = n % LATE === LATE - 1;
  const left = late ? -between(20, 3000, n, 201) * MINUTE : AHEAD * ((n + 0.5) / of) ** 1.7;
  const possible = priorities.filter((each) => hoursFor(each, tier) * HOUR > left + 10 * MINUTE);
  const priority = late ? pick(['high', 'medium', 'medium', 'low'], n, 202) : pick(possible.length > 0 ? possible : ['low'], n, 203);
  const span = hoursFor(priority, tier) * HOUR;
  // A ticket cannot be created in the future, so its deadline is at most its SLA time away.
  const deadline = now + Math.min(left, span - 10 * MINUTE);
  return { priority, deadline, created: deadline - span };
}

/** The times of the nth solved ticket. Most are recent, the oldest is almost two years old, and one in ten missed its deadline. */
function solved(n: number, of: number, tier: string, now: number): Times {
  const priority = pick(['low', 'low', 'medium', 'medium', 'medium', 'high', 'high', 'critical'], n, 211);
  const span = hoursFor(priority, tier) * HOUR;
  const took = chance(n, 212) < 0.1 ? span * (1.02 + chance(n, 213)) : span * (0.04 + 0.9 * chance(n, 214));
  const resolved = now - 25 * MINUTE - OLDEST * ((n + chance(n, 215)) / of) ** 2.2;
  const created = resolved - took;
  return { priority, created, deadline: created + span, resolved };
}

/** Replaces the words in braces. The values depend on the ticket number. */
const filled = (text: string, n: number) =>
  text.replace(/\{(\w+)\}/g, (_, slot: string) => pick(slots[slot] ?? [slot], n, 300 + Object.keys(slots).indexOf(slot)));

const contexts = [
  'It worked until last week.',
  'We have changed nothing on our side.',
  'It happens for everyone in the team.',
  'Only some of us see it; we could not find out what they have in common.',
  'A restart of the browser did not help.',
  'Yesterday it was fine for some hours, then it came back.',
  'It is the third time this quarter.',
  'We have read the article about it, and it does not mention our case.',
  'A picture of the page is attached.',
  'The times in this ticket are in our local time.',
];
const requests = [
  'Please have a look.',
  'Can you tell us what to do?',
  'We would be glad of a quick answer, since work waits for it.',
  'Is there a way round until it is solved?',
  'Please call us if you need to see it.',
  'Thank you for looking into it.',
  'How long will it take?',
  'There is no hurry, but we would like to know.',
];

export function* ticketsOf(options: TicketOptions): Iterable<SampleTicket> {
  const open = Math.round(options.count * WAITING);
  for (let n = 0; n < options.count; n++) {
    const known = planted[n];
    if (known) yield plantedRow(known, n, options);
    else yield generated(n, open, options);
  }
}

function plantedRow(known: PlantedTicket, n: number, { now, agents, customers }: TicketOptions): SampleTicket {
  const customer = customers.find(({ id }) => id === known.customer) ?? at(customers, 0);
  const contact = customer.people.find(({ id }) => id === known.by) ?? at(customer.people, 0);
  const span = hoursFor(known.priority, customer.tier) * HOUR;
  const created = now - span * known.spent;
  const agent = known.assigned ? at(agents, n) : undefined;
  const times = { priority: known.priority, created, deadline: created + span };
  return row(
    n,
    { ...known, visibility: known.shared ? 'organization' : 'private', notes: null, end: undefined },
    times,
    customer,
    contact,
    agent,
    now,
  );
}

function generated(n: number, open: number, { count, now, agents, customers }: TicketOptions): SampleTicket {
  // The first three customers use the portal and have more tickets.
  const customer = chance(n, 221) < 0.3 ? at(customers, Math.floor(chance(n, 222) * 3)) : pick(customers, n, 223);
  const contact = pick(
    customer.people.filter(({ invited }) => !invited),
    n,
    224,
  );
  const isOpen = n < open;
  const times = isOpen
    ? waiting(n - planted.length, open - planted.length, customer.tier, now)
    : solved(n - open, count - open, customer.tier, now);
  const about: Topic = at(topics, (n * 7 + Math.floor(n / topics.length)) % topics.length);
  const status = isOpen
    ? pick(['open', 'open', 'open', 'in_progress', 'in_progress', 'pending'], n, 225)
    : solvedStatus(n, now - (times.resolved ?? now));
  const agent = status === 'open' && chance(n, 226) < 0.4 ? undefined : pick(agents, n, 227);
  // Subject, problem, finding and resolution have the same index in their lists.
  const which = Math.floor(chance(n, 228) * about.subjects.length);
  const phrase = (list: readonly string[]) => filled(at(list, which % list.length), n);
  const end = isOpen ? undefined : endOf(phrase(about.resolutions), n);
  const text = {
    subject: subjectOf(at(about.subjects, which), n),
    description: [phrase(about.problems), pick(contexts, n, 230), pick(requests, n, 231)].join(' '),
    category: about.category,
    tags: about.tags,
    status,
    visibility: chance(n, 232) < 0.6 ? 'organization' : 'private',
    notes: chance(n, 233) < 0.5 && agent ? phrase(about.notes) : null,
    end,
  };
  return row(n, text, times, customer, contact, agent, now);
}
/** Adds an office or a team to many subjects that have no words in braces. */
const subjectOf = (subject: string, n: number) =>
  filled(subject.includes('{') ? subject : subject + pick([' ({office})', ' ({team} team)', ''], n, 237), n);

interface End {
  readonly resolution: string;
  readonly type: string;
}
function endOf(solution: string, n: number): End {
  const luck = chance(n, 241);
  if (luck < 0.04) return { type: 'duplicate', resolution: 'The same as an earlier ticket of yours; we go on there.' };
  if (luck < 0.07)
    return {
      type: 'cannot_reproduce',
      resolution: 'We could not make it happen again, and neither could you. Please write to us if it comes back.',
    };
  if (luck < 0.09) return { type: 'wont_fix', resolution: 'It works as it is meant to. We have noted your wish to have it otherwise.' };
  return { type: luck < 0.2 ? 'workaround' : 'solved', resolution: solution };
}
const solvedStatus = (n: number, ago: number) => (ago < 6 * DAY && chance(n, 236) < 0.6 ? 'resolved' : 'closed');

interface Text {
  readonly subject: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly status: string;
  readonly visibility: string;
  readonly notes: string | null;
  readonly end: End | undefined;
}

function row(
  n: number,
  text: Text,
  times: Times,
  customer: SupportCustomer,
  contact: SupportContact,
  agent: Agent | undefined,
  now: number,
): SampleTicket {
  const { subject, description, category, tags, status, visibility, notes, end } = text;
  const { priority, created, deadline, resolved } = times;
  const solution =
    resolved === undefined ? undefined : { resolved, minutes: Math.round((resolved - created) / MINUTE), met: resolved <= deadline };
  const comments = commentsOf(n, { created, until: resolved ?? now, contact, agent, resolution: end?.resolution ?? null });
  const last = comments.at(-1)?.created_at ?? iso(created);
  return {
    ticket_id: numbered('0b000000', n + 1),
    subject,
    description,
    status,
    priority,
    category,
    tags,
    customer_id: customer.id,
    customer_name: customer.name,
    customer_email: contact.email,
    contact_id: contact.id,
    contact_name: contact.name,
    tier: customer.tier,
    visibility,
    assigned_to: agent?.id ?? null,
    assigned_to_name: agent?.name ?? null,
    created_at: iso(created),
    updated_at: solution ? iso(solution.resolved) : last,
    sla_deadline: iso(deadline),
    resolved_at: solution ? iso(solution.resolved) : null,
    resolved_by: solution ? (agent?.id ?? null) : null,
    resolved_by_name: solution ? (agent?.name ?? null) : null,
    resolution: end?.resolution ?? null,
    resolution_type: end?.type ?? null,
    resolution_minutes: solution?.minutes ?? null,
    sla_met: solution?.met ?? null,
    customer_notified: solution ? true : null,
    internal_notes: notes,
    comments,
  };
}
