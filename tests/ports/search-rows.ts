/** Sample rows for search stores: tickets, articles and organisations. */
import { field, type SearchCollection } from '../../src/declare/search.ts';
import { filters } from '../../src/declare/filter.ts';

type Audience = 'staff' | 'customer' | 'nobody';

const tickets: SearchCollection<Audience> = {
  key: 'ticket_id',
  fields: {
    subject: field.text(4),
    description: field.text(1),
    internal_notes: field.text(1),
    'comments.body': field.text(1),
    status: field.word,
    priority: field.word,
    organization_id: field.word,
    requester: field.word,
    visibility: field.word,
    agent: field.word,
    tags: field.words,
    'comments.author': field.word,
    created_at: field.time,
    sla_deadline: field.time,
    resolution_minutes: field.number,
    escalated: field.flag,
  },
  rows: {
    staff: 'all',
    // The row of the organisation says who is the lead.
    customer: async (person, look) => {
      const own = filters.where({ organization_id: person.organizationId ?? '' });
      const organisation = await look('organisations', own);
      const contacts = (organisation?.['contacts'] ?? []) as { sub: string; lead: boolean }[];
      if (contacts.some(({ sub, lead }) => sub === person.sub && lead)) return own;
      return filters.all(own, filters.any(filters.where({ requester: person.sub }), filters.where({ visibility: 'organization' })));
    },
    nobody: 'none',
  },
  writers: ['staff', 'customer'],
  hides: { customer: ['internal_notes'] },
  indexes: [['created_at'], ['status', 'created_at'], ['organization_id', 'created_at']],
};

const articles: SearchCollection<Audience> = {
  key: 'article_id',
  fields: { title: field.text(4), content: field.text(1), category: field.word, public: field.flag, updated_at: field.time },
  rows: { staff: 'all', customer: () => filters.where({ public: true }), nobody: 'none' },
  indexes: [['updated_at']],
};

const organisations: SearchCollection<Audience> = {
  key: 'organization_id',
  fields: { name: field.word, tier: field.word, 'contacts.sub': field.word, 'contacts.email': field.word },
  rows: { staff: 'all', customer: (person) => filters.where({ organization_id: person.organizationId ?? '' }), nobody: 'none' },
  writers: ['staff', 'customer'],
};

export const harness = { name: 'desk', collections: { tickets, articles, organisations } };

const SUBJECTS: readonly (readonly [string, string])[] = [
  ['Dashboard export to CSV times out', 'Exporting the sales dashboard as CSV ends with a gateway timeout after two minutes.'],
  ['SSO certificate expired', 'Nobody can sign in through Okta since the SAML certificate ran out last night.'],
  ['API returns 429 during nightly sync', 'Our nightly job is throttled: too many requests although we stay below the documented quota.'],
  ['Invoice shows wrong billing address', 'The invoice for October still names our old office in Boston.'],
  ['Webhook deliveries delayed', 'Events arrive up to forty minutes late since Tuesday.'],
  ['Password reset mail never arrives', 'The link to choose a new password is not delivered, not even to the spam folder.'],
  ['Two-factor codes are refused', 'The authenticator shows six digits and the form says the code is invalid.'],
  ['Printer driver crashes on Windows 11', 'The label printer stops with a blue screen after the update of the driver.'],
  ['Mobile app closes on start', 'On Android 14 the application closes right after the splash screen.'],
  ['Search finds nothing in German', 'Umlauts such as ü and ß are not found by the product search: Größe gives no result.'],
  ['Data import rejects dates', 'Rows with day first, like 31.12.2026, are rejected by the importer.'],
  ['Charged twice for one subscription', 'The credit card statement shows two payments for the same month; please refund one.'],
  ['Cannot invite a colleague', 'The invitation button is greyed out although seats are free.'],
  ['Slow loading of the customer list', 'Opening the customer list takes more than thirty seconds in the morning.'],
  ['Attachment upload fails', 'Files larger than ten megabytes stop at ninety percent.'],
  ['Time zone is wrong in reports', 'All scheduled reports are shifted by seven hours.'],
  ['Delete my account and all data', 'Under the privacy law we ask for erasure of everything you keep on us.'],
  ['Integration with Slack disconnected', 'The Slack connector asks for authorisation every morning.'],
  ['Email notifications arrive in duplicate', 'Each notification comes twice, seconds apart.'],
  ['Dark mode is unreadable', 'Grey text on a black background in the settings page.'],
  ['License key not accepted', 'The activation form calls our license key unknown.'],
  ['Backup restore stuck at 0%', "Restoring yesterday's backup does not move at all."],
  ['Permission denied for administrators', 'Since the upgrade our administrators get "permission denied" on the audit page.'],
  ['Calendar shows meetings on the wrong day', 'All-day meetings jump one day back when the browser is in Honolulu.'],
  ['VPN gateway drops connections', 'The tunnel is cut every ten minutes for remote workers.'],
  ['Exchange rate of the yen is out of date', 'Amounts in JPY are converted with a rate of last year.'],
  ['Keyboard shortcuts stopped working', 'Pressing G then T no longer opens the tickets.'],
  ['Translation of the French invoice', 'The French invoice says "facture" twice and misses the VAT number.'],
  ['Refund for unused seats', 'We cancelled five seats in June and were still billed.'],
  ['Chart colours cannot be told apart', 'Two series of the pipeline chart have the same blue.'],
];

export const ARTICLES: readonly (readonly [string, string, string])[] = [
  ['How to reset your password', 'Open the sign-in page, choose "Forgot password" and follow the link in the mail.', 'account'],
  ['Setting up single sign-on with SAML', 'Upload the certificate of your identity provider and map the attributes.', 'security'],
  ['Understanding API rate limits', 'Every key may send 600 requests a minute; beyond that the answer is 429.', 'api'],
  ['Exporting dashboards', 'Exports of more than a million rows run in the background and are mailed to you.', 'reporting'],
  ['Retrying webhooks', 'Deliveries are tried again for 24 hours with growing pauses.', 'api'],
  ['Changing the billing address', 'The lead contact edits the address under Settings, Billing.', 'billing'],
  ['Enabling two-factor authentication', 'Scan the code with an authenticator application and keep the recovery codes.', 'security'],
  ['Importing data from a spreadsheet', 'Dates are read as year, month, day; choose another format before you import.', 'data'],
];

const TIMES = { newest: Date.parse('2026-11-16T08:00:00Z') };
const id = (prefix: string, n: number) => `${prefix}-${String(n).padStart(4, '0')}`;

export const ORGANISATIONS = [
  {
    organization_id: 'acme',
    name: 'Acme Corporation',
    tier: 'gold',
    contacts: [
      { sub: 'jane', email: 'Jane.Smith@acme.example', lead: true },
      { sub: 'bob', email: 'bob@acme.example', lead: false },
    ],
  },
  {
    organization_id: 'globex',
    name: 'Globex',
    tier: 'silver',
    contacts: [
      { sub: 'mike', email: 'mike@globex.example', lead: true },
      { sub: 'sara', email: 'sara@globex.example', lead: false },
    ],
  },
  { organization_id: 'initech', name: 'Initech', tier: 'gold', contacts: [{ sub: 'peter', email: 'peter@initech.example', lead: true }] },
];

export type Ticket = Record<string, unknown> & { ticket_id: string; created_at: string };
/** `count` tickets, newest first. The first thirty have the subjects that SEARCHES looks for. */
export function ticketRows(count = 120): Ticket[] {
  return Array.from({ length: count }, (_, i) => {
    const planted = SUBJECTS[i];
    const organisation = ORGANISATIONS[i % 3];
    return {
      ticket_id: id('t', i),
      subject: planted?.[0] ?? `Routine check number ${i}`,
      description: planted?.[1] ?? 'Nothing in particular to report this week.',
      internal_notes: i % 2 === 0 ? 'Escalate to the zebra squad.' : null,
      status: ['open', 'in_progress', 'resolved', 'closed'][i % 4],
      priority: ['low', 'medium', 'high', 'critical'][i % 4],
      organization_id: organisation?.organization_id,
      requester: organisation?.contacts[i % (organisation.contacts.length || 1)]?.sub,
      visibility: i % 5 === 0 ? 'organization' : 'private',
      agent: `agent-${i % 3}`,
      tags: i % 6 === 0 ? ['vip', 'Renewal'] : i % 6 === 1 ? ['bug'] : [],
      comments: i % 10 === 0 ? [{ author: 'dan', body: 'We are looking into the marmalade.', at: '2026-11-16T07:00:00Z' }] : [],
      // Groups of five tickets share a timestamp, so that a page can end between equal ones.
      created_at: new Date(TIMES.newest - Math.floor(i / 5) * 3_600_000).toISOString(),
      sla_deadline: new Date(TIMES.newest + (i - 40) * 600_000).toISOString(),
      ...(i % 4 >= 2 && { resolution_minutes: 30 + i }),
      escalated: i % 7 === 0,
    };
  });
}
export const articleRows = () =>
  ARTICLES.map(([title, content, category], i) => ({
    article_id: id('a', i),
    title,
    content,
    category,
    public: i % 4 !== 3,
    updated_at: new Date(TIMES.newest - i * 86_400_000).toISOString(),
  }));

/** Queries as people type them, and the expected first result. */
export const SEARCHES: readonly (readonly ['tickets' | 'articles', string, string])[] = [
  ['tickets', 'dashboard export', 'Dashboard export to CSV times out'],
  ['tickets', 'csv timeout', 'Dashboard export to CSV times out'],
  ['tickets', 'exporting dashboards times out', 'Dashboard export to CSV times out'],
  ['tickets', 'dashbord exprot', 'Dashboard export to CSV times out'],
  ['tickets', 'SSO certificate', 'SSO certificate expired'],
  ['tickets', 'sso certificat expired', 'SSO certificate expired'],
  ['tickets', 'okta saml', 'SSO certificate expired'],
  ['tickets', '429 nightly sync', 'API returns 429 during nightly sync'],
  ['tickets', 'api throttled too many requests', 'API returns 429 during nightly sync'],
  ['tickets', 'wrong billing address', 'Invoice shows wrong billing address'],
  ['tickets', 'invoices with the wrong adress', 'Invoice shows wrong billing address'],
  ['tickets', 'webhook delay', 'Webhook deliveries delayed'],
  ['tickets', 'webhooks are delayed', 'Webhook deliveries delayed'],
  ['tickets', 'webhok', 'Webhook deliveries delayed'],
  ['tickets', 'I did not get the password reset email', 'Password reset mail never arrives'],
  ['tickets', 'pasword reset', 'Password reset mail never arrives'],
  ['tickets', 'two-factor code invalid', 'Two-factor codes are refused'],
  ['tickets', 'printer crash windows', 'Printer driver crashes on Windows 11'],
  ['tickets', 'printr drivr', 'Printer driver crashes on Windows 11'],
  ['tickets', 'app crashes on android', 'Mobile app closes on start'],
  ['tickets', 'größe', 'Search finds nothing in German'],
  ['tickets', 'german umlauts', 'Search finds nothing in German'],
  ['tickets', 'import dates rejected', 'Data import rejects dates'],
  ['tickets', 'charged twice', 'Charged twice for one subscription'],
  ['tickets', 'subscription charged double credit card', 'Charged twice for one subscription'],
  ['tickets', 'invite colleague', 'Cannot invite a colleague'],
  ['tickets', 'customer list slow', 'Slow loading of the customer list'],
  ['tickets', 'attachment upload', 'Attachment upload fails'],
  ['tickets', 'atachment uplaod fails', 'Attachment upload fails'],
  ['tickets', 'timezone reports', 'Time zone is wrong in reports'],
  ['tickets', 'scheduled reports shifted', 'Time zone is wrong in reports'],
  ['tickets', 'delete account privacy', 'Delete my account and all data'],
  ['tickets', 'slack integration', 'Integration with Slack disconnected'],
  ['tickets', 'duplicate notifications', 'Email notifications arrive in duplicate'],
  ['tickets', 'dark mode', 'Dark mode is unreadable'],
  ['tickets', 'license key', 'License key not accepted'],
  ['tickets', 'restore backup stuck', 'Backup restore stuck at 0%'],
  ['tickets', 'permission denied admin', 'Permission denied for administrators'],
  ['tickets', 'meetings wrong day', 'Calendar shows meetings on the wrong day'],
  ['tickets', 'vpn connection dropped', 'VPN gateway drops connections'],
  ['tickets', 'yen exchange rate', 'Exchange rate of the yen is out of date'],
  ['tickets', 'keyboard shortcut', 'Keyboard shortcuts stopped working'],
  ['tickets', 'french translation', 'Translation of the French invoice'],
  ['tickets', 'refund seats', 'Refund for unused seats'],
  ['articles', 'reset password', 'How to reset your password'],
  ['articles', 'how do I reset my pasword?', 'How to reset your password'],
  ['articles', 'single sign on saml setup', 'Setting up single sign-on with SAML'],
  ['articles', 'rate limit 429', 'Understanding API rate limits'],
  ['articles', 'webhook retry', 'Retrying webhooks'],
  ['articles', 'change billing address', 'Changing the billing address'],
  ['articles', 'enable 2fa authenticator', 'Enabling two-factor authentication'],
  ['articles', 'spreadsheet import', 'Importing data from a spreadsheet'],
];
