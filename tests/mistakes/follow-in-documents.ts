/** Only a domain with SQL tables can keep a copy of another domain's rows. */
// tsc: follow: only a domain with SQL tables can keep a copy of another domain’s rows
import { sales } from '../../domains/sales/domain.ts';
import { peopleChanges } from '../../src/declare/engine-contracts.ts';

export const copy = sales.follow(peopleChanges, { audience: 'everyone', apply: () => [] });
