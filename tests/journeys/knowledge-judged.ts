/**
 * Judged questions for the retrieval score. Grade 3: the entry answers the question; 2: it is useful to read next; 1: it is related.
 * All other entries are irrelevant.
 */
export interface Judged {
  readonly ask: string;
  readonly answers: Readonly<Record<string, 1 | 2 | 3>>;
}

export const judged: readonly Judged[] = [
  { ask: 'zero downtime release', answers: { deployment: 3, 'release calendar': 1, 'deployment rollback': 1 } },
  { ask: 'what do we do about a bad release', answers: { 'deployment rollback': 3, 'feature flags': 1, deployment: 1 } },
  { ask: 'deploymnet rolback', answers: { 'deployment rollback': 3, deployment: 2 } },
  { ask: 'When may we release before Christmas?', answers: { 'release calendar': 3 } },
  { ask: 'first day of a new hire', answers: { onboarding: 3, 'badge printing': 2 } },
  { ask: 'Where do I get my badge?', answers: { 'badge printing': 3, onboarding: 1 } },
  { ask: 'I lost my notebook', answers: { 'lost laptop': 3 } },
  { ask: 'laptop was stolen', answers: { 'lost laptop': 3, 'helpdesk hours': 2 } },
  { ask: 'working from home', answers: { 'remote work': 3, 'vpn access': 2 } },
  { ask: 'remote access to the network', answers: { 'vpn access': 3, 'remote work': 1, 'guest wifi': 1 } },
  { ask: 'what happens when payments-db fails over', answers: { 'payments-db': 3, 'billing-service': 2, 'database backups': 1 } },
  { ask: 'what does the billing service need to run', answers: { 'billing-service': 3, 'payments-db': 2, 'mail-service': 2 } },
  { ask: 'restore the database from a backup', answers: { 'database backups': 3, 'payments-db': 1 } },
  { ask: 'outage', answers: { 'incident response': 3, escalation: 2, 'customer communication': 2, 'on-call': 1 } },
  { ask: 'who answers the pager at night', answers: { 'on-call': 3, 'incident response': 1, escalation: 1 } },
  { ask: 'how many weeks of maternity leave', answers: { 'parental leave': 3 } },
  { ask: 'calling in sick', answers: { 'sick leave': 3 } },
  { ask: 'when is my salary paid', answers: { payday: 3, payslips: 1 } },
  { ask: 'hotel costs and meals on a trip', answers: { 'expense claims': 3, 'business travel': 2 } },
  { ask: 'vaccation request', answers: { 'holiday requests': 3 } },
  { ask: 'who may approve an invoice', answers: { 'invoice approval': 3, 'purchase orders': 1 } },
  { ask: 'GDPR erasure of customer data', answers: { 'data retention': 3, logging: 1 } },
  { ask: 'suspicous e-mail', answers: { phishing: 3 } },
  { ask: 'how fast must we answer a critical ticket', answers: { 'ticket priorities': 3, escalation: 2 } },
];
