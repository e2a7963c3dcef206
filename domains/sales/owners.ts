/** Finds the salesperson who owns a record, and the stored fields of an owner. */
import { z } from 'zod';
import { total } from '../../src/declare/documents.ts';
import type { Details } from '../../src/declare/errors.ts';
import { companyText, storedEmail, storedId } from '../../src/declare/fields.ts';
import type { Filter } from '../../src/declare/filter.ts';
import { spelledPlainly } from '../../src/declare/spelling.ts';
import type { Me } from '../../src/declare/tool.ts';
import { ownedBy, type Reader } from './rules.ts';

const seller = z.object({ owner: storedEmail, owner_id: storedId, owner_name: companyText });
export type Seller = z.output<typeof seller>;
type OwnerCode = 'OWNER_NOT_FOUND' | 'OWNER_AMBIGUOUS';
type Fail = (code: OwnerCode, details?: Details) => never;

const MOST_NAMED = 5;

/** People with a quota come first, because everyone who sells has one. Others own a deal, for example a manager. */
async function sellersAmong(documents: Reader, filter: Filter): Promise<readonly Seller[]> {
  const by = Object.keys(seller.shape);
  for (const collection of ['quotas', 'opportunities', 'leads'] as const) {
    const found = await documents.groups(seller, collection, filter, { by, totals: { count: total.count }, limit: MOST_NAMED });
    if (found.length > 0) return found.map(({ owner, owner_id, owner_name }) => ({ owner, owner_id, owner_name }));
  }
  return [];
}

export async function sellerCalled(documents: Reader, owner: string, fail: Fail): Promise<Seller> {
  const [found, ...others] = await sellersAmong(documents, ownedBy(documents, owner));
  if (found === undefined) throw fail('OWNER_NOT_FOUND', { owner });
  if (others.length > 0) throw fail('OWNER_AMBIGUOUS', { owners: [found, ...others].map((each) => `${each.owner_name} <${each.owner}>`) });
  return found;
}

/** The named salesperson; without a name, the caller, if the caller sells. */
export async function sellerOrCaller(documents: Reader, owner: string | undefined, { me, fail }: { me: Me; fail: Fail }): Promise<Seller> {
  return sellerCalled(documents, owner ?? me.employeeId, fail);
}

/** The fields of an owner as deals and leads store them. */
export const ownerFields = ({ owner, owner_id, owner_name }: Seller) => ({
  owner,
  owner_id,
  owner_name,
  owner_search: spelledPlainly(owner_name),
});
export const accountOwnerFields = ({ owner, owner_id, owner_name }: Seller) => ({
  account_owner: owner,
  account_owner_id: owner_id,
  account_owner_name: owner_name,
});
