/** The types of tool declarations, and `Tool`. The builders in define.ts turn a declaration into a `Tool`; all derived code uses `Tool`. */
import type { z } from 'zod';
import type { Chart } from './chart.ts';
import type { Company } from './company.ts';
import type { Calls, Client, Needs } from './contracts.ts';
import type { CommonCode, Details, ErrorMap, ErrorText } from './errors.ts';
import type { FolderSource } from './folder.ts';
import type { Filter } from './filter.ts';
import type { AnalysisHint, ListField } from './list-fields.ts';
import type { Choosable, Order, Sortable } from './order.ts';
import type { PagePosition, ResourcePage } from './page.ts';
import type { Person, Role } from './people.ts';
import type { Row } from './rows.ts';
import type { Collected, Readers, StoreKind, Writers } from './store-kinds.ts';
import type { RoleSet } from './roles.ts';
import type { Effect, Plan, RecordSpec } from './plan.ts';

export type { Change, Effect, Plan, RecordSpec, Touched } from './plan.ts';

/** Increase it when declarations must be rewritten. */
export const ENGINE_VERSION = 1;

/** The caller as tools see them. */
export interface Me extends Omit<Person, 'employeeId'> {
  /** The id of the caller's employee record. Reading it throws IDENTITY_NOT_LINKED if the caller has no such record. */
  readonly employeeId: string;
}

export interface Calling<Codes extends string> {
  readonly me: Me;
  /** The audience whose rows the store returns. A tool may use this name only to choose a faster query. */
  readonly audience: string;
  /** The time of the call. When an approved ticket is executed, `now` is still the time at which the change was requested. */
  readonly now: Date;
  /** `now` as a date in the company's time zone. */
  readonly today: string;
  readonly company: Company;
  /** Throws. Write `x ?? fail('…')` to narrow a value, and `throw fail('…')` as a statement. */
  readonly fail: (code: Codes | CommonCode, details?: Details) => never;
}
export interface Answering<O> {
  /** The tool's own output schema. */
  readonly output: O;
}

export interface Example<X> {
  /** A question as a person asks it. The docs show it, and the assistant uses it as a training example. */
  readonly question: string;
  readonly as: string;
  /** A function of today's date keeps an example with dates valid. */
  readonly input: X | ((today: string, company: Company) => X);
  /** The expected error code or 'success'. The default is success for reads, and an approval card for writes. */
  readonly expects?: Uppercase<string> | 'success';
}

export interface Described<R extends Role, A extends string, I extends z.ZodObject, E extends ErrorMap, X = z.input<I>> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The caller needs one of these roles. Without `audience`, the call uses the widest audience among these roles of the caller. */
  readonly roles: readonly [R, ...R[]];
  /** A fixed audience for all roles. The company directory has one, because everyone sees the same rows. */
  readonly audience?: A;
  readonly input: I;
  /** The error codes of the tool, each with its hint. */
  readonly errors?: E & {
    readonly [K in keyof E]: K extends Uppercase<string> ? ErrorText : Mistake<'an error code is upper case, such as EMPLOYEE_NOT_FOUND'>;
  };
  readonly examples?: readonly Example<X>[];
  /** The assistant uses this tool if no other tool fits the question. */
  readonly lastResort?: boolean;
  /** Older names that still work but are not listed. */
  readonly aliases?: readonly string[];
  readonly inputAliases?: Readonly<Record<string, keyof z.output<I>>>;
  /** How clients can draw the answer. */
  readonly chart?: Chart;
}

type Codes<E> = keyof E & string;

/** The type of a wrong declaration. The compiler prints it with the reason, which is the type parameter. */
export interface Mistake<_Why extends string> {
  readonly mistake: never;
}

/** The type of a tool's result. It keeps literal types, so that `status: 'completed'` does not become `string`. */
export type Answerable<O extends z.core.$ZodType> = Frozen<z.input<O>>;
type Frozen<T> = T extends readonly (infer U)[] ? readonly Frozen<U>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

export interface ReadDef<R extends Role, A extends string, C, I extends z.ZodObject, O extends z.core.$ZodType, E extends ErrorMap, D>
  extends Described<R, A, I, E> {
  readonly output: O;
  run(input: z.output<I>, context: Calling<Codes<E>> & Answering<O> & C): Promise<D>;
  /** The answer in one line, for clients that show only text; the title by default. */
  summary?(data: z.output<O>, company: Company): string;
}

type Paged<I extends z.ZodObject, N extends string> = z.input<I> & { readonly limit?: number; readonly sort?: NoInfer<N> };

/** Converts stored rows to published ones; created by `presentAs`. */
export interface Presentation<T> {
  readonly stored: z.ZodObject;
  show(row: never, at: Pick<Calling<never>, 'me' | 'now' | 'today' | 'company'>): T;
}
/** `show` computes fields of a row at the time of the call, such as the minutes left. It must not change the fields in `order`. */
export const presentAs = <S extends z.ZodObject, T>(
  stored: S,
  show: (row: z.output<S>, at: Pick<Calling<never>, 'me' | 'now' | 'today' | 'company'>) => T,
): Presentation<T> => ({ stored, show });

interface Listing<
  R extends Role,
  A extends string,
  C,
  I extends z.ZodObject,
  T extends z.ZodObject,
  N extends string,
  E extends ErrorMap,
  S extends z.ZodObject,
> extends Described<R, A, I, E, Paged<I, N>> {
  /** The name of the rows: "employees". */
  readonly plural: string;
  /** The schema of one row. */
  readonly item: T;
  /** One order, or several by name. With several, the tool gets the input `sort`; the first is the default. */
  readonly order: Order<Sortable<z.output<T>>> | { readonly [P in N]: Order<Choosable<z.output<T>>> };
  readonly present?: Presentation<z.input<T>>;
  /** The schema of `metadata.summary`: totals over all rows that the caller may see, not only the page. */
  readonly totals?: S;
  /** Keys of the summary that the answer repeats in `metadata` itself. */
  readonly hoisted?: readonly (keyof z.output<S> & string)[];
  computeTotals?(input: z.output<I>, context: Calling<Codes<E>> & C): Promise<z.input<S>>;
  /** The URI of the resource that has the same items. MCP clients get the rows as a page of it. */
  readonly resource?: string;
  /** Exceptions to what the row schema says about which fields analyses and filters may use. */
  readonly analysis?: AnalysisHint;
  /** The answer in one line; the number of rows by default. `asked` is the input as sent. */
  summary?(rows: readonly z.output<T>[], asked: Readonly<Record<string, unknown>>, company: Company): string;
}
/** Describes the rows. The pipeline adds limit, cursor, order, count and warning. */
interface Finding<F, Q, I extends z.ZodObject, E extends ErrorMap> {
  find(input: z.output<I>, context: Calling<Codes<E>> & F): Q;
  readonly rows?: never;
}
/** Returns all rows, in any order. Use it only for a few rows that are part of another row. */
interface FetchingAll<C, I extends z.ZodObject, T extends z.ZodObject, E extends ErrorMap> {
  rows(input: z.output<I>, context: Calling<Codes<E>> & C): Promise<readonly z.input<T>[]>;
  readonly find?: never;
}
export type ListDef<
  R extends Role,
  A extends string,
  C,
  F,
  Q,
  I extends z.ZodObject,
  T extends z.ZodObject,
  N extends string,
  E extends ErrorMap,
  S extends z.ZodObject,
> = Listing<R, A, C, I, T, N, E, S> & (Finding<F, Q, I, E> | FetchingAll<C, I, T, E>);

export interface WriteDef<
  R extends Role,
  A extends string,
  C,
  W,
  I extends z.ZodObject,
  O extends z.core.$ZodType,
  E extends ErrorMap,
  P extends Plan,
  D,
> extends Described<R, A, I, E> {
  readonly effect: Effect;
  readonly output: O;
  /** Reads what would change and describes it. The result may depend only on input, rows and `now`, because `prepare` runs twice. */
  prepare(input: z.output<I>, context: Calling<Codes<E>> & C): Promise<P>;
  execute(input: z.output<I>, context: Calling<Codes<E>> & Answering<O> & W & { readonly plan: NoInfer<P> }): Promise<D>;
  /** The result in one line; the title by default. */
  summary?(data: z.output<O>, company: Company): string;
}
/** For domains with `actsAtOnce`: a write that needs no approval in some cases. */
export interface OwnWriteDef {
  /** Published as "Happens at once when …". For each call, `own` in the plan says whether this condition holds. */
  readonly atOnceWhen?: string;
}

export interface ActDef<R extends Role, A extends string, W, I extends z.ZodObject, O extends z.core.$ZodType, E extends ErrorMap, D>
  extends Described<R, A, I, E> {
  readonly effect: Effect;
  readonly output: O;
  /** The plan for the approval card, if a call needs an approval because of `approvalBecause`. By default the card shows the input. */
  prepare?(input: z.output<I>, context: Calling<Codes<E>> & W): Promise<Plan>;
  execute(input: z.output<I>, context: Calling<Codes<E>> & Answering<O> & W): Promise<D>;
  /** The result in one line; the title by default. */
  summary?(data: z.output<O>, company: Company): string;
}

export interface Audience {
  /** The roles that select this audience; none if only tools select it with `audience`. */
  readonly roles: readonly Role[];
  /** The visible rows in words, for the published role matrix. */
  readonly sees: string;
  /** True if the rows depend on the caller's employee record. Callers without such a record are refused. */
  readonly linked?: boolean;
}
export interface Mask {
  readonly hides: string;
  readonly shownTo: readonly Role[];
  readonly andOwner: boolean;
}

/** A change that happens at a person's first call to the domain, such as accepting an invitation. */
export interface FirstUse<A extends string, R, W> {
  /** The name in the audit log. */
  readonly name: string;
  /** The audience for `isPending` and `apply`. Declare it without roles, and let it see only the rows of this change. */
  readonly audience: A;
  appliesTo(person: Person): boolean;
  isPending(person: Person, given: R): Promise<boolean>;
  apply(person: Person, now: Date, given: W): Promise<void>;
}

export interface DomainSpec<K extends StoreKind, A extends Record<string, Audience>, X, N extends string = string> {
  readonly name: string;
  readonly title: string;
  /** The version of the declaration API for which the domain is written. The start refuses any other version. */
  readonly engine: typeof ENGINE_VERSION;
  /** `import.meta.url` of the file that declares the domain; sql/, phrases/ and sample/ lie beside it. */
  readonly home: string;
  readonly port: number;
  readonly store: K;
  /** The roles that this domain introduces. */
  readonly roles?: RoleSet<string>;
  /**
   * Role sets of other domains, whose roles the audiences and masks of this domain may name. If such a domain is not installed, nobody has
   * its roles.
   */
  readonly rolesOf?: readonly RoleSet<string>[];
  /** Declare the widest audience first. The domain's tools may use only the roles of these audiences. */
  readonly audiences: A;
  /** All collections of the domain, each with the rows that every audience sees. */
  readonly collections?: { readonly [P in N]: Collected<keyof A & string>[K] };
  readonly masks?: Readonly<Record<string, Mask>>;
  /**
   * The types of records that the domain's writes change, by name. The tool `get_history` shows the changes of a record. For an input
   * `room_id` of a write, the type `room` with the tool `get_room`, or the lists that end their order with `room_id`, needs no entry.
   */
  readonly records?: Readonly<Record<string, RecordSpec>>;
  /** Input keys that are not published and may repeat the caller's own identity. A call with another identity is refused. */
  readonly pinned?: Readonly<Record<string, (person: Person) => readonly string[]>>;
  /** Why tools of this domain may write without an approval. Without it, the domain has no `act`. */
  readonly actsAtOnce?: string;
  readonly onFirstUse?: FirstUse<keyof A & string, Readers<N>[K], Writers<N>[K]>;
  /** The folder from which each start makes the rows. Only for search domains; they then have no store setting. */
  readonly folder?: FolderSource;
  /** The contracts of other domains that this domain uses. Reads, lists and `prepare` get their clients as `needs`. */
  readonly needs?: Needs;
  /** Returns the handles that the domain's tools get in addition to `me`, `audience` and the others. */
  readonly handles?: (given: Writers<N>[K] & { readonly me: Me }) => X;
}
/** Domains on documents and search must declare collections, because these declare the rows of each audience. SQL domains declare none. */
export type Collecting<K extends StoreKind> = K extends 'sql' ? { readonly collections?: never } : { readonly collections: object };
export type AnyDomain = DomainSpec<StoreKind, Record<string, Audience>, object>;

export interface CallContext extends Calling<string> {
  readonly handles: Partial<Readers[StoreKind]>;
  /** The clients of the domain's needs by name. */
  readonly needs: Readonly<Record<string, Client<Calls> | undefined>>;
}
export interface Page {
  readonly order: Order<string>;
  /** A query for the store, with the schema of a stored row; or a function that returns all rows. */
  readonly rows: { readonly query: unknown; readonly stored: z.ZodObject } | { fetchAll(context: CallContext): Promise<Row[]> };
  /** Conditions on fields of the rows that the query does not contain. */
  readonly where: Filter | undefined;
  /** The fields in `where` and in the order. The caller must see them on every row. */
  readonly compared: readonly ListField[];
  show(row: Row): Row;
}

export interface ToolExample {
  readonly question: string;
  readonly as: string;
  readonly expects: string | undefined;
  /** Uses the default company if none is given. */
  input(today: string, company?: Company): Readonly<Record<string, unknown>>;
}

/** Who may use a tool or a change feed, and with which audience. */
export interface AccessRule {
  readonly domain: AnyDomain;
  /** The company of the tool's registry; the default company if no registry contains the tool. */
  readonly company: Company;
  readonly name: string;
  readonly roles: readonly Role[];
  /** A fixed audience for all roles; undefined if the audience follows from the caller's roles. */
  readonly audience: string | undefined;
}
/** What the tools of all kinds have in common. */
export interface ToolBase extends AccessRule {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /** Parses the result of the tool into its published shape. */
  parseOutput(result: unknown): unknown;
  readonly errors: ErrorMap;
  readonly examples: readonly ToolExample[];
  readonly lastResort: boolean;
  readonly aliases: readonly string[];
  readonly inputAliases: Readonly<Record<string, string>>;
  readonly chart: Chart | undefined;
  /** Uses the default company if none is given. */
  summary(data: unknown, asked: Readonly<Record<string, unknown>>, company?: Company): string;
}
export interface ReadTool extends ToolBase {
  readonly kind: 'read';
  run(input: Input, context: CallContext): Promise<unknown>;
}
export interface ListTool extends ToolBase {
  readonly kind: 'list';
  readonly plural: string;
  /** The URI of the resource that has the same items. */
  readonly resource: string | undefined;
  readonly totals: Totals | undefined;
  /** The inputs that the tool itself declares, with limit, cursor and sort; `input` also has those that follow from the fields. */
  readonly ownInput: z.ZodObject;
  /** The orders of the rows by name. The first is the default. */
  readonly orders: Readonly<Record<string, Order<string>>>;
  /** The fields that can be filtered, grouped and measured; none if the tool fetches all rows itself. */
  readonly fields: readonly ListField[];
  /** The field with the id of a row: the last key of each order. */
  readonly rowId: string;
  page(input: Input, context: CallContext): Page;
}
/** Totals over all rows that the caller may see. */
export interface Totals {
  readonly schema: z.ZodObject;
  readonly hoisted: readonly string[];
  compute(input: Input, context: CallContext): Promise<unknown>;
}
export interface WriteTool extends ToolBase {
  readonly kind: 'write';
  readonly effect: Effect;
  /** The condition under which a write needs no approval; undefined if it always needs one. */
  readonly atOnceWhen: string | undefined;
  prepare(input: Input, context: CallContext): Promise<Plan>;
  execute(input: Input, context: CallContext, plan: Plan): Promise<unknown>;
}
export interface ActTool extends ToolBase {
  readonly kind: 'act';
  readonly effect: Effect;
  prepare(input: Input, context: CallContext): Promise<Plan>;
  execute(input: Input, context: CallContext): Promise<unknown>;
}
/** An unlisted tool that reads a resource page by page. */
export interface PagesTool extends ToolBase {
  readonly kind: 'pages';
  part(at: PagePosition, context: CallContext): Promise<ResourcePage<unknown>>;
}
/** An unlisted tool that needs no store, for example to render a prompt. */
export interface PlainTool extends ToolBase {
  readonly kind: 'plain';
  run(input: Input, context: CallContext): Promise<unknown>;
}
/** The tool that computes figures over the rows of a server's lists. The registry derives it from the lists. */
export interface AnalyzeTool extends ToolBase {
  readonly kind: 'analyze';
  readonly lists: readonly ListTool[];
}
/** The tool that reads the changes of one record. The registry derives it from the writes of a server. */
export interface HistoryTool extends ToolBase {
  readonly kind: 'history';
  readonly records: readonly RecordType[];
}
/** A type of records, with the tools that show one record of it. */
export interface RecordType {
  readonly type: string;
  readonly id: string;
  readonly shownBy: readonly (ReadTool | ListTool)[];
}
/** A tool that can write. */
export type EffectTool = WriteTool | ActTool;
/** A declaration with its types erased, for the pipeline and all derived code. */
export type Tool = ReadTool | ListTool | EffectTool | AnalyzeTool | HistoryTool | PagesTool | PlainTool;

export const canWrite = (tool: Tool): tool is EffectTool => tool.kind === 'write' || tool.kind === 'act';
/** What the tool does to the data; undefined for a tool that only reads. */
export const effectOf = (tool: Tool): Effect | undefined => (canWrite(tool) ? tool.effect : undefined);
/** The name of the rows of a list; undefined for other tools. */
export const pluralOf = (tool: Tool): string | undefined => (tool.kind === 'list' ? tool.plural : undefined);
/** The condition under which a write needs no approval. */
export const atOnceWhenOf = (tool: Tool): string | undefined => (tool.kind === 'write' ? tool.atOnceWhen : undefined);
/** True if a call can change data without an approval. */
export const canWriteAtOnce = (tool: Tool): boolean => tool.kind === 'act' || atOnceWhenOf(tool) !== undefined;

/** Input that was parsed with the tool's schema. */
export type Input = Readonly<Record<string, unknown>>;
