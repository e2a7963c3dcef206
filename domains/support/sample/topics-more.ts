/** More ticket templates. */
import { topic, type Topic } from './topic.ts';

export const moreTopics: readonly Topic[] = [
  topic(
    'integrations',
    'webhook signature',
    ['Webhook signature does not match', 'Webhooks arrive twice for {system}'],
    [
      'Since we put a proxy in front of {system}, the signature of every webhook is wrong.',
      'About one in {count} webhooks arrives a second time some minutes later, with the same id.',
    ],
    ['Proxy re-formats the JSON body.', 'Receiver answers after the time limit, so it is sent again.'],
    [
      'The proxy passes the body unchanged now and the signatures match.',
      'The receiver answers first and works afterwards; nothing is sent twice any more.',
    ],
  ),
  topic(
    'integrations',
    'sync orders',
    [
      'Order sync with {system} stopped at {time}',
      'Orders from {system} arrive without {field}',
      'Nightly sync with {system} takes {minutes} minutes longer every day',
    ],
    [
      'The sync with {system} stopped at {time}. The status page says "connected", and nothing comes in.',
      'Orders from {system} arrive, but {field} is empty in all of them.',
      'The nightly sync with {system} takes longer every day and now runs into business hours.',
    ],
    [
      'Credentials expired on their side.',
      'Mapping was reset by the connector update to {version}.',
      'Full sync each night: the change marker is never stored.',
    ],
    [
      'New credentials were entered and the waiting orders came in.',
      'The mapping was restored and the missing values were filled in.',
      'Only changes are read now; last night took four minutes.',
    ],
  ),
  topic(
    'integrations',
    'calendar e-mail',
    ['Calendar integration creates meetings twice', 'Outgoing mails of the platform land in spam'],
    [
      'Every meeting that is planned in the platform appears twice in the calendars of the {team} team.',
      'Mails that the platform sends for us land in the spam folder of our customers since we changed our domain.',
    ],
    ['Two connections for one mailbox.', 'SPF record lacks our sender.'],
    ['Removed the second connection and the doubled meetings.', 'With the new DNS entries the mails are delivered as before.'],
  ),
  topic(
    'integrations',
    'connector upgrade',
    ['Connector {version} cannot be installed', 'Connector shows "offline" in {office}'],
    [
      'The installer of connector {version} stops at the last step and rolls everything back.',
      'The connector in {office} is shown as offline although the service runs.',
    ],
    ['Service account may not log on as a service.', 'Outgoing port closed by a new firewall rule.'],
    [
      'The service account got the missing right and the installation finished.',
      'Your network team opened the port; the connector is online.',
    ],
  ),
  topic(
    'data_export',
    'export excel',
    [
      'Excel export of "{report}" has broken dates',
      'Exported file of "{report}" is empty',
      'Export of "{report}" cuts off after {count} thousand rows',
    ],
    [
      'In the Excel export of "{report}" all dates are numbers. Last month they were dates.',
      'The exported file of "{report}" has a header and no rows, while the page shows them.',
      'The export of "{report}" ends after {count} thousand rows without saying so.',
    ],
    ['Cell format lost with the new writer.', 'Filter of the page is not passed on.', 'Row limit of the old file format.'],
    [
      'Dates are dates again; please export once more.',
      'The export takes the filters of the page now.',
      'Exports of that size are written to several sheets, and a note says so.',
    ],
  ),
  topic(
    'data_export',
    'import upload',
    ['Import of {count} customers stops halfway', 'Upload rejects our file because of {field}'],
    [
      'The import of {count} customers stops in the middle and does not say at which row.',
      'The upload rejects our file with a complaint about {field}. The same file worked in {month}.',
    ],
    ['One row has a line break inside quotes.', 'Stricter check since version {version}.'],
    [
      'The row with the line break was found and the import finished; the message names the row from now on.',
      'The check accepts both spellings again.',
    ],
  ),
  topic(
    'data_export',
    'deletion privacy',
    ['Please delete the personal data of a former customer', 'Retention period for archived orders'],
    [
      'One of our customers asks for the deletion of all personal data. Please tell us how to do it and confirm when it is done.',
      'Our data protection officer asks how long archived orders stay with you and where that can be set.',
    ],
    ['Request checked with the data protection team.', 'Retention is per tenant; default seven years.'],
    [
      'The data was deleted and the protocol was sent to you.',
      'The period was set to five years as you wished; older orders go with the next run.',
    ],
  ),
  topic(
    'reporting',
    'dashboard charts',
    ['Dashboard "{report}" stays empty in {browser}', 'Chart "{report}" shows last month only', 'Dashboard tiles overlap on {phone}'],
    [
      'The dashboard "{report}" stays empty in {browser}. Other dashboards load.',
      'Whatever period we choose, the chart "{report}" shows last month.',
      'On {phone} the tiles of the dashboard lie on top of each other and cannot be opened.',
    ],
    [
      'Content blocker removes the chart library.',
      'Saved filter wins over the chosen period.',
      'Layout of the large screen is stored per user.',
    ],
    [
      'An exception in the content blocker solved it.',
      'The saved filter was removed, and the period counts again.',
      'Fixed in version {version} of the layout.',
    ],
  ),
  topic(
    'reporting',
    'scheduled report',
    ['Scheduled report "{report}" was not sent', 'Report "{report}" arrives at {time} instead of the morning'],
    [
      'The scheduled report "{report}" was not sent on Monday. Nobody changed the schedule.',
      'Since the clocks changed, the report "{report}" arrives at {time}. Our {team} team needs it first thing in the morning.',
    ],
    ['Owner of the schedule left the company.', 'Schedule stored in UTC.'],
    ['The schedule belongs to a team account now and was sent again.', 'Schedules follow the time zone of the recipient now.'],
  ),
  topic(
    'reporting',
    'numbers totals',
    ['Totals in "{report}" do not match the export', 'Figures for {month} changed afterwards'],
    [
      'The total in "{report}" is higher than the sum of the exported rows. The difference is the size of one large order.',
      'The figures for {month} that we reported last week are different today.',
    ],
    ['Cancelled orders are in one and not in the other.', 'Late bookings are dated back.'],
    [
      'Both leave out cancelled orders now, and the page says so.',
      'Closed months are frozen from now on; the late bookings appear in the next one.',
    ],
  ),
  topic(
    'performance',
    'slow pages',
    [
      'Pages load slowly in the {office} office',
      'Search takes {minutes} seconds with many filters',
      'Everything is slow every day around {time}',
    ],
    [
      'In {office} every page takes several seconds since last week. Other offices are fine.',
      'A search with more than three filters takes {minutes} seconds or longer.',
      'Every day around {time} the application becomes slow for the {team} team, for about half an hour.',
    ],
    [
      'Traffic is routed around the world by their provider.',
      'Query without a matching index.',
      'Their own nightly export runs at that hour.',
    ],
    [
      'The provider corrected the route; pages load as elsewhere.',
      'A new index makes these searches quick; please try again.',
      'The export was moved to the night.',
    ],
  ),
  topic(
    'performance',
    'outage',
    ['Application not reachable from {office}', 'Error 503 for the {team} team since {time}'],
    [
      'From {office} the application cannot be reached at all. Nobody can work.',
      'The {team} team gets error 503 on every second click since {time}.',
    ],
    ['Part of the incident on the status page.', 'One node was out of memory.'],
    ['The incident is over; the report is on the status page.', 'The faulty node was replaced. We watched it for a day: no more errors.'],
  ),
  topic(
    'performance',
    'mobile app',
    ['Mobile app crashes on {phone} after the update to {version}', 'Mobile app does not sync offline changes'],
    [
      'Since the update to {version} the app closes by itself on {phone} as soon as a list is opened.',
      'Changes that our {team} team makes without a network are lost when the phone is online again.',
    ],
    ['Crash report points to the new list view.', 'Battery saver stops the background work.'],
    ['Version {version}.1 fixes the crash.', 'The app asks for the exception from the battery saver now; nothing was lost since.'],
  ),
  topic(
    'getting_started',
    'training setup',
    ['Best way to start with {count} new users', 'Training material for the {team} team', 'Which role should a team lead have?'],
    [
      'Next month {count} people of the {team} team begin. What is the best way to set them up?',
      'Is there training material that we can give to the {team} team before the start?',
      'We are not sure which role a team lead should have so that reports can be shared, but nothing deleted.',
    ],
    ['Sent the onboarding guide.', 'Offered a session with customer success.'],
    [
      'The import template and the onboarding guide were sent; the users are in.',
      'A training session took place; the recording is in your library.',
      'The role "editor" without "delete" does exactly that.',
    ],
  ),
  topic(
    'getting_started',
    'sandbox test',
    ['Sandbox with a copy of our data', 'Test environment differs from production'],
    [
      'Before the change of {system} we would like to test with a copy of our data. Can we get a sandbox?',
      'In the test environment {field} is shown, in production it is not.',
    ],
    ['Sandbox is part of the enterprise plan only.', 'Feature switch is on in test.'],
    ['A sandbox for four weeks was set up.', 'The switch is on in production as well now.'],
  ),
  topic(
    'other',
    'feature request',
    ['Wish: dark colours for the {report} page', 'Wish: bulk edit of {field}', 'Wish: keyboard shortcut for the search'],
    [
      'Our {team} team works at night and would be glad of dark colours on the {report} page.',
      'We have to change {field} in {count} records. Doing that one by one takes a day.',
      'A keyboard shortcut that jumps to the search would save our {team} team many clicks.',
    ],
    ['Noted for product, linked to the existing wish.', 'Third customer this quarter.'],
    ['Passed on to the product team. You will hear when it is planned.', 'Bulk edit came with version {version}; the guide was sent.'],
  ),
  topic(
    'other',
    'translation wording',
    ['Wrong translation on the {report} page', 'Date format of {office} is not offered'],
    [
      'On the {report} page one button says the opposite of what it does in our language.',
      'Our office in {office} cannot choose its own date format and keeps mixing up day and month.',
    ],
    ['Known to the translation team.', 'Format list comes from the browser.'],
    ['Corrected with this week’s release.', 'The format follows the language of the user now.'],
  ),
];
