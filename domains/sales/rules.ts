/** Rules and queries shared by the sales tools. */
import type { Company } from '../../src/declare/company.ts';
import { formatMoney } from '../../src/declare/money.ts';
import type { z } from 'zod';
import type { DocumentReader } from '../../src/declare/documents.ts';
import { type Filter, type FilterWords, is, NONE } from '../../src/declare/filter.ts';
import { spelledPlainly } from '../../src/declare/spelling.ts';
import { customer, lead, opportunity, openStages } from './schemas.ts';

export type Opportunity = z.output<typeof opportunity>;
export type Customer = z.output<typeof customer>;
export type Lead = z.output<typeof lead>;
type Collections = 'customers' | 'opportunities' | 'leads' | 'quotas';
export type Reader = DocumentReader<Collections>;

export const isOpen = is.oneOf(openStages);
export const opportunityById = (documents: Reader, _id: string): Promise<Opportunity | null> =>
  documents.maybeOne(opportunity, 'opportunities', documents.where({ _id }));
export const customerById = (documents: Reader, _id: string): Promise<Customer | null> =>
  documents.maybeOne(customer, 'customers', documents.where({ _id }));

export const leadById = (documents: Reader, _id: string): Promise<Lead | null> =>
  documents.maybeOne(lead, 'leads', documents.where({ _id }));

/** Matches names that contain every word. It ignores order, case, accents and punctuation: "obrien" finds O'Brien. */
export function called(words: FilterWords, field: 'search' | 'name_search' | 'owner_search', name: string): Filter {
  const plain = spelledPlainly(name);
  return plain === '' ? NONE : words.all(...plain.split(' ').map((word) => words.where({ [field]: is.part(word) })));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Filters by owner: email address, employee id or part of the name. */
export function ownedBy(words: FilterWords, owner: string): Filter {
  const given = owner.trim();
  if (given.includes('@')) return words.where({ owner: given.toLowerCase() });
  return UUID.test(given) ? words.where({ owner_id: given.toLowerCase() }) : called(words, 'owner_search', given);
}

/** The subject line of an approval card. */
export const dealLabel = ({ deal_name, customer_name, value, owner_name }: Opportunity, company: Company): string =>
  `${deal_name}: ${customer_name}, ${formatMoney(value, company)}, owned by ${owner_name}`;
