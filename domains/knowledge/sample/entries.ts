/** Sample entries and triples of the knowledge base. */
export interface SampleEntry {
  readonly by: string;
  readonly topic: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly confidence: number;
  readonly source?: string;
  readonly actor?: string;
  /** Days from today on which its validity begins or ends. */
  readonly from?: number;
  readonly to?: number;
}

const said =
  (by: string) =>
  (topic: string, content: string, tags: readonly string[], confidence: number, more: Partial<SampleEntry> = {}): SampleEntry => ({
    by,
    topic,
    content,
    tags,
    confidence,
    ...more,
  });
const nina = said('nina.patel');
const marcus = said('marcus.johnson');
const sarah = said('sarah.kim');
const alice = said('alice.chen');
const bob = said('bob.martinez');
const carol = said('carol.johnson');
const dan = said('dan.williams');
const paula = said('paula.reyes');
const eve = said('eve.thompson');

/** Ids follow the order: the first is e-1. */
export const entries: readonly SampleEntry[] = [
  nina('deployment', 'Use blue-green deploys for zero-downtime releases.', ['release', 'operations'], 0.92, { source: 'release review' }),
  nina('deployment rollback', 'Rollback within 5 min if error rate exceeds 1%.', ['release', 'operations'], 0.85),
  alice(
    'onboarding',
    'New colleagues get their laptop, badge and accounts on the first morning; a buddy shows them around for two weeks.',
    ['people', 'first day'],
    0.95,
    { source: 'people handbook' },
  ),
  nina(
    'incident response',
    'Declare an incident in the incidents channel, name one commander, and write an update every 30 minutes until it is over.',
    ['operations', 'outage'],
    0.9,
  ),
  nina(
    'on-call',
    'The rotation changes every Monday at 10:00. Whoever carries the pager answers within 15 minutes.',
    ['operations', 'pager'],
    0.9,
  ),
  dan(
    'vpn access',
    'Install the VPN client from the software portal and sign in with your company account; ask the helpdesk to ' +
      'be added to the remote group.',
    ['remote work', 'network', 'security'],
    0.93,
  ),
  alice('badge printing', 'Badges are printed at reception on Tuesdays and Thursdays; bring a photo.', ['office', 'first day'], 0.8),
  dan(
    'printer setup',
    'Add the printer on each floor by its name, such as PRN-2F; colour needs the department code.',
    ['office', 'helpdesk'],
    0.88,
  ),
  marcus(
    'billing-service',
    'Creates invoices from subscriptions every night at 02:00 and retries failed charges three times.',
    ['service', 'payments'],
    0.9,
  ),
  marcus(
    'payments-db',
    'Database cluster with two replicas. Failover takes about 40 seconds; connections must be retried.',
    ['database', 'payments'],
    0.94,
  ),
  sarah('search-service', 'Indexes tickets and articles; a full rebuild of the index takes three hours.', ['service', 'search'], 0.9),
  sarah(
    'session-cache',
    'Sessions and rate limits live here. Losing it signs everybody out, nothing else.',
    ['cache', 'infrastructure'],
    0.86,
  ),
  sarah(
    'mail-service',
    'Sends all e-mail through the relay in Frankfurt; messages that bounce are kept for a week.',
    ['service', 'email'],
    0.87,
  ),
  marcus(
    'database backups',
    'Full backup every night, write-ahead log every five minutes. A restore is rehearsed on the first Friday of each quarter.',
    ['database', 'disaster recovery'],
    0.96,
  ),
  marcus(
    'staging environment',
    'Staging is rebuilt from main every hour and holds anonymised copies of production data.',
    ['release', 'testing'],
    0.9,
  ),
  sarah('feature flags', 'Every risky change goes out behind a flag; flags older than 90 days are removed.', ['release', 'practice'], 0.82),
  nina(
    'code review',
    'Two approvals for anything that touches payments or sign-in, one for everything else. Reviews are answered within a working day.',
    ['practice', 'engineering'],
    0.9,
  ),
  nina(
    'release calendar',
    'Releases go out Monday to Thursday before 15:00. There are none in the last week of December.',
    ['release', 'schedule'],
    0.93,
  ),
  sarah(
    'flaky tests',
    'A test that fails without reason is quarantined the same day and repaired within a week.',
    ['testing', 'practice'],
    0.78,
  ),
  marcus(
    'logging',
    'Logs are JSON lines with a request id. Personal data never goes into a log.',
    ['operations', 'privacy', 'security'],
    0.91,
  ),
  marcus(
    'monitoring dashboards',
    'Latency, errors and saturation of each service are on the wall dashboard; alerts fire on burn rate, not on single spikes.',
    ['operations', 'alerting'],
    0.88,
  ),
  sarah(
    'kubernetes upgrade',
    'Clusters are upgraded one minor version at a time, the staging cluster a week before production.',
    ['infrastructure', 'operations'],
    0.84,
  ),
  nina(
    'architecture decisions',
    'Anything hard to reverse is written down as a short decision record before it is built.',
    ['practice', 'engineering'],
    0.89,
  ),
  dan(
    'password policy',
    'Use the password manager; passphrases of at least 16 characters, and a second factor everywhere.',
    ['security', 'accounts'],
    0.97,
    { source: 'security handbook' },
  ),
  dan('phishing', 'Forward suspicious mails to the security mailbox and do not click on anything in them.', ['security', 'email'], 0.95),
  dan(
    'lost laptop',
    'Call the helpdesk at once, day or night: they lock and wipe the device remotely. Then tell your manager.',
    ['security', 'helpdesk', 'device'],
    0.94,
  ),
  dan('helpdesk hours', 'Weekdays from 7:00 to 19:00; outside of that only for outages and stolen devices.', ['helpdesk', 'schedule'], 0.9),
  dan(
    'guest wifi',
    'Visitors use the network Guest; reception hands out a code that is good for one day.',
    ['office', 'network', 'visitors'],
    0.9,
  ),
  dan(
    'software requests',
    'Ask for licences in the software portal. Anything above 500 dollars a year needs the approval of your manager.',
    ['helpdesk', 'purchasing'],
    0.86,
  ),
  alice(
    'holiday requests',
    'Ask for time off two weeks ahead; your manager answers within three working days.',
    ['people', 'time off'],
    0.92,
  ),
  alice(
    'parental leave',
    'Sixteen weeks at full pay for every parent, to be taken within the first year.',
    ['people', 'time off', 'benefits'],
    0.96,
    { source: 'people handbook' },
  ),
  alice('sick leave', 'Tell your manager before nine; a doctor’s note is needed from the fourth day.', ['people', 'time off'], 0.93),
  alice(
    'performance reviews',
    'Twice a year, in May and November: a self-assessment, feedback of three peers, then a talk.',
    ['people', 'schedule'],
    0.9,
  ),
  alice(
    'interview process',
    'A call, a work sample, a conversation with the team. Candidates hear from us within five days.',
    ['people', 'hiring'],
    0.88,
  ),
  alice(
    'referral bonus',
    'Whoever recommends someone who is hired and stays six months gets 2,000 dollars.',
    ['people', 'hiring', 'benefits'],
    0.9,
  ),
  alice(
    'training budget',
    'Each of us has 1,500 dollars a year for courses, books and conferences.',
    ['people', 'benefits', 'learning'],
    0.94,
  ),
  alice(
    'remote work',
    'Up to three days a week from home; more needs a talk with your manager. Working abroad at most 20 days a year.',
    ['people', 'remote work'],
    0.9,
  ),
  alice(
    'leaving the company',
    'On the last day accounts are closed at 17:00; hand in laptop and badge at reception.',
    ['people', 'offboarding'],
    0.89,
  ),
  bob(
    'expense claims',
    'Hand in receipts by the fifth of the following month; meals on trips up to 45 dollars a day.',
    ['finance', 'travel'],
    0.95,
    { source: 'finance handbook' },
  ),
  bob(
    'business travel',
    'Book through the travel desk. Trains under four hours, economy class on flights under six.',
    ['finance', 'travel'],
    0.91,
  ),
  bob('company credit cards', 'Cards are for team leads; each charge needs its receipt within ten days.', ['finance', 'purchasing'], 0.87),
  bob(
    'purchase orders',
    'Anything above 1,000 dollars needs a purchase order before the supplier is told to begin.',
    ['finance', 'purchasing'],
    0.93,
  ),
  bob('month-end close', 'Books close on the third working day; accruals are due on the first.', ['finance', 'schedule'], 0.94),
  bob(
    'budget planning',
    'Departments send their plans for the next year by the end of October; the board decides in December.',
    ['finance', 'schedule'],
    0.9,
  ),
  bob(
    'invoice approval',
    'Invoices are approved by the head of the department that ordered and paid by someone else.',
    ['finance', 'payments'],
    0.95,
  ),
  paula(
    'payday',
    'Salaries are paid on the last working day of the month; changes of bank details count if they come by the fifteenth.',
    ['payroll', 'schedule'],
    0.97,
  ),
  paula('overtime', 'Overtime is agreed beforehand and paid or given back as time off within three months.', ['payroll', 'time off'], 0.88),
  paula('payslips', 'Payslips are in the employee portal from the 28th; corrections come with the next one.', ['payroll'], 0.92),
  carol(
    'discounts',
    'Up to 10 percent at your own discretion, up to 20 with your lead, beyond that the VP of Sales decides.',
    ['sales', 'pricing'],
    0.93,
  ),
  carol(
    'sales handover',
    'Customer success joins the last call before signing; notes go into the account plan the same day.',
    ['sales', 'customers'],
    0.84,
  ),
  carol(
    'quarter forecast',
    'Forecasts are updated every Friday at noon; commit means that you would bet on it.',
    ['sales', 'schedule'],
    0.86,
  ),
  carol('trade fairs', 'We exhibit twice a year. Leads are entered within two days, or they are lost.', ['sales', 'marketing'], 0.75),
  dan(
    'ticket priorities',
    'Critical means that a customer cannot work: first answer within an hour. High: four hours. Everything else: one working day.',
    ['support', 'customers'],
    0.95,
  ),
  dan(
    'escalation',
    'If a critical ticket has no plan after two hours, call the engineer on duty and tell the account manager.',
    ['support', 'customers', 'outage'],
    0.9,
  ),
  dan(
    'customer communication',
    'Say what happened, what we do, and when the next news comes. Never guess a cause.',
    ['support', 'outage', 'writing'],
    0.88,
  ),
  eve('company values', 'Be kind, be exact, finish what you begin.', ['company'], 0.99),
  eve('all-hands meeting', 'First Thursday of the month at 16:00, recorded for those who cannot come.', ['company', 'schedule'], 0.95),
  eve(
    'press enquiries',
    'Journalists are sent to the communications team; nobody else speaks for the company.',
    ['company', 'communication'],
    0.97,
  ),
  sarah('office move', 'During the move desks on the third floor are not to be used; take a place on the first.', ['office'], 0.7, {
    from: -200,
    to: -100,
  }),
  marcus(
    'data retention',
    'Customer data is erased 30 days after a contract ends; backups follow 60 days later.',
    ['privacy', 'database', 'customers'],
    0.94,
    { actor: 'privacy working group' },
  ),
];

/** Subject, predicate, object and author. The first is t-61. */
export const triples: readonly (readonly [string, string, string, string])[] = [
  ['billing-service', 'depends_on', 'payments-db', 'marcus.johnson'],
  ['search-service', 'owned_by', 'Search team', 'sarah.kim'],
  ['billing-service', 'depends_on', 'mail-service', 'marcus.johnson'],
  ['search-service', 'depends_on', 'session-cache', 'sarah.kim'],
  ['checkout', 'depends_on', 'billing-service', 'marcus.johnson'],
  ['checkout', 'depends_on', 'session-cache', 'marcus.johnson'],
  ['billing-service', 'owned_by', 'Payments team', 'nina.patel'],
  ['mail-service', 'owned_by', 'Platform team', 'nina.patel'],
  ['session-cache', 'owned_by', 'Platform team', 'nina.patel'],
  ['payments-db', 'owned_by', 'Payments team', 'nina.patel'],
  ['payments-db', 'protected_by', 'database backups', 'marcus.johnson'],
  ['disaster recovery', 'described_in', 'database backups', 'marcus.johnson'],
  ['outage', 'handled_by', 'incident response', 'nina.patel'],
  ['incident response', 'begins_with', 'on-call', 'nina.patel'],
  ['incident response', 'informs_by', 'customer communication', 'dan.williams'],
  ['canary release', 'replaced_by', 'feature flags', 'sarah.kim'],
  ['bad release', 'repaired_by', 'deployment rollback', 'nina.patel'],
  ['deployment', 'planned_in', 'release calendar', 'nina.patel'],
  ['home office', 'described_in', 'remote work', 'alice.chen'],
  ['remote work', 'requires', 'vpn access', 'dan.williams'],
  ['new hire', 'described_in', 'onboarding', 'alice.chen'],
  ['onboarding', 'includes', 'badge printing', 'alice.chen'],
  ['resignation', 'described_in', 'leaving the company', 'alice.chen'],
  ['maternity', 'covered_by', 'parental leave', 'alice.chen'],
  ['vacation', 'described_in', 'holiday requests', 'alice.chen'],
  ['hotel costs', 'covered_by', 'expense claims', 'bob.martinez'],
  ['supplier', 'paid_by', 'invoice approval', 'bob.martinez'],
  ['GDPR', 'implemented_by', 'data retention', 'marcus.johnson'],
  ['hacked account', 'reported_as', 'phishing', 'dan.williams'],
  ['salary', 'paid_on', 'payday', 'paula.reyes'],
];
