/** A thesaurus of general business English, independent of the tools. */
import { stem } from './tokenise.ts';

/** One concept per line; phrases contain spaces. A word may be in several lines. */
const CONCEPTS = `
vacation, holiday, leave, pto, time off, day off, days off, annual leave, absence, off work, out of office, break
sick, illness, ill, unwell, flu
salary, pay, paycheck, wage, earn, compensation, remuneration, paid, income
payslip, pay stub, paystub, paycheck, pay slip, pay cheque, wage slip, stub
employee, staff, person, people, colleague, worker, headcount, team member, coworker, workforce, personnel, work, everyone, everybody
manager, boss, supervisor, superior, report to
delete, remove, drop, erase, throw away, take out, clear out, strike, kill, get rid of, discard, scrap, bin, trash, take off, wipe, purge, \
dump, ditch, void
terminate, fire, dismiss, let go, lay off, offboard, sack, axe
approve, ok, okay, accept, sign off, green light, greenlight, authorize, authorise, endorse, ratify, say yes, clear, approval, \
give the go-ahead, go ahead
reject, decline, deny, refuse, turn down, send back, say no, knock back, rejection, disapprove, veto
submit, hand in, send in, file, put in, turn in, resubmit
invoice, bill, billing
vendor, supplier, provider
reimburse, pay back, pay out, refund, payback, reimbursement
deal, opportunity
customer, client, buyer
prospect, potential customer
ticket, case, support request
problem, issue, trouble, error, bug, broken, incident
article, guide, help page, documentation, doc, how to, manual, instruction, faq
close, resolve, finish, shut
budget, allocation, allocated, pot, funds, funding
spend, cost, expenditure, actual, outlay
expense, expenses, receipt, claim, expense claim
task, todo, reminder, remind, to do, chore, checklist
complete, done, finish, tick off, check off, mark done, accomplish
rename, retitle, change title
remember, note, memorize, memorise, jot down, keep in mind, note down, write down, put down, make a note
record, log, save, store
adr, decision, architecture decision
failure, went wrong, go wrong, gone wrong, fail, failed, mistake, outage, postmortem
pivot, change of direction, turning point, change of course
context, background, overview
forecast, outlook, projection, on track, predict, expect
quota, target, goal
pipeline, funnel
overdue, late, past due, behind
late, delay, delayed
arr, annual recurring revenue, recurring revenue, run rate
movement, move, waterfall, bridge, develop, evolve, evolution, trend, month by month
churn, lost customers, cancel
tax return, annual filing, annual return, filing, return
estimate, estimated payment, quarterly payment, prepayment, instalment, installment, quarterly estimate
register, registration, permit, registered, license
compliant, compliance
audit log, audit trail, trail, audit, change log, changelog, changed, change history
direct deposit, bank account, account, bank, deposit
benefit, insurance, health plan, plan, perk, coverage, 401k, 401(k), retirement, dental, medical, enrolled, enroll
contractor, freelancer, contract worker, 1099, self-employed
withhold, withholding, deduct, deduction, take out of
org chart, organization chart, organisation chart, hierarchy, reporting line, reporting structure, organigram, organization structure, \
org structure
direct report, report to, subordinate
review, appraisal, evaluation, performance review, assessment
location, office, site, based, city
email, e-mail, mail address, email address, work email
phone, telephone, mobile, cell, phone number, call
home address, live, address
hire date, hired, start, join, joined, started working
job title, job, title, position, role, occupation
record, profile, detail, information, info, data, file
left, remaining, remain, available, still have, leftover, to spend
balance, balances
search, look for, look up, find, lookup, hunt
sla, service level, response time
meet, keep, fulfil, hold
help, problem, trouble
breach, breached, miss, missed, past the deadline, blow, blown, violate, exceed, overrun, broken
at risk, about to breach, near breach, soon breach, close to breach
agent, support team, rep
sign in, log in, login, log on, access, use
resolve, solve, fix, solved, fixed, resolution
contact, user of the portal, portal user, member
invite, add contact, give access
transfer, hand over, make lead, pass on, instead of me
comment, answer, reply, respond, response
history, changes, change, changed
undo, revert, take back, roll back, reverse
depend, depends on, rely on, relies on, dependency, need
own, owned by, owner, belong, belong to, responsible
relate, related, connect, link, relationship
raise, increase, salary increase, promotion, bump, hike, give a raise
lower, decrease, reduce, cut
set, change, update, adjust, modify, edit, correct, amend, alter, tweak
update, change, correct, modify, edit, amend, revise, fix
create, add, new, make, open, set up
pay, settle, pay off, transfer money
payment, pay
payroll, pay run, payroll run
pay date, pay day, payday, get paid, paid next
summary, summarize, summarise, overview, total, figures, position
rate, percentage, percent
deadline, due date, due
owe, liability, outstanding, remaining
revenue, turnover, sales
industry, sector, branch
score, rating, point
win, won, close won
lose, lost
newest, latest, recent, last, most recent
oldest, earliest
biggest, largest, top, highest, most valuable, best, most
smallest, lowest, least
waiting, pending, open, awaiting, wait, outstanding, undecided
team, report, department
company, organization, organisation, firm, business
department, division, unit
knowledge base, help center, help centre, help articles
knowledge, what we know, entry
portal, customer portal
lead contact, lead
bonus, bonuses
seller, salesperson, rep, account executive
subscription, subscriber
retention, nrr, grr, net revenue retention
gross, before tax
transport, taxi, cab, uber, bus, train, parking, tram, metro, mileage, fuel, petrol, toll
meals, meal, lunch, dinner, breakfast, restaurant, food, coffee, snack, catering
lodging, hotel, accommodation, airbnb, hostel
travel, flight, plane, airfare, airline, trip
supplies, stationery, pen, paper, toner, notebook
training, course, workshop, conference, seminar, certification
hr, human resources, people team, people department
urgent, critical, emergency, nobody can work, blocker
high, urgent, important, serious
medium, normal, moderate
low, minor, trivial, whenever
jury duty, jury, court
parental, maternity, paternity, baby
bereavement, funeral, death in the family
personal, private
new, fresh, untouched
web, website, online, internet
referral, referred, recommendation, recommended, word of mouth
trade show, fair, exhibition
won, closed won
active, current, existing
churned, gone, left us, cancelled, former
ended, former, finished, no longer, past
draft, unfinished, unsubmitted, not submitted
submitted, handed in, filed, sent in
reimbursed, paid back, paid out
cancelled, canceled, withdrawn, called off
in progress, being worked on, worked on, underway
resolved, solved, fixed
completed, done, finished, ticked off
acknowledged, signed, confirmed
duplicate, double
workaround, work around
net, take home, take-home, after tax
reference, ref
description, desc, details
value, worth, amount, size
request, application, ask
lead, leads
certificate, cert
withdraw, cancel
`
  .trim()
  .split('\n')
  .map((line) => line.split(',').map((word) => word.trim()));

const byWord = new Map<string, number[]>();
const phrases = new Map<string, { readonly stems: readonly string[]; readonly concepts: number[] }[]>();
for (const [concept, words] of CONCEPTS.entries()) {
  for (const each of words) {
    const stems = each.split(/[\s-]+/).map(stem);
    const [first] = stems;
    if (first === undefined) continue;
    // A phrase is also indexed as one hyphenated word, because the tokeniser does not split at hyphens.
    const whole = stem(each.replace(/\s+/g, '-'));
    byWord.set(whole, [...(byWord.get(whole) ?? []), concept]);
    if (stems.length > 1) {
      const known = phrases.get(first) ?? [];
      const same = known.find((phrase) => phrase.stems.join(' ') === stems.join(' '));
      if (same) same.concepts.push(concept);
      else phrases.set(first, [...known, { stems, concepts: [concept] }]);
    }
  }
}

/** The concepts of each stem. A phrase adds its concepts to each of its stems. */
export function conceptsOf(stems: readonly string[]): (readonly number[])[] {
  const found: number[][] = stems.map((each) => [...(byWord.get(each) ?? [])]);
  for (const [at, first] of stems.entries()) {
    for (const phrase of phrases.get(first) ?? []) {
      if (!phrase.stems.every((each, offset) => stems[at + offset] === each)) continue;
      for (const [offset] of phrase.stems.entries()) found[at + offset]?.push(...phrase.concepts);
    }
  }
  return found;
}

export const conceptsOfWord = (word: string): readonly number[] => byWord.get(stem(word)) ?? [];
export const knownWords: ReadonlySet<string> = new Set(
  CONCEPTS.flat().flatMap((each) => [each.replace(/\s+/g, '-'), ...each.split(/[\s-]+/)]),
);
/** Whether two words share a stem or a concept. */
export const areSynonyms = (a: string, b: string): boolean =>
  stem(a) === stem(b) || conceptsOfWord(a).some((concept) => conceptsOfWord(b).includes(concept));
/** All words of the concepts that a word belongs to. */
export const synonymsOf = (word: string): string[] => conceptsOfWord(word).flatMap((concept) => CONCEPTS[concept] ?? []);

/** Stems of verbs that command a change. Such a command is refused if no tool performs it. */
export const CHANGE_VERBS: ReadonlySet<string> = new Set(
  `move change set update edit rename reassign assign transfer promote demote cancel book order buy purchase send email mail call print
  schedule invite create add make mark close reopen pay approve reject delete remove hire onboard
  offboard terminate fire submit hand put increase raise decrease lower reduce cut reset unlock lock grant revoke reimburse refund open-up
  merge split copy archive restore publish upload download export import install deploy turn switch
  enable disable give extend shorten postpone reschedule book reserve rent translate write draft compose generate build run execute start
  stop kill erase drop throw forget undo revert replace correct store save record remember remind note jot log report file settle
  decline deny accept sign resubmit tick complete finish relate link tell answer comment reply share escalate upgrade downgrade convert win
  lose wire charge issue post notify remove take withdraw name appoint swap
  authorize authorise greenlight endorse ratify veto wipe scrap bin trash discard dump purge ditch axe void sack dismiss bump hike adjust
  modify amend revise alter tweak push shift delay suspend freeze block ban activate deactivate recall retract rescind`
    .split(/\s+/)
    .map(stem),
);
