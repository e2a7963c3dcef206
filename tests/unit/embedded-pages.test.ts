/** HTML of the approval, start and sign-in pages: the states of a card, escaping of hostile values, formats and the CSP. */
import { describe, expect, test } from 'vitest';
import type { CardChange, ConfirmationData } from '../../src/declare/answer.ts';
import { approvePage, cardDigest, notYoursPage, pageHeaders } from '../../src/gateway/pages/approve.ts';
import { difference, formatValue, timeLeft } from '../../src/gateway/pages/format.ts';
import { approvalsPage, homePage } from '../../src/gateway/pages/home.ts';
import type { ConfirmationState } from '../../src/gateway/pages/state.ts';
import { openWebBuild } from '../../src/identity/web/build.ts';
import { bdi, hasUnseen, html, initials, mixesAlphabets, seen } from '../../src/identity/web/html.ts';
import { createSealer } from '../../src/identity/web/seal.ts';
import { WEB_BUILD } from '../services/built.ts';

const now = new Date('2026-11-16T10:42:00.000Z');
const frame = { build: openWebBuild(WEB_BUILD) };
const SALARY: CardChange = { field: 'salary', label: 'Salary', from: 112000, to: 120000, format: 'money', currency: 'USD' };

const data = (part: Partial<ConfirmationData> = {}): ConfirmationData => ({
  action: 'update_salary',
  mcpServer: 'hr',
  userId: 'u',
  timestamp: now.getTime(),
  expiresAt: '2026-11-16T10:46:12.000Z',
  approvalUrl: '',
  summary: 'Change Sarah Kim’s salary.',
  subject: { label: 'Sarah Kim', id: '0e000000-0000-4000-8000-000000000008' },
  changes: [SALARY],
  reason: 'Promotion',
  destructive: false,
  origin: 'Claude Desktop',
  ...part,
});
const state = (part: Partial<ConfirmationState> = {}, card: Partial<ConfirmationData> = {}): ConfirmationState => ({
  state: 'waiting',
  confirmationId: '6f9619ff-8b86-4d01-8b42-00cf4fc964ff',
  message: 'm',
  confirmationData: data(card),
  ...part,
});
const render = (part: Partial<ConfirmationState> = {}, card: Partial<ConfirmationData> = {}) =>
  approvePage(state(part, card), { csrf: 'c5rf', cardToken: 'c4rd', person: 'Alice Chen', now, frame });
/** The visible text of a page, without tags and templates. */
const text = (page: string) =>
  page
    .replace(/<template[\s\S]*?<\/template>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ');
const error = (code: string, message: string, details?: Record<string, unknown>) => ({
  status: 'error' as const,
  code,
  message,
  suggestedAction: 'Do this.',
  retryable: false,
  ...(details && { details }),
});

describe('the states of an approval card', () => {
  test.each<[string, string, string[]]>([
    [
      'waiting',
      render(),
      [
        'Needs your approval',
        'Change Sarah Kim’s salary.',
        'Nothing has changed yet.',
        '4:12',
        '$112,000',
        '$120,000',
        '+$8,000, 7.1%',
        'The server checks these values again when you approve.',
        'Claude Desktop asks on your behalf.',
        'hr.update_salary',
        '0e000000-0000-4000-8000-000000000008',
        'Promotion',
        'Deny',
        'Approve',
      ],
    ],
    [
      'last minute',
      render({}, { expiresAt: '2026-11-16T10:42:38.000Z' }),
      ['38 seconds left. If it runs out, nothing is changed.', '0:38'],
    ],
    [
      'destructive',
      render(
        {},
        {
          destructive: true,
          summary: 'Terminate Frank Davis, Intern.',
          subject: { label: 'Frank Davis', id: 'e9' },
          afterwards: 'It cannot be restored <b>.',
        },
      ),
      [
        'Needs your approval. This removes a record.',
        'Terminate Frank Davis ?',
        'It cannot be restored &lt;b&gt;.',
        'Back',
        'Yes, terminate',
      ],
    ],
    ['executing', render({ state: 'executing' }), ['Approved, running', 'You can close this page. The change runs once.']],
    [
      'done',
      render({ state: 'done', decidedAt: '2026-11-16T10:43:19Z', auditRecord: 'hr #8213', requestId: 'req_1' }),
      ['Done', 'Salary of Sarah Kim is now $120,000 .', 'It was $112,000 .', 'Approved by Alice Chen', 'hr #8213', 'req_1'],
    ],
    [
      'denied',
      render({ state: 'denied', decidedAt: '2026-11-16T10:43:19Z' }),
      ['Denied by you', 'Salary of Sarah Kim stays $112,000 .', 'Nothing was changed.'],
    ],
    [
      'expired',
      render({ state: 'expired' }),
      ['Expired', 'Nobody answered within five minutes, so nothing was changed. This is not a denial.'],
    ],
    [
      'changed',
      render({ state: 'failed', error: error('CHANGED_SINCE_APPROVAL', 'x', { current: { salary: 115500, ssn: '999' } }) }),
      [
        'Not applied: changed since you looked',
        'Nothing was written. Look at the new values before you decide.',
        'You saw',
        'There now',
        '$115,500',
        'CHANGED_SINCE_APPROVAL',
      ],
    ],
    [
      'role removed',
      render({
        state: 'failed',
        error: error('INSUFFICIENT_PERMISSIONS', 'Your role hr-write was removed.', { requiredRoles: ['hr-write', 'executive'] }),
      }),
      [
        'You can no longer approve this',
        'Your role hr-write was removed.',
        'Nothing was changed. Someone with hr-write or executive can make the change.',
      ],
    ],
    [
      'failed',
      render({ state: 'failed', error: error('SALARY_UNCHANGED', 'Already so.') }),
      ['Not applied', 'Already so.', 'Nothing was changed. Do this.'],
    ],
  ])('%s: the page contains its texts', (_name, page, words) => {
    for (const each of words) expect(text(page)).toContain(each);
  });

  test('include the lost-connection message, because a page without a connection cannot load it', () => {
    expect(render()).toMatch(
      /<template data-lost>[\s\S]*We do not know yet whether it ran\.[\s\S]*Checking every few seconds\. You can wait or press Approve again: the change cannot run twice\./,
    );
  });

  test('a waiting card is shown as expired after its expiry, even if the stored state is still waiting', () => {
    expect(text(render({}, { expiresAt: now.toISOString() }))).toContain('Expired');
  });

  test('a conflict shows only fields that were on the card', () => {
    expect(
      render({ state: 'failed', error: error('CHANGED_SINCE_APPROVAL', 'x', { current: { salary: 115500, ssn: '999-99' } }) }),
    ).not.toContain('999-99');
  });

  test('a decided card has no buttons', () => {
    for (const decided of ['done', 'denied', 'expired', 'executing', 'failed'] as const) {
      const page = render({ state: decided }).replace(/<template[\s\S]*?<\/template>/g, '');
      expect(page).not.toContain('data-decide');
    }
  });

  test('the page says that it needs JavaScript, and its buttons are disabled until the script runs', () => {
    const page = render();
    expect(page).toMatch(/class="ap-foot no-js"[\s\S]*This page needs JavaScript[\s\S]*Nothing has changed\./);
    for (const [button] of page.matchAll(/<button[^>]*data-decide="(?:approve|deny|ask)"[^>]*>/g))
      expect(button).toContain('aria-disabled="true"');
    expect(page).not.toMatch(/<form(?![^>]*signout)/);
    expect(page).not.toContain('autofocus');
    expect(page).not.toContain('accesskey');
  });
});

describe('hostile values', () => {
  const XSS = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'; alert(1)//",
    '</template><script>x</script>',
    '{{constructor}}',
    '&lt;b&gt;',
  ];
  test.each(XSS)('%s stays text in every field', (hostile) => {
    const page = render(
      { message: hostile, confirmationId: 'id' },
      {
        summary: hostile,
        subject: { label: hostile, id: hostile },
        reason: hostile,
        origin: hostile,
        action: hostile,
        mcpServer: hostile,
        changes: [{ field: hostile, label: hostile, from: hostile, to: { hostile }, format: 'text' }],
      },
    );
    const plain = render({}, { changes: [{ ...SALARY, format: 'text' }] });
    const tags = (markup: string) => [...markup.matchAll(/<(\/?[a-z][\w-]*)/gi)].map((match) => match[1]);
    expect(tags(page).filter((tag) => tag === 'script' || tag === 'img')).toEqual(
      tags(plain).filter((tag) => tag === 'script' || tag === 'img'),
    );
  });

  test('invisible and bidirectional characters are shown by code point, and each value is isolated', () => {
    expect(bdi('a\u202Eb\u200Bc\u{E0041}\n').markup).toBe(
      '<bdi>a<span class="esc">U+202E</span>b<span class="esc">U+200B</span>c<span class="esc">U+E0041</span><span ' +
        'class="esc">U+000A</span></bdi>',
    );
    expect(bdi('\uD800').markup).toContain('U+D800');
    expect(bdi('Zoë O’Brien 李').markup).toBe('<bdi>Zoë O’Brien 李</bdi>');
    expect(seen('a\u2066b')).toBe('a[U+2066]b');
    expect(['\u00AD', '\u034F', '\u115F', '\u3164', '\uFE0F', '\u2028', '\u{F0000}'].map(hasUnseen)).not.toContain(false);
    const page = render({}, { reason: 'x\u202Etxt.exe' });
    expect(page).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B-\u200F]/);
  });

  test('a name is flagged if one of its words mixes two alphabets', () => {
    expect(['Sаrah Kim', 'pаypal', 'Αlice'].map(mixesAlphabets)).toEqual([true, true, true]);
    expect(['Sarah Kim', 'Анна Kim', 'Zoë', 'İbrahim', '李 Wei'].map(mixesAlphabets)).not.toContain(true);
    expect(text(render({}, { subject: { label: 'Sаrah Kim', id: 'x' } }))).toContain('Letters of two alphabets');
  });

  test('a template escapes each value exactly once', () => {
    expect(html`<p title="${'"<'}">${['a', html`<b>${'&'}</b>`, false, undefined, 3]}</p>`.markup).toBe(
      '<p title="&quot;&lt;">a<b>&amp;</b>3</p>',
    );
  });
});

describe('formats', () => {
  test.each<[unknown, CardChange['format'], string | undefined]>([
    [112000, 'money', '$112,000'],
    [143158.05, 'money', '$143,158.05'],
    [0.5, 'money', '$0.50'],
    [-5, 'money', '-$5'],
    [-0, 'money', '$0'],
    [1e21, 'money', '$1,000,000,000,000,000,000,000'],
    [100000.001, 'money', '$100,000.001'],
    [1e-7, 'number', '0.0000001'],
    ['*** (Hidden)', 'money', '*** (Hidden)'],
    ['1e5', 'money', '1e5'],
    [null, 'money', undefined],
    ['', 'text', undefined],
    [0, 'number', '0'],
    [1, 'days', '1 day'],
    [2.5, 'days', '2.5 days'],
    ['2026-11-16', 'date', '16 November 2026'],
    ['2026-11-16T09:30:00Z', 'date', '16 November 2026, 09:30 UTC'],
    ['2026-13-40', 'date', '2026-13-40'],
    ['soon', 'date', 'soon'],
    [true, 'text', 'Yes'],
    [['a', null], 'text', 'a, none'],
    [{ a: 1 }, 'text', '{"a":1}'],
  ])('%j as %s is %s', (value, format, expected) => {
    expect(formatValue(value, { format, currency: 'USD' })).toBe(expected);
  });

  test('a difference has a sign, no superfluous digits and a percentage', () => {
    const moved = (from: unknown, to: unknown, format: CardChange['format'] = 'money') => difference({ from, to, format, currency: 'USD' });
    expect([
      moved(112000, 120000),
      moved(120000, 112000),
      moved(0, 5),
      moved(0.1, 0.3),
      moved(5, 5),
      moved('a', 5),
      moved(10, 12.5, 'days'),
    ]).toEqual(['+$8,000, 7.1%', '−$8,000, 6.7%', '+$5', '+$0.20, 200%', undefined, undefined, '+2.5 days, 25%']);
  });

  test('the time left is given in minutes and seconds', () => {
    expect([0, 1, 38, 60, 61, 252].map(timeLeft)).toEqual([
      '0 seconds',
      '1 second',
      '38 seconds',
      '1 minute',
      '1 minute 1 second',
      '4 minutes 12 seconds',
    ]);
  });

  test('initials are those of the first and the last name', () => {
    expect(['Alice Chen', 'Cher', 'Ludwig van Beethoven', ''].map(initials)).toEqual(['AC', 'C', 'LB', '']);
  });
});

describe('pages', () => {
  test('have a strict content security policy', () => {
    expect(pageHeaders).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
        "frame-ancestors 'none'; form-action 'self'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  test('have no inline scripts or styles, and load nothing from another origin', () => {
    const options = {
      base: 'http://localhost:3100',
      person: { name: 'Alice Chen', roles: ['hr-write'] },
      csrf: 'x',
      waiting: [state()],
      now,
      frame,
    };
    for (const page of [
      render(),
      notYoursPage({ frame }),
      homePage(options),
      homePage({ ...options, person: undefined, waiting: [] }),
      approvalsPage(options),
    ]) {
      expect(page).not.toMatch(/<script>|\sstyle=|\son[a-z]+=|@import|url\(/);
      for (const [, address] of page.matchAll(/(?:src|href|action)="([^"]*)"/g)) expect(address).toMatch(/^(?:\/(?!\/)|#)/);
      expect(page.match(/<h1/g)?.length ?? 0).toBeGreaterThanOrEqual(1);
    }
    expect(frame.build?.textOf('server-pages/page.css')).not.toMatch(/url\(|@import|https?:/);
    const scripts = frame.build?.files.filter(({ path }) => /\/(?:page|approve|approval-card)-[^/]+\.js$/.test(path)) ?? [];
    expect(scripts.length).toBe(3);
    for (const { body } of scripts) expect(body.toString()).not.toMatch(/innerHTML|eval\(|new Function|https?:\/\//);
  });

  test('load scripts and a style sheet of the build, under names with a digest', () => {
    const loaded = [...render().matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    const [icon, ...built] = loaded;
    expect(icon).toMatch(/^\/assets\/tamshai-[0-9a-f]{12}\.svg$/);
    expect(built.map((path) => path.replace(/-[\w-]{8}\./, '.'))).toEqual([
      '/assets/page-style.css',
      '/assets/page.js',
      '/assets/approve.js',
    ]);
    for (const path of built) {
      const file = frame.build?.files.find((each) => each.path === path);
      expect(file?.type).toBe(path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8');
    }
  });

  test('the script of every page is a classic script, which runs before the page is drawn and defines no global name', () => {
    expect(render()).toMatch(/<script src="\/assets\/page-[^"]+"><\/script>/);
    expect(frame.build?.textOf('server-pages/page.ts')?.trim()).toMatch(/^\(\(\)=>\{(?!.*\bimport\b).*\}\)\(\);$/s);
  });

  test('without a build they are complete, but have neither style nor script, and no button can decide', () => {
    expect(openWebBuild('/nowhere')).toBeUndefined();
    const page = approvePage(state(), { csrf: 'c5rf', person: 'Alice Chen', now });
    expect(page).not.toMatch(/<script|rel="stylesheet"/);
    expect(text(page)).toContain('This page needs JavaScript. Nothing has changed.');
    expect(text(page)).toBe(text(render()));
    for (const [button] of page.matchAll(/<button[^>]*data-decide[^>]*>/g))
      expect(button).toMatch(/aria-disabled="true"|data-decide="back"/);
  });

  test('the start page shows pending changes, the signed-in person and the MCP address', () => {
    const page = text(
      homePage({
        base: 'http://localhost:3100',
        person: { name: 'Alice Chen', roles: ['employee', 'hr-write'] },
        csrf: 'x',
        waiting: [state()],
        now,
        frame: { banners: { development: true, scriptedApprovals: true } },
      }),
    );
    for (const words of [
      '1 waiting',
      'Change Sarah Kim’s salary.',
      'Alice Chen',
      'employee, hr-write',
      'http://localhost:3100/mcp',
      'Development mode: sample data, sign-in without passwords, this machine only.',
      'Scripted approvals are on: programs on this machine can approve changes.',
    ])
      expect(page).toContain(words);
  });

  test('the page for the link of another person says only that the change waits for someone else', () => {
    expect(text(notYoursPage())).toContain('This change waits for someone else. You can only approve your own.');
  });

  test('the digest of a card changes with its values and its id', () => {
    const one = cardDigest(state());
    expect(cardDigest(state())).toBe(one);
    expect(cardDigest(state({}, { changes: [{ ...SALARY, to: 120001 }] }))).not.toBe(one);
    expect(cardDigest(state({ confirmationId: '6f9619ff-8b86-4d01-8b42-00cf4fc964fe' }))).not.toBe(one);
  });
});

test('a sealed value opens only for its purpose and with its key', () => {
  const [one, other] = [createSealer(Buffer.alloc(32, 1)), createSealer(Buffer.alloc(32, 2))];
  const sealed = one.seal('a', { x: 1 });
  expect(one.open('a', sealed)).toEqual({ x: 1 });
  for (const nothing of [
    one.open('b', sealed),
    other.open('a', sealed),
    one.open('a', `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`),
    one.open('a', ''),
    one.open('a', 'x'),
  ])
    expect(nothing).toBeUndefined();
  expect([one.isCode('a', one.code('a')), one.isCode('b', one.code('a')), other.isCode('a', one.code('a')), one.isCode('a', '')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
