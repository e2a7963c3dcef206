/** Ticket templates. Words in braces are replaced per ticket. No two topics share a subject, so a search finds the intended topic. */
import { topic, type Topic } from './topic.ts';
import { moreTopics } from './topics-more.ts';

/** Values for the words in braces. */
export const slots: Readonly<Record<string, readonly string[]>> = {
  browser: ['Chrome', 'Firefox', 'Safari', 'Edge'],
  report: [
    'Revenue by region',
    'Order backlog',
    'Inventory ageing',
    'Supplier scorecard',
    'Weekly sales',
    'Churn overview',
    'Open receivables',
    'Returns by reason',
  ],
  team: ['warehouse', 'finance', 'procurement', 'marketing', 'logistics', 'customer care', 'planning', 'field service'],
  office: ['Hamburg', 'Chicago', 'Lyon', 'Toronto', 'Leeds', 'Osaka', 'Denver', 'Porto'],
  count: ['12', '18', '25', '40', '60', '85', '120', '200'],
  minutes: ['5', '10', '15', '20', '30', '45'],
  system: ['the ERP', 'our CRM', 'the web shop', 'the data warehouse', 'the ticketing system', 'the payroll system'],
  month: ['January', 'March', 'April', 'June', 'August', 'September', 'October'],
  phone: ['an older Android phone', 'an iPhone', 'a Samsung tablet', 'an iPad'],
  time: ['07:00', '08:30', '10:15', '13:00', '16:45', '22:00'],
  version: ['4.2', '4.3', '4.4', '5.0', '5.1'],
  field: ['the cost centre', 'the delivery date', 'the VAT number', 'the customer number', 'the country code', 'the discount'],
};

export const topics: readonly Topic[] = [
  topic(
    'account',
    'login password',
    [
      'Login fails after password change for the {team} team',
      'Cannot log in with {browser}: "unknown user"',
      'Login problems in the {office} office since {time}',
    ],
    [
      'After the forced password change, people of the {team} team are sent back to the login page without a message.',
      'The login page accepts the password and then shows "unknown user". It happens in {browser} only; another browser works.',
      'Since {time} about {count} people in {office} cannot log in. The page loads, but after the password nothing happens.',
    ],
    ['Sessions of the old password were still cached at the edge.', 'Cookie for the old domain wins over the new one in this browser.'],
    [
      'Cleared the stale sessions of the affected accounts; everyone could log in again.',
      'The old cookie was removed by a new release of the login page. Please reload once.',
    ],
  ),
  topic(
    'account',
    'password reset e-mail',
    ['Password reset e-mail never arrives in {office}', 'Reset link says "expired" right after it was sent'],
    [
      'Several colleagues in {office} asked for a new password and the mail never came, not even in the spam folder.',
      'The reset link is reported as expired although it was opened within {minutes} minutes.',
    ],
    ['Their mail gateway opens links to check them, which uses the link up.', 'Mails were deferred by the recipient’s server.'],
    [
      'The reset page now asks for one more click, so that a mail scanner does not use up the link.',
      'We agreed with your mail team to allow our sender; the waiting mails were delivered.',
    ],
  ),
  topic(
    'account',
    'users invitation seats',
    ['Invited users in {office} cannot accept their invitation', 'Seat count shows {count} users, we have fewer'],
    [
      'New colleagues in {office} press "Accept" in the invitation and get an empty page.',
      'The seat overview counts {count} users. Some of them left months ago and were deactivated.',
    ],
    ['Invitations older than seven days expire silently.', 'Deactivated users were counted until the next billing day.'],
    [
      'Sent the invitations again; they are valid for thirty days now.',
      'Deactivated users no longer count. The overview is right since this morning.',
    ],
  ),
  topic(
    'security',
    'two-factor phone',
    ['Lost phone: second factor must be reset for one user', 'Two-factor codes are refused on {phone}'],
    [
      'A colleague lost the phone with the authenticator and is locked out. We need access restored today.',
      'The six-digit codes from {phone} are refused. The same account works with a code from another device.',
    ],
    ['Identity checked by call-back to the number in the contract.', 'Clock of the device is more than a minute off.'],
    [
      'Removed the second factor after checking the identity; the user enrolled a new phone.',
      'Setting the clock of the device to automatic solved it.',
    ],
  ),
  topic(
    'security',
    'sso saml',
    ['Single sign-on loops back to the start page', 'SAML assertion rejected after moving to a new identity provider'],
    [
      'After choosing the company login people land on the start page again, signed out. It began this week for {count} users.',
      'We moved to a new identity provider. Every login ends with "assertion rejected: audience".',
    ],
    ['Audience in their metadata still names the old tenant.', 'Session cookie too large: the assertion carries 300 groups.'],
    [
      'The audience was corrected in the identity provider; logins work.',
      'Only the groups that matter are sent now, and the loop is gone.',
    ],
  ),
  topic(
    'security',
    'roles permissions',
    ['User sees reports of another department', 'Role "{team} viewer" can edit shared dashboards'],
    [
      'A user of the {team} team can open the report "{report}" although the role does not include it.',
      'The viewer role of the {team} team can move tiles on shared dashboards and save them.',
    ],
    ['Role was copied from an editor role; inherited right was kept.', 'Report was shared by link with the whole company.'],
    [
      'The share by link was withdrawn, and sharing outside a department needs a role now.',
      'Corrected the copied role and checked the others of your tenant.',
    ],
  ),
  topic(
    'security',
    'audit log',
    ['Audit log has no entries for {month}', 'Who deleted the dashboard "{report}"?'],
    [
      'For an internal review we need the audit log of {month}. The page stays empty for the whole month.',
      'The dashboard "{report}" disappeared. We would like to know who deleted it and whether it can come back.',
    ],
    ['Retention of the plan is 90 days; the archive still has it.', 'Deleted by a former admin; still in the bin.'],
    [
      'Exported the month from the archive and sent it over the secure link.',
      'Restored from the bin, and the entry of the audit log was sent to you.',
    ],
  ),
  topic(
    'billing',
    'invoice',
    [
      'Invoice for {month} lists {count} seats too many',
      'Two invoices for {month}',
      'Purchase order number missing on the {month} invoice',
    ],
    [
      'The invoice for {month} charges {count} seats more than we have in use. Please correct it before we pay.',
      'We received two invoices for {month} with different numbers and the same amount.',
      'Our accounting refuses the {month} invoice because our purchase order number is not on it.',
    ],
    ['Seats were added by an import that was rolled back.', 'Second invoice came from a retried billing run.'],
    [
      'A credit note for the difference was sent to your accounting address.',
      'Cancelled the second invoice. Nothing else to do on your side.',
      'Sent the corrected invoice with the purchase order number.',
    ],
  ),
  topic(
    'billing',
    'payment card',
    ['Credit card is declined although it is valid', 'Payment for {month} was taken twice'],
    [
      'Our card is declined on the billing page. The bank says that no request ever reached them.',
      'The payment for {month} shows twice on our card statement.',
    ],
    ['3-D Secure window was blocked by their content filter.', 'One of the two is a reservation and will fall away.'],
    ['The payment went through after the bank’s window was allowed.', 'The second entry was a reservation; it was released by the bank.'],
  ),
  topic(
    'billing',
    'plan upgrade',
    ['Upgrade to the business plan does not show', 'Question about the price for {count} more seats'],
    [
      'We upgraded last week and still see the limits of the old plan.',
      'We plan to add {count} seats for the {team} team next month. What would that cost until the renewal?',
    ],
    ['Plan changed, limits cached.', 'Forwarded to the account manager with the figures.'],
    ['The new limits are active; please sign in once more.', 'The account manager sent an offer with the pro-rated price.'],
  ),
  topic(
    'billing',
    'tax vat',
    ['VAT number is not accepted', 'Invoice in the wrong currency since {month}'],
    [
      'Our VAT number is refused with "format not valid" although the public register finds it.',
      'Since {month} our invoices are in dollars. The contract says euros.',
    ],
    ['Check service of the member state was down.', 'Currency follows the billing country, which was changed by a migration.'],
    ['The number was checked again and accepted.', 'Billing country and currency are corrected; the last invoice was reissued.'],
  ),
  topic(
    'api',
    'api errors',
    ['API answers 500 for orders with umlauts', 'API request with {field} ends in a 400', 'API returns an empty list for {system}'],
    [
      'Creating an order whose name contains an umlaut gives a 500. Without it, the same request works.',
      'As soon as we send {field}, the answer is a 400 without saying which value is wrong.',
      'The list of orders that {system} asks for every {minutes} minutes is empty since {time}. The web page shows the orders.',
    ],
    ['Encoding header was dropped by a proxy.', 'Validation message was swallowed by the gateway.'],
    [
      'Fixed in the release of this week; umlauts are stored as sent.',
      'The answer names the wrong value now. In your case it was the length.',
      'The key had lost its read scope; a new one was issued.',
    ],
  ),
  topic(
    'api',
    'api keys',
    ['Rotate API keys without downtime', 'API key of a former colleague is still in use'],
    [
      'We have to rotate the keys that {system} uses and cannot stop it. How do we do that?',
      'A key that belongs to a former colleague still makes calls every {minutes} minutes. We cannot see from where.',
    ],
    ['Two active keys are possible on this plan.', 'Calls come from their own build server.'],
    [
      'Created a second key, switched over, then withdrew the old one. No call failed.',
      'The calls came from your build server. The key was replaced there and revoked.',
    ],
  ),
  topic(
    'api',
    'pagination',
    ['Paging through orders skips rows', 'Cursor is refused after {minutes} minutes'],
    [
      'When we page through all orders, about {count} are missing. New orders come in while we read.',
      'Our import pauses between the pages. After {minutes} minutes the cursor is refused and we have to start over.',
    ],
    ['They page with offsets and new rows shift the pages.', 'Cursors expired with the session until last release.'],
    ['With the cursor instead of page numbers nothing is skipped; your import was changed.', 'Cursors no longer expire.'],
  ),
  ...moreTopics,
];
