/** Public entry point `tamshai`: the API for configurations and for domains. */
import './declare/copies.ts';

/** The zod of the engine. The start refuses schemas of another zod, so authors import `z` from here. */
export { z } from 'zod';

export { type ProjectConfig, defineConfig } from './declare/config.ts';
export { type Company, dayIn, startOfDay } from './declare/company.ts';
export { type ActingDomain, changed, type Domain, defineDomain } from './declare/define.ts';
export type { Installed, Parts } from './declare/install.ts';
export {
  type Calls,
  type ChangeFeedCalls,
  type Client,
  type Clients,
  type Contract,
  defineChangeFeed,
  defineContract,
  type Need,
  type Needs,
  type OptionalNeed,
} from './declare/contracts.ts';
export { customerLead, employment, peopleChanges } from './declare/engine-contracts.ts';
export type { FollowDef, Follower, Following, ProvideDef, Provision } from './declare/provisions.ts';
export { defineRoles, type NamesOf, type RoleSet, type RoleSpec } from './declare/roles.ts';
export type { BaseRole, Person, Realm, Role } from './declare/people.ts';
export {
  type ActDef,
  type Audience,
  type Calling,
  type Change,
  type DomainSpec,
  type Effect,
  type Example,
  type FirstUse,
  type ListDef,
  type Mask,
  type Me,
  type Mistake,
  type OwnWriteDef,
  type Plan,
  type Presentation,
  presentAs,
  type ReadDef,
  type Tool,
  type WriteDef,
} from './declare/tool.ts';
export type { Chart } from './declare/chart.ts';
export { type CommonCode, type Details, type ErrorMap, type ErrorText, Failure, failure } from './declare/errors.ts';
export {
  amount,
  anyCase,
  callerText,
  companyText,
  day,
  HIDDEN,
  type Hidden,
  idOf,
  line,
  masked,
  money,
  prose,
  readable,
  sensitive,
  signInName,
  storedDay,
  storedEmail,
  storedId,
  storedTime,
  untrusted,
  untrustedValue,
  uuid,
} from './declare/fields.ts';
export { EVERY, type Filter, type FilterWords, filters, is, NONE } from './declare/filter.ts';
export { type CollectionSpec, type Document, type DocumentReader, type DocumentWriter, type RowScope, total } from './declare/documents.ts';
export {
  field,
  figure,
  type LookUp,
  type SearchCollection,
  type SearchReader,
  type SearchScope,
  type SearchWords,
  type SearchWriter,
} from './declare/search.ts';
export { anywhere, sql, type SqlReader, type SqlTag, type SqlText, type SqlWriter } from './declare/sql.ts';
export type { StoreKind } from './declare/store-kinds.ts';
export { asc, desc, Order } from './declare/order.ts';
export type { PagePosition, ResourcePage } from './declare/page.ts';
export type { Feed, FeedDef, Notice, PagesDef, Prompt, PromptDef, Resource, ResourceOrPrompt, TextDef } from './declare/resources.ts';
export type {
  Cell,
  Persona,
  Sample,
  SampleCollection,
  SampleCompany,
  SampleContext,
  SampleDirectory,
  SampleDocument,
  SampleEmployee,
  SampleRow,
  SampleTable,
} from './declare/sample.ts';
export { spelledPlainly } from './declare/spelling.ts';
export { alignedAmount, formatMoney, fromCents, sumOf, toCents } from './declare/money.ts';
export {
  CALENDAR_YEAR,
  type FiscalCalendar,
  fiscalQuarterOf,
  fiscalYearOf,
  monthPeriod,
  monthsFrom,
  type Period,
  quarterAt,
  quarterOf,
  yearOf,
} from './declare/fiscal.ts';
export { fiscal, periodField, type Reading, readMonth, readQuarter, readYear } from './declare/periods.ts';
export type { FolderSource } from './declare/folder.ts';
export { type Counts, Damaged, type Importing, type OnProgress, type OwnerSql, type Transfer } from './declare/transfer.ts';
export { defineSampleCompany, type SampleCompanySpec, type SampleEmployeeSpec } from './declare/sample-company.ts';
