/** The declaration API: `defineDomain` returns the builders read, list, write, act, resource, pages, prompt and feed. */
import { z } from 'zod';
import { type Company, DEFAULT_COMPANY } from './company.ts';
import type { Calls, Clients, Contract, Needs } from './contracts.ts';
import { documentWords } from './documents.ts';
import { type ErrorMap, toolFailure } from './errors.ts';
import { errorsFor } from './for-company.ts';
import { maskedFields, maskOf } from './masks.ts';
import { type Installed, installDomain, type Parts } from './install.ts';
import { listFields } from './list-fields.ts';
import { derivedInputs, splitDerived } from './list-inputs.ts';
import { Order } from './order.ts';
import { cursor, limit } from './page.ts';
import type { BaseRole, Role } from './people.ts';
import { createFollower, createProvision, type Following, type ProvideDef, type Provision } from './provisions.ts';
import { type ResourceBuilders, createResourceBuilders } from './resources.ts';
import type { NamesOf, RoleSet } from './roles.ts';
import { answerParser } from './rows.ts';
import { searchWords } from './search.ts';
import { sql } from './sql.ts';
import type { Finders, Queries, Readers, StoreKind, Writers } from './store-kinds.ts';
import type {
  ActDef,
  ActTool,
  Answerable,
  AnyDomain,
  Audience,
  CallContext,
  Change,
  Collecting,
  Described,
  DomainSpec,
  ENGINE_VERSION,
  Example,
  ListDef,
  ListTool,
  Mistake,
  OwnWriteDef,
  Plan,
  ReadDef,
  ReadTool,
  ToolBase,
  ToolExample,
  WriteDef,
  WriteTool,
} from './tool.ts';

export interface Domain<R extends Role, A extends string, C, W, F, Q> extends ResourceBuilders<R, A, C> {
  readonly spec: AnyDomain;
  /** Returns the domain with its tools and resources, for the list of domains in a configuration. */
  install(parts: Parts): Installed;
  /** Provides a contract to other domains and to the engine. List the result under `provides` of `install`. */
  provide<S extends Calls>(of: Contract<S>, def: ProvideDef<R, A, C, S>): Provision;
  read<I extends z.ZodObject, O extends z.core.$ZodType, const D extends Answerable<O>, const E extends ErrorMap = {}>(
    def: ReadDef<R, A, C, I, O, E, D>,
  ): ReadTool;
  list<
    I extends z.ZodObject,
    T extends z.ZodObject,
    N extends string = never,
    const E extends ErrorMap = {},
    S extends z.ZodObject = z.ZodObject,
  >(def: ListDef<R, A, C, F, Q, I, T, N, E, S>): ListTool;
  write<
    I extends z.ZodObject,
    O extends z.core.$ZodType,
    const D extends Answerable<O>,
    const P extends Plan,
    const E extends ErrorMap = {},
  >(def: WriteDef<R, A, C, W, I, O, E, P, D>): WriteTool;
}
export interface ActingDomain<R extends Role, A extends string, C, W, F, Q> extends Domain<R, A, C, W, F, Q> {
  write<
    I extends z.ZodObject,
    O extends z.core.$ZodType,
    const D extends Answerable<O>,
    const P extends Plan,
    const E extends ErrorMap = {},
  >(def: WriteDef<R, A, C, W, I, O, E, P, D> & OwnWriteDef): WriteTool;
  act<I extends z.ZodObject, O extends z.core.$ZodType, const D extends Answerable<O>, const E extends ErrorMap = {}>(
    def: ActDef<R, A, W, I, O, E, D>,
  ): ActTool;
}

type RolesOf<A> = A extends Record<string, { readonly roles: readonly (infer R)[] }> ? Extract<R, Role> : never;
/** Limits the roles in audiences and masks to the engine's roles, the domain's own roles and the roles of `rolesOf`. */
interface RolesNamed<A, Own extends string, Others extends readonly RoleSet<string>[]> {
  readonly roles?: RoleSet<Own>;
  readonly rolesOf?: Others;
  readonly audiences: { readonly [P in keyof A]: { readonly roles: readonly KnownRole<Own, Others>[] } };
  readonly masks?: Readonly<Record<string, { readonly shownTo: readonly KnownRole<Own, Others>[] }>>;
}
type KnownRole<Own extends string, Others extends readonly RoleSet<string>[]> = NoInfer<Own> | NamesOf<NoInfer<Others>[number]> | BaseRole;
/** The compiler prints the text of `Mistake` if a domain states no version of the declaration API, or another one. */
type WrittenFor<E> = E extends typeof ENGINE_VERSION
  ? { readonly engine: E }
  : { readonly engine: Mistake<'the domain does not say that it is written for version 1 of the declaration API (engine: 1)'> };
type Seen<X, S> = [X] extends [never] ? S : X;
/**
 * `execute` gets no clients of other domains, because its transaction must not wait for them. `prepare` puts their answers into the plan.
 */
type Reading<X, S, G extends Needs> = Seen<X, S> & { readonly needs: Clients<G> };

/** The query builders of each kind of store. */
const words: Finders = { sql: { sql }, documents: { documents: documentWords }, search: { search: searchWords } };

export function defineDomain<
  const K extends StoreKind,
  const A extends Record<string, Audience>,
  X extends object = never,
  const Acts extends string | undefined = undefined,
  N extends string = never,
  const Own extends string = never,
  const Others extends readonly RoleSet<string>[] = [],
  const G extends Needs = {},
  const E = unknown,
>(
  spec: Omit<DomainSpec<K, A, X, N>, 'engine'> & { readonly engine?: E } & WrittenFor<E> &
    Collecting<K> & { readonly actsAtOnce?: Acts; readonly needs?: G } & RolesNamed<A, Own, Others>,
): Following<K, keyof A & string> &
  (Acts extends string
    ? ActingDomain<RolesOf<A>, keyof A & string, Reading<X, Readers<N>[K], G>, Seen<X, Writers<N>[K]>, Finders<N>[K], Queries[K]>
    : Domain<RolesOf<A>, keyof A & string, Reading<X, Readers<N>[K], G>, Seen<X, Writers<N>[K]>, Finders<N>[K], Queries[K]> & {
        readonly act: Mistake<'act: this domain does not say why it may write without approval (actsAtOnce)'>;
      });
export function defineDomain(spec: AnyDomain): unknown {
  checkAudiences(spec);
  type Anything = Record<string, unknown>;

  const contextFor = (call: CallContext, errors: ErrorMap, { output, plan }: { output?: z.core.$ZodType; plan?: Plan } = {}) => {
    const own = spec.handles ? spec.handles({ ...call.handles, me: call.me } as never) : call.handles;
    const fail = (code: string, details?: Record<string, unknown>): never => {
      throw toolFailure(code, errorsFor(errors, call.company), details);
    };
    return {
      me: call.me,
      audience: call.audience,
      now: call.now,
      today: call.today,
      company: call.company,
      fail,
      needs: call.needs,
      output,
      plan,
      ...words[spec.store],
      ...own,
    } as never;
  };
  const base = (def: Described<Role, string, z.ZodObject, ErrorMap, Anything>, input: z.ZodObject, output: z.core.$ZodType): ToolBase => {
    checkMasks(spec, def.name, output);
    return {
      domain: spec,
      company: DEFAULT_COMPANY,
      output: output as z.ZodType,
      parseOutput: answerParser(output as z.ZodType),
      input: input.strict(),
      name: def.name,
      title: def.title,
      description: def.description,
      roles: def.roles,
      audience: def.audience,
      errors: def.errors ?? {},
      examples: (def.examples ?? []).map(plainExample),
      lastResort: def.lastResort ?? false,
      aliases: def.aliases ?? [],
      inputAliases: (def.inputAliases ?? {}) as Record<string, string>,
      chart: def.chart,
      summary: () => def.title,
    };
  };

  return {
    spec,
    install: (parts: Parts) => installDomain(spec, parts),
    provide: (contract: Contract, def: ProvideDef<Role, string, object, Calls>) =>
      createProvision(spec, { contract, def }, (call) => contextFor(call, {})),
    follow: (contract: Parameters<typeof createFollower>[1], def: Parameters<typeof createFollower>[2]) =>
      createFollower(spec, contract, def),
    ...createResourceBuilders(spec, base, contextFor),
    read(def: ReadDef<Role, string, Anything, z.ZodObject, z.ZodType, ErrorMap, unknown>): ReadTool {
      const tool = base(def, def.input, def.output);
      return {
        ...tool,
        kind: 'read',
        summary: (data, _asked, company = DEFAULT_COMPANY) => def.summary?.(data, company) ?? def.title,
        run: (input, call) => def.run(input as never, contextFor(call, tool.errors, { output: def.output })),
      };
    },
    list(def: ListDef<Role, string, Anything, Anything, unknown, z.ZodObject, z.ZodObject, string, ErrorMap, z.ZodObject>): ListTool {
      const stored = def.present?.stored ?? def.item;
      const orders = ordersOf(def.order, stored);
      const names = Object.keys(orders);
      const paging: Record<string, z.ZodType> = { limit, cursor };
      if (names.length > 1)
        paging['sort'] = z
          .enum(names)
          .default(names[0] ?? '')
          .describe('Order');
      const [firstOrder = new Order('asc', [])] = Object.values(orders);
      const fields = def.find ? listFields(spec, { item: def.item, stored, order: firstOrder, hint: def.analysis }) : [];
      const ownInput = def.input.safeExtend(paging).strict();
      const derived = derivedInputs(fields, ownInput.shape);
      const tool = base(def, ownInput.safeExtend(derived), z.array(def.item));
      const { totals, computeTotals } = def;
      const split = { fields, own: new Set(Object.keys(def.input.shape)) };
      /** Without limit, cursor and sort, and without the derived filters. */
      const declared = (input: Anything, company: Company) => splitDerived(input, split, company).own as never;
      const parseItem = answerParser(def.item);
      checkOrders(def.name, orders, { rows: [def.item, stored], fields });
      for (const schema of [stored, ...(totals ? [totals] : [])]) checkMasks(spec, def.name, schema);
      return {
        ...tool,
        kind: 'list',
        plural: def.plural,
        resource: def.resource,
        ownInput,
        orders,
        fields,
        rowId: firstOrder.keys.at(-1) ?? '',
        totals: totals &&
          computeTotals && {
            schema: totals,
            hoisted: def.hoisted ?? [],
            compute: async (input, call) =>
              answerParser(totals)(await computeTotals(declared(input, call.company), contextFor(call, tool.errors))),
          },
        summary: (data, asked, company = DEFAULT_COMPANY) =>
          def.summary?.(data as never, asked, company) ?? `${(data as unknown[]).length} ${def.plural}`,
        page: (input, call) => {
          const { own, where, fields: filtered } = splitDerived(input, split, call.company);
          const order = orders[(input['sort'] as string | undefined) ?? names[0] ?? ''] ?? firstOrder;
          return {
            order,
            rows: def.find
              ? { query: def.find(own as never, contextFor(call, tool.errors)), stored }
              : { fetchAll: async (fetching) => (await def.rows(own as never, contextFor(fetching, tool.errors))).map(parseItem) },
            where,
            compared: [...filtered, ...fields.filter(({ name }) => order.keys.includes(name))],
            show: (row) => (def.present ? parseItem(def.present.show(row as never, call)) : row),
          };
        },
      };
    },
    write(def: WriteDef<Role, string, Anything, Anything, z.ZodObject, z.ZodType, ErrorMap, Plan, unknown> & OwnWriteDef): WriteTool {
      const tool = base(def, def.input, def.output);
      if (def.atOnceWhen !== undefined && spec.actsAtOnce === undefined)
        throw new Error(`${spec.name}.${def.name}: this domain does not say why it may write without approval`);
      return {
        ...tool,
        kind: 'write',
        effect: def.effect,
        atOnceWhen: def.atOnceWhen,
        summary: (data, _asked, company = DEFAULT_COMPANY) => def.summary?.(data as never, company) ?? def.title,
        prepare: (input, call) => def.prepare(input as never, contextFor(call, tool.errors)),
        execute: (input, call, plan) => def.execute(input as never, contextFor(call, tool.errors, { output: def.output, plan })),
      };
    },
    act(def: ActDef<Role, string, Anything, z.ZodObject, z.ZodType, ErrorMap, unknown>): ActTool {
      const tool = base(def, def.input, def.output);
      return {
        ...tool,
        kind: 'act',
        effect: def.effect,
        summary: (data, _asked, company = DEFAULT_COMPANY) => def.summary?.(data as never, company) ?? def.title,
        prepare: async (input, call) => def.prepare?.(input as never, contextFor(call, tool.errors)) ?? planFromInput(def, input),
        execute: (input, call) => def.execute(input as never, contextFor(call, tool.errors, { output: def.output })),
      };
    },
  };
}

const plainExample = ({ question, as, input, expects }: Example<Readonly<Record<string, unknown>>>): ToolExample => ({
  question,
  as,
  expects,
  input: (today, company = DEFAULT_COMPANY) => (typeof input === 'function' ? input(today, company) : input),
});

function checkAudiences(spec: AnyDomain): void {
  const seen = new Set<Role>();
  for (const role of Object.values(spec.audiences).flatMap(({ roles }) => roles)) {
    if (seen.has(role)) throw new Error(`${spec.name}: ${role} is in two audiences`);
    seen.add(role);
  }
}

/** The role matrix lists only declared masks, so the start fails if a tool uses an undeclared mask. */
function checkMasks(spec: AnyDomain, tool: string, schema: z.core.$ZodType): void {
  for (const { path, mask } of maskedFields(schema)) {
    if (!Object.hasOwn(spec.masks ?? {}, mask))
      throw new Error(`${spec.name}.${tool}: ${path || 'the output'} has the mask '${mask}', which the domain does not declare`);
  }
}

const canBeNull = (schema: z.ZodType | undefined): boolean =>
  schema !== undefined && (maskOf(schema) !== undefined || schema.safeParse(null).success || schema.safeParse(undefined).success);

/** The orders by name, each with the keys that can be null. */
function ordersOf(
  declared: Order<string> | Readonly<Record<string, Order<string>>>,
  { shape }: z.ZodObject,
): Record<string, Order<string>> {
  const given = declared instanceof Order ? { default: declared } : declared;
  const nullable = ({ keys }: Order<string>) => keys.filter((key) => canBeNull(shape[key] as z.ZodType | undefined));
  return Object.fromEntries(Object.entries(given).map(([name, order]) => [name, new Order(order.direction, order.keys, nullable(order))]));
}

/**
 * An order by a masked field reveals its values. The engine refuses it for callers who may not see the field, so it cannot be the default,
 * and the engine must know the field. The compiler cannot check this, because a masked string has the type `string`.
 */
function checkOrders(
  tool: string,
  orders: Readonly<Record<string, Order<string>>>,
  { rows, fields }: { readonly rows: readonly z.ZodObject[]; readonly fields: readonly { readonly name: string }[] },
): void {
  for (const [at, { keys, nullable }] of Object.values(orders).entries()) {
    const isMasked = (key: string) =>
      rows.some(({ shape }) => shape[key] !== undefined && maskOf(shape[key] as z.core.$ZodType) !== undefined);
    const masked = keys.find((key) => isMasked(key) && (at === 0 || !fields.some(({ name }) => name === key)));
    if (masked !== undefined) throw new Error(`${tool}: ordered by the masked field ${masked}`);
    const last = keys.at(-1) ?? '';
    if (nullable.includes(last)) throw new Error(`${tool}: ${last} can be null, so it cannot be the last key of an order`);
    if (nullable.length > 0 && keys.includes('_score'))
      throw new Error(`${tool}: ordered by _score and by ${nullable.join()}, which can be null`);
  }
}

const MAX_SUMMARY_LENGTH = 80;
/** The default plan of an `act`: the card shows the input. */
function planFromInput({ title, effect }: Pick<ActTool, 'title' | 'effect'>, input: Readonly<Record<string, unknown>>): Plan {
  const given = Object.entries(input).filter(
    ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  const [, what = ''] = given.find(([field, value]) => typeof value === 'string' && !field.endsWith('_id')) ?? [];
  const id = given.find(([field]) => field.endsWith('_id'))?.[1];
  const shortened = String(what).length > MAX_SUMMARY_LENGTH ? `${String(what).slice(0, MAX_SUMMARY_LENGTH)}…` : String(what);
  const label = shortened === '' ? title : shortened;
  return {
    summary: shortened === '' ? title : `${title}: ${shortened}`,
    subject: { label, id: typeof id === 'string' || typeof id === 'number' ? String(id) : '' },
    changes: given.map(([field, value]) => ({ field, from: null, to: Array.isArray(value) ? value.join(', ') : value })),
    ...(effect === 'removes' && { afterwards: 'It cannot be restored.' }),
  };
}

/** Lists each field whose value differs, for a card: `changed(current, { salary: 95_000 }, 'money')`. */
export function changed<T extends object>(before: T, after: Partial<T>, format: Change['format'] = 'text'): Change[] {
  return Object.entries(after)
    .map(([field, to]) => ({ field, from: (before as Record<string, unknown>)[field] ?? null, to, format }))
    .filter(({ from, to }) => from !== to);
}
