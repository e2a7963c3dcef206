/** Inserts sales rows in any state directly into the store, without tools. */
import { randomUUID } from 'node:crypto';
import type { Row } from '../../src/declare/rows.ts';
import { openStages } from '../../domains/sales/schemas.ts';
import type { TestRuntime } from '../test-runtime.ts';

export type DealState = (typeof openStages)[number] | 'CLOSED_WON' | 'CLOSED_LOST' | 'DELETED';
export const dealStates: readonly DealState[] = [...openStages, 'CLOSED_WON', 'CLOSED_LOST', 'DELETED'];

const OWNER = { owner: 'some.seller@tamshai.example', owner_id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc', owner_name: 'Some Seller' };
const at = '2026-11-10T08:00:00.000Z';

const insert = (testRuntime: TestRuntime, collection: string, row: Row & { _id: string }) =>
  testRuntime.documents('sales').transaction((session) => session.insert(collection, { ...row, row_version: 1 }));

export async function newCustomer(testRuntime: TestRuntime, gone = false): Promise<string> {
  const _id = randomUUID();
  await insert(testRuntime, 'customers', {
    _id,
    name: 'Test Customer',
    name_search: 'test customer',
    company: 'Test Customer Inc.',
    contact_name: 'Some Body',
    email: 'some.body@test.example',
    phone: '+1-555-0100',
    industry: 'Testing',
    status: 'ACTIVE',
    tier: 'business',
    annual_revenue: 1_000_000,
    address: { street: '1 Test Street', city: 'Austin', state: 'TX', zip: '78701', country: 'United States' },
    account_owner: OWNER.owner,
    account_owner_id: OWNER.owner_id,
    account_owner_name: OWNER.owner_name,
    created_at: at,
    updated_at: at,
    ...(gone && { removed: true }),
  });
  return _id;
}

export async function newDeal(testRuntime: TestRuntime, state: DealState, customer_id: string = randomUUID()): Promise<string> {
  const _id = randomUUID();
  const stage = state === 'DELETED' ? 'PROPOSAL' : state;
  const closed = stage.startsWith('CLOSED');
  const won = stage === 'CLOSED_WON';
  await insert(testRuntime, 'opportunities', {
    _id,
    customer_id,
    customer_name: 'Test Customer',
    deal_name: 'Test Deal',
    search: 'test deal test customer',
    value: 1234.56,
    currency: 'USD',
    stage,
    probability: won ? 100 : closed ? 0 : 50,
    weighted_value: won ? 1234.56 : closed ? 0 : 617.28,
    expected_close_date: '2029-05-10',
    close_date: closed ? '2026-11-10' : '2029-05-10',
    ...OWNER,
    owner_search: 'some seller',
    notes: null,
    actual_value: won ? 1234.56 : null,
    close_reason: null,
    closed_at: closed ? at : null,
    closed_by_name: closed ? OWNER.owner_name : null,
    created_at: at,
    updated_at: at,
    ...(state === 'DELETED' && { removed: true }),
  });
  return _id;
}

/** The stored row with all its fields, except the transaction lock. */
export async function stored(testRuntime: TestRuntime, collection: 'customers' | 'opportunities', _id: string): Promise<Row> {
  const [row] = await testRuntime.documents('sales').find(collection, { _id }, { sort: { _id: 1 }, limit: 1, hide: ['held'] });
  return row ?? {};
}

/** Changes a field that no card shows. */
export const touch = (testRuntime: TestRuntime, collection: 'customers' | 'opportunities', _id: string): Promise<void> =>
  testRuntime.documents('sales').transaction((session) => session.update(collection, [_id], { touched: true }));
