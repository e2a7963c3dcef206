/** Sample knowledge base articles: those that examples name, then account, security and billing. */
import { type Article, article } from './article.ts';
import { dataArticles } from './articles-data.ts';
import { staffArticles } from './articles-staff.ts';

const own: readonly Article[] = [
  article(
    'account',
    'How to reset your password',
    'password login',
    'Choose a new password yourself, without calling us.',
    'On the sign-in page choose "Forgot your password?" and enter the e-mail address of your account. The link in our mail is ' +
      'valid for 30 minutes and works once.',
    'If no mail arrives, look into the spam folder and ask your administrator whether the account is active. People who sign in ' +
      'through their company (single sign-on) change the password there, not with us.',
  ),
  article(
    'security',
    'Setting up single sign-on (SSO)',
    'sso saml oidc certificate',
    'Let your people sign in with their company account.',
    'Under Settings, Security choose SAML or OpenID Connect and upload the metadata of your identity provider. Copy our audience ' +
      'and reply address into its form.',
    'Test with one person before you switch it on for all. Certificates expire: we write to your lead contact 30 days before, and ' +
      'a second certificate can be added in advance so that nobody is locked out.',
  ),
  article(
    'api',
    'API rate limits',
    'api 429 limits',
    'How many calls you may make, and what happens beyond that.',
    'Each key may make 600 calls a minute and run 20 at once. Beyond that the API answers 429 with a Retry-After ' +
      'header; wait that long, then go on.',
    'Nightly jobs reach the rate limit most often. Read changes instead of everything, use the largest page size, and spread the ' +
      'work over the hour. Business and enterprise plans can ask for higher limits.',
  ),
  article(
    'data_export',
    'Exporting data to CSV',
    'export csv dashboard',
    'Take any table with you as a CSV file.',
    'Open the table or dashboard, set the filters you need and choose Export, CSV. Files of up to 100,000 rows are made at once; ' +
      'larger ones are prepared in the background and a link is sent to you.',
    'If an export times out, narrow the period or leave out columns with long texts. The file is UTF-8 with commas; in a ' +
      'spreadsheet choose Import rather than Open, so that numbers and dates stay what they are.',
  ),
  article(
    'billing',
    'Understanding your invoice',
    'invoice seats',
    'What each line of the monthly invoice means.',
    'The first line is your plan, the second the seats in use on the billing day, the third what was added since the last invoice, ' +
      'by the day. Credits stand at the end.',
    'Billing address, purchase order number and the recipients of the invoice are under Settings, Billing. A change counts from ' +
      'the next invoice; for one that you already have, write to us.',
  ),
  article(
    'integrations',
    'Configuring webhooks',
    'webhook events signature',
    'Get a call from us when something happens, instead of asking again and again.',
    'Under Settings, Integrations choose Add webhook, give the address (https only) and tick the events. We sign each call; ' +
      'compare the signature before you trust the content.',
    'Answer within five seconds and do the work afterwards. A call that fails is repeated for 24 hours at growing intervals. The ' +
      'delivery log shows each attempt, with what your server answered.',
  ),
];

const accountArticles: readonly Article[] = [
  article(
    'account',
    'Changing your e-mail address',
    'e-mail profile',
    'Move your account to another address.',
    'Open your profile, choose Change next to the address, and confirm both the old and the new one. Reports and ' +
      'notifications follow by themselves.',
  ),
  article(
    'account',
    'Inviting colleagues',
    'users invitation',
    'Add people to your organisation.',
    'The lead contact of your organisation invites others by e-mail. An invitation is valid for thirty days and can be sent again.',
    'Whoever is invited chooses a password, or signs in with the company account where single sign-on is set up.',
  ),
  article(
    'account',
    'Who is the lead contact?',
    'lead contact portal',
    'One person of each organisation sees all of its tickets and manages its contacts.',
    'The lead can hand the role to another contact. There is always exactly one lead: with the transfer the former one ' +
      'becomes an ordinary contact.',
  ),
  article(
    'account',
    'Deactivating a user',
    'users seats',
    'What happens to the work of someone who leaves.',
    'A deactivated user cannot sign in and no longer counts as a seat. Dashboards and schedules stay and can be given to somebody else.',
  ),
  article(
    'account',
    'Your account is locked',
    'login locked',
    'Why an account is locked, and how to open it.',
    'After ten wrong passwords an account is locked for fifteen minutes. An administrator can open it earlier under Users.',
  ),
  article(
    'account',
    'Signing in from a new device',
    'login device',
    'Why we ask for a code on a device we do not know.',
    'We send a code to your e-mail address the first time you use a device or browser. Private windows are a new device every time.',
  ),
  article(
    'account',
    'Language, time zone and date format',
    'profile language',
    'Make dates and numbers look the way you are used to.',
    'All three are in your profile. Schedules follow the time zone of whoever receives them, not of whoever made them.',
  ),
  article(
    'account',
    'Notifications and how to have fewer of them',
    'notifications e-mail',
    'Decide which events reach you, and where.',
    'Choose for each kind of event: at once, once a day, or never. Messages about security cannot be switched off.',
  ),
  article(
    'account',
    'Merging two accounts',
    'users merge',
    'Bring two accounts of one person together.',
    'Write to us from the address you want to keep. Tickets, dashboards and schedules are moved; the other address is closed.',
  ),
  article(
    'account',
    'Closing your organisation’s account',
    'cancel close',
    'What to do before you leave, and what we keep.',
    'Export what you need, then let the lead contact ask for the closing. We delete all data after thirty days, except ' +
      'what the law wants us to keep.',
  ),
  article(
    'security',
    'Turning on two-factor authentication',
    'two-factor authenticator',
    'Protect accounts with a code from the phone.',
    'Open your profile, choose Two-factor, scan the picture with an authenticator app and enter the first code. Keep the ' +
      'recovery codes in a safe place.',
  ),
  article(
    'security',
    'Lost your second factor?',
    'two-factor recovery',
    'Get back into your account without the phone.',
    'Use one of your recovery codes. Without them an administrator of your organisation can reset the second ' +
      'factor after checking who you are.',
  ),
  article(
    'security',
    'Roles and what they may do',
    'roles permissions',
    'From viewer to administrator: who can see and change what.',
    'A viewer reads, an editor changes, an administrator manages people and settings. Roles can be limited to departments.',
    'Copying a role copies its rights as well; look at the summary at the end of the form before you save it.',
  ),
  article(
    'security',
    'Sharing a dashboard safely',
    'sharing dashboard',
    'Links, groups, and what people outside can see.',
    'A dashboard that is shared with a group shows each member only the rows that the member may see. A link without sign-in shows ' +
      'what was chosen, and ends on the day you set.',
  ),
  article(
    'security',
    'Reading the audit log',
    'audit log',
    'Find out who did what, and when.',
    'The audit log lists sign-ins, changes of settings, exports and deletions. It can be filtered by person and exported. It is ' +
      'kept for 90 days, on the enterprise plan for seven years.',
  ),
  article(
    'security',
    'Renewing the SSO certificate',
    'sso certificate',
    'Exchange the certificate of your identity provider before it expires.',
    'Add the new certificate as the second one under Settings, Security. Switch your identity provider over, check a ' +
      'sign-in, then remove the old one.',
  ),
  article(
    'security',
    'Provisioning users with SCIM',
    'scim provisioning',
    'Create and remove accounts from your directory.',
    'Make a SCIM token under Settings, Security and enter it with our address in your directory. Groups become ' +
      'roles by the table you fill in.',
  ),
  article(
    'security',
    'Restricting access by network',
    'network ip',
    'Allow sign-ins from your own networks only.',
    'Enter the networks under Settings, Security. Your present address must be among them, so that you cannot lock yourself out.',
  ),
  article(
    'security',
    'Reporting a security problem',
    'security report',
    'How to tell us about a weakness.',
    'Write to security with what you found and how to repeat it. We answer within one working day and tell you when it is solved.',
  ),
  article(
    'security',
    'How we encrypt your data',
    'encryption',
    'Which data is encrypted, where, and with whose keys.',
    'Everything is encrypted on the way and at rest. On the enterprise plan you can bring a key of your own, and withdraw it.',
  ),
  article(
    'billing',
    'Changing the billing address',
    'invoice address',
    'Where invoices go, and what is printed on them.',
    'Settings, Billing, Address. The change counts from the next invoice. For a corrected copy of the last one ' +
      'open a ticket with its number.',
  ),
  article(
    'billing',
    'Paying by card, transfer or direct debit',
    'payment card',
    'The ways to pay, and how long each takes.',
    'Cards are charged on the billing day. A transfer needs the invoice number and takes up to three days to show.',
  ),
  article(
    'billing',
    'A payment failed',
    'payment card declined',
    'What to do when a card is declined.',
    'We try again after one, three and seven days and write to you each time. Nothing is switched off during these days.',
  ),
  article(
    'billing',
    'Adding and removing seats',
    'seats plan',
    'How a change of seats is charged.',
    'Added seats are charged by the day until the next invoice. Removed seats are free from the next billing day on.',
  ),
  article(
    'billing',
    'Changing your plan',
    'plan upgrade',
    'Move up at once, move down at the end of the period.',
    'A larger plan is active as soon as it is confirmed. Before a downgrade we list what would no longer work.',
  ),
  article(
    'billing',
    'VAT numbers and tax exemption',
    'tax vat',
    'Have tax left out where the law allows it.',
    'Enter the number under Settings, Billing; it is checked with the public register. For an exemption upload the certificate.',
  ),
  article(
    'billing',
    'Purchase orders',
    'purchase-order invoice',
    'Put your order number on each invoice.',
    'Enter the number and its last day under Settings, Billing. We remind the recipients of the invoice a month before it ends.',
  ),
  article(
    'billing',
    'Refunds and credit notes',
    'refund credit',
    'When money comes back, and how.',
    'A credit note is set off against the next invoice. If you would rather have the money, say so in the ticket; it takes ten days.',
  ),
  article(
    'billing',
    'Changing the currency',
    'currency',
    'The currency follows the billing country.',
    'It can be changed once a year, at the renewal. Open invoices stay in their currency.',
  ),
  article(
    'billing',
    'Prices for non-profit organisations',
    'discount',
    'Who gets a discount, and how to ask for it.',
    'Registered charities, schools and universities pay half. Send the certificate with your first order.',
  ),
];

export const articles: readonly Article[] = [...own, ...accountArticles, ...dataArticles, ...staffArticles];
