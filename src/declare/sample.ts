/** Sample data: the people of a sample company, and the rows that each domain makes for them. */
import { type Company, DEFAULT_COMPANY } from './company.ts';
import type { Realm } from './people.ts';

/** A person who can sign in with the built-in identity provider: an employee, or a contact of a customer. */
export interface Persona {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly realm: Realm;
  readonly sub: string;
  /** Staff only: the id in the directory, which is also `sub`. */
  readonly employeeId?: string | undefined;
  readonly organizationId?: string | undefined;
  /** Roles that no installed domain declares are dropped. */
  readonly roles: readonly string[];
  readonly title: string;
}

export interface SampleEmployee {
  /** The position in the order in which rows are written, from 0. A manager comes before their reports. */
  readonly n: number;
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly department: string;
  readonly title: string;
  readonly location: string;
  /** The manager's position; undefined for the head of the company. */
  readonly manager: number | undefined;
  /** Yearly, in the currency of the company. */
  readonly salary: number;
  readonly hired: string;
  /** Days between the hire and the start of this year, so that results are stable all year. */
  readonly tenure: number;
  readonly phone: string;
  readonly address: string;
  /** Used in examples and tests. Such a person always has details, and no generated time off in the next weeks. */
  readonly known?: boolean;
}

export interface SampleDirectory {
  readonly size: number;
  /** The number of known people, who come first; none by default. */
  readonly known?: number;
  person(n: number): SampleEmployee;
  /** The position of a person's manager, without computing the person. */
  managerOf(n: number): number | undefined;
  idOf(n: number): string;
}

export interface SampleCompany {
  readonly people: readonly Persona[];
  /** Usernames that the command suggests; the first five people by default. */
  readonly featured?: readonly string[];
  /** All employees. A company with a fixed list of employees ignores `size`. */
  directory(options: { readonly size: number; readonly today: Date }): SampleDirectory;
}

/** The only input of sample rows. So domains can load in any order and on separate databases. */
export interface SampleContext {
  readonly company: SampleCompany;
  readonly directory: SampleDirectory;
  readonly today: Date;
  /** The time zone, currency and fiscal year of the rows. */
  readonly settings: Company;
}

export function sampleContext(
  company: SampleCompany,
  { employees, today, settings = DEFAULT_COMPANY }: { readonly employees: number; readonly today: Date; readonly settings?: Company },
): SampleContext {
  return { company, directory: company.directory({ size: employees, today }), today, settings };
}

/** A cell that is an object is stored as JSON. */
export type Cell = string | number | boolean | null | Readonly<Record<string, unknown>>;
export type SampleRow = readonly Cell[];

/** The rows of one table of an SQL domain, generated lazily. */
export interface SampleTable {
  /** With the schema, which is the name of the domain: `hr.employees`. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The approximate number of rows, for a progress bar. */
  readonly estimate: number;
  /** True if the rows contain what the triggers of this table compute. The loader disables the triggers, because they would take hours. */
  readonly withoutTriggers?: boolean;
  rows(): Iterable<SampleRow>;
}

export type SampleDocument = Readonly<Record<string, unknown>>;
/** The documents of one collection of a domain on documents or search, generated lazily. */
export interface SampleCollection {
  readonly name: string;
  /** The approximate number of documents, for a progress bar. */
  readonly estimate: number;
  documents(): Iterable<SampleDocument>;
}

/** The sample data of a domain. */
export interface Sample {
  /** The only company that the rows are about. Without it, the domain makes rows for any company. */
  readonly onlyFor?: SampleCompany;
  /**
   * SQL domains return tables, referenced tables first. If the first table has rows, the loader skips the domain, so its rows must never
   * all be deleted. Other domains return collections; the loader fills each empty one.
   */
  rows(context: SampleContext): Rows | Promise<Rows>;
}
type Rows = readonly SampleTable[] | readonly SampleCollection[];
