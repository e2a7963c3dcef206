/** What a declaration may say, and what it becomes. The builders are in define.ts; everything derived works on `Tool`. */
import type { z } from 'zod';
import type { CardChange } from './answer.ts';
import type { Chart } from './chart.ts';
import type { CommonCode, Details, ErrorMap, ErrorText } from './errors.ts';
import type { Order, Sortable } from './order.ts';
import type { PagePosition, ResourcePage } from './page.ts';
import type { Person, Role } from './people.ts';
import type { Row } from './rows.ts';
import type { Collected, Readers, StoreKind, Writers } from './store-kinds.ts';

/** The caller, as a tool knows them. */
export interface Me extends Omit<Person, 'employeeId'> {
  /** The caller's own employee record. Asking for it without one ends the call with IDENTITY_NOT_LINKED: no rule about "self" can pass by accident. */
  readonly employeeId: string;
}

export interface Calling<Codes extends string> {
  readonly me: Me;
  /** With whose eyes the store is read. It decides what is seen; a tool may ask it only for the shortest way there. */
  readonly audience: string;
  /** When the call was made; for a write, when it was asked for, also while it is carried out. */
  readonly now: Date;
  /** `now` as a date, in UTC. */
  readonly today: string;
  /** Throws. `x ?? fail('…')` narrows; in a statement write `throw fail('…')`. */
  readonly fail: (code: Codes | CommonCode, details?: Details) => never;
}
export interface Answering<O> {
  /** The tool's own output schema. */
  readonly output: O;
}

export interface Example<X> {
  /** The words of a person: a title in the docs, a question for the assistant. */
  readonly question: string;
  /** The same in other words: the assistant learns from them, nobody else reads them. */
  readonly phrases?: readonly string[];
  readonly as: string;
  /** A function of the day it is asked on where dates are in it, so that an example never grows old. */
  readonly input: X | ((today: string) => X);
  /** What it must come to; by default the tool's success (for a write: an approval card, so one that happens at once says 'success'). */
  readonly expects?: Uppercase<string> | 'success';
}

export interface Described<R extends Role, A extends string, I extends z.ZodObject, E extends ErrorMap, X = z.input<I>> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Any of them opens the tool; which rows it then shows follows from the role that opened it. */
  readonly roles: readonly [R, ...R[]];
  /** An audience of its own, whatever role opened it: the company directory is the same for everyone. */
  readonly audience?: A;
  readonly input: I;
  /** The codes that `fail` takes, each with what to try next. */
  readonly errors?: E & {
    readonly [K in keyof E]: K extends Uppercase<string> ? ErrorText : Mistake<'an error code is upper case, such as EMPLOYEE_NOT_FOUND'>;
  };
  readonly examples?: readonly Example<X>[];
  /** Holds whatever people wrote down: a question that no other tool is for is looked up here. */
  readonly lastResort?: boolean;
  /** Older names: they work, and are listed nowhere. */
  readonly aliases?: readonly string[];
  readonly inputAliases?: Readonly<Record<string, keyof z.output<I>>>;
  /** Where a picture says more than the figures. */
  readonly chart?: Chart;
}

type Codes<E> = keyof E & string;

/** Stands where a declaration is wrong: the compiler prints the reason with the type's name. */
export interface Mistake<_Why extends string> {
  readonly mistake: never;
}

/**
 * What a tool may return. The builders take it as a `const` parameter bounded by the schema, not as the schema's type
 * itself: only so does `status: 'completed'` stay a literal inside one object literal.
 */
export type Answerable<O extends z.core.$ZodType> = Frozen<z.input<O>>;
type Frozen<T> = T extends readonly (infer U)[] ? readonly Frozen<U>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

export interface ReadDef<R extends Role, A extends string, C, I extends z.ZodObject, O extends z.core.$ZodType, E extends ErrorMap, D>
  extends Described<R, A, I, E> {
  readonly output: O;
  run(input: z.output<I>, context: Calling<Codes<E>> & Answering<O> & C): Promise<D>;
  /** One line for a reader who sees nothing else; the title by default. */
  summary?(data: z.output<O>): string;
}

type Paged<I extends z.ZodObject, N extends string> = z.input<I> & { readonly limit?: number; readonly sort?: NoInfer<N> };

/** For rows that are shown otherwise than they are stored; made by `shownAs`. */
export interface Presentation<T> {
  readonly stored: z.ZodObject;
  show(row: never, at: Pick<Calling<never>, 'me' | 'now' | 'today'>): T;
}
/** What is stored, and what becomes of it at the moment of asking: minutes that are left, for one. Fields that the order names stay as they are. */
export const presentAs = <S extends z.ZodObject, T>(
  stored: S,
  show: (row: z.output<S>, at: Pick<Calling<never>, 'me' | 'now' | 'today'>) => T,
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
  /** What the rows are called: "employees". */
  readonly plural: string;
  /** One row. */
  readonly item: T;
  /** One order, or several by name: then the tool takes `sort`, the first by default. */
  readonly order: Order<Sortable<z.output<T>>> | { readonly [P in N]: Order<Sortable<z.output<T>>> };
  readonly present?: Presentation<z.input<T>>;
  /** Totals over all rows the caller may see, not the page: `metadata.summary`. */
  readonly totals?: S;
  /** Keys of the summary that stand in `metadata` itself as well, where a specification wants them there. */
  readonly hoisted?: readonly (keyof z.output<S> & string)[];
  computeTotals?(input: z.output<I>, context: Calling<Codes<E>> & C): Promise<z.input<S>>;
  /** The address of the resource that the rows are items of: then an MCP client is given them as a page of it. */
  readonly resource?: string;
  /** One line for a reader who sees nothing else; how many rows there are by default. `asked` is the input as it was sent. */
  summary?(rows: readonly z.output<T>[], asked: Readonly<Record<string, unknown>>): string;
}
/** Which rows. Limit, cursor, order, count and warning are added around it. */
interface Finding<F, Q, I extends z.ZodObject, E extends ErrorMap> {
  find(input: z.output<I>, context: Calling<Codes<E>> & F): Q;
  readonly rows?: never;
}
/** The few rows that live inside another row, all of them, in any order. */
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

/** One line of an approval card. */
export type Change = Pick<CardChange, 'field' | 'from' | 'to'> & Partial<CardChange>;
/** What the approver sees. Built when asked and again when approved: if the two differ, nothing is written. */
export interface Plan {
  /** What will happen, in one sentence without its full stop. */
  readonly summary: string;
  readonly subject: { readonly label: string; readonly id: string };
  readonly changes: readonly Change[];
  readonly reason?: string | null | undefined;
  /** Concerns nobody but the caller. Heeded only where the tool says when that is (`atOnceWhen`); then it happens in the call. */
  readonly own?: boolean;
  /** For something removed: how it can be had back, as a sentence, where it can. */
  readonly afterwards?: string;
}
export type Effect = 'adds' | 'changes' | 'removes';

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
  /** Reads what would change and says it. A function of input, rows and `now` alone: it runs again when approved. */
  prepare(input: z.output<I>, context: Calling<Codes<E>> & C): Promise<P>;
  execute(input: z.output<I>, context: Calling<Codes<E>> & Answering<O> & W & { readonly plan: NoInfer<P> }): Promise<D>;
  /** What happened, in one line; the title by default. */
  summary?(data: z.output<O>): string;
}
/** For domains that say why they may write at once: some calls of a write need no approval, and its card says which. */
export interface OwnWriteDef {
  /** Published: "Happens at once when …". Each call is decided by `own` in what `prepare` returns. */
  readonly atOnceWhen?: string;
}

export interface ActDef<R extends Role, A extends string, W, I extends z.ZodObject, O extends z.core.$ZodType, E extends ErrorMap, D>
  extends Described<R, A, I, E> {
  readonly effect: Effect;
  readonly output: O;
  /** The card for the cases in which even this is asked for; by default it shows the input as it was given. */
  prepare?(input: z.output<I>, context: Calling<Codes<E>> & W): Promise<Plan>;
  execute(input: z.output<I>, context: Calling<Codes<E>> & Answering<O> & W): Promise<D>;
  /** What happened, in one line; the title by default. */
  summary?(data: z.output<O>): string;
}

export interface Audience {
  /** The roles it belongs to; none for one that only a tool's `as` reaches. */
  readonly roles: readonly Role[];
  /** Published in the role matrix and in "why can't I see this". */
  readonly sees: string;
  /** Its rows depend on the caller's own employee record. */
  readonly linked?: boolean;
}
export interface Mask {
  readonly hides: string;
  readonly shownTo: readonly Role[];
  readonly andOwner: boolean;
}

/** What is put right when somebody calls who was expected, before the call itself. It is looked at now and then for each person. */
export interface FirstUse<A extends string, R, W> {
  /** As it stands in the trail. */
  readonly name: string;
  /** The audience that may see and change just this. No role opens it. */
  readonly audience: A;
  appliesTo(person: Person): boolean;
  isPending(person: Person, given: R): Promise<boolean>;
  apply(person: Person, now: Date, given: W): Promise<void>;
}

export interface DomainSpec<K extends StoreKind, A extends Record<string, Audience>, X, N extends string = string> {
  readonly name: string;
  readonly title: string;
  readonly port: number;
  readonly store: K;
  /** Widest first. The roles named here are the roles that the domain's tools may name. */
  readonly audiences: A;
  /** All that its tools may name; whoever can see nothing of one says so. */
  readonly collections?: { readonly [P in N]: Collected<keyof A & string>[K] };
  readonly masks?: Readonly<Record<string, Mask>>;
  /** Input keys that are the caller's identity: accepted when they say the same, refused else, never published. */
  readonly pinned?: Readonly<Record<string, (person: Person) => readonly string[]>>;
  /** Why tools of this domain may write without an approval; without it, `act` does not exist. */
  readonly actsAtOnce?: string;
  readonly onFirstUse?: FirstUse<keyof A & string, Readers<N>[K], Writers<N>[K]>;
  /** What tools see in place of the store. */
  readonly provide?: (given: Writers<N>[K] & { readonly me: Me }) => X;
}
/** A domain that is not in SQL has to say who sees which rows. */
export type Collecting<K extends StoreKind> = K extends 'sql' ? { readonly collections?: never } : { readonly collections: object };
export type AnyDomain = DomainSpec<StoreKind, Record<string, Audience>, object>;

export interface CallContext extends Calling<string> {
  readonly handles: Partial<Readers[StoreKind]>;
}
export interface Page {
  readonly order: Order<string>;
  /** What the store is asked; undefined where the tool gathers the rows itself. */
  readonly query: unknown;
  /** A row as the store gives it. */
  readonly stored: z.ZodObject;
  fetchAll(context: CallContext): Promise<Row[]>;
  show(row: Row): Row;
}

export interface ToolExample {
  readonly question: string;
  readonly phrases: readonly string[];
  readonly as: string;
  readonly expects: string | undefined;
  input(today: string): Readonly<Record<string, unknown>>;
}

/** A declaration with its types erased: all that the pipeline and everything derived ever see. */
export interface Tool {
  readonly kind: 'read' | 'list' | 'write' | 'act' | ResourceKind;
  readonly domain: AnyDomain;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly roles: readonly Role[];
  readonly audience: string | undefined;
  readonly effect: Effect | undefined;
  /** In which case a write happens at once; undefined where it never does. */
  readonly atOnceWhen: string | undefined;
  readonly plural: string | undefined;
  /** The resource that its rows are items of. */
  readonly resource: string | undefined;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly totals: z.ZodObject | undefined;
  readonly hoisted: readonly string[];
  readonly errors: ErrorMap;
  readonly examples: readonly ToolExample[];
  readonly lastResort: boolean;
  readonly aliases: readonly string[];
  readonly inputAliases: Readonly<Record<string, string>>;
  readonly chart: Chart | undefined;
  summary(data: unknown, asked: Readonly<Record<string, unknown>>): string;
  run(input: Input, context: CallContext): Promise<unknown>;
  page(input: Input, context: CallContext): Page;
  computeTotals(input: Input, context: CallContext): Promise<unknown>;
  prepare(input: Input, context: CallContext): Promise<Plan>;
  execute(input: Input, context: CallContext, plan: Plan | undefined): Promise<unknown>;
  part(at: PagePosition, context: CallContext): Promise<ResourcePage<unknown>>;
}
/** Ways of being read that no listed tool has: a resource's pages, and what needs no store, such as a prompt's words. */
export type ResourceKind = 'pages' | 'plain';
/** Input that the tool's own schema has parsed. */
export type Input = Readonly<Record<string, unknown>>;
