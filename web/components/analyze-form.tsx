/** The form of a tool `analyze`: list, figures, groups, filters, comparison, order and limit, from the declarations of the lists. */
import { type ReactNode, useState } from 'react';
import { useApp } from '../lib/app.tsx';
import { type Drafts, toDrafts, toInput } from '../lib/form.ts';
import { isRecord, labelFor, numberOf, optionsOf, fieldsOf, resolveSchema, type Schema } from '../lib/schema.ts';
import { allOf, type Found } from '../lib/tools.ts';
import { joined } from '../lib/format.ts';
import { Icon } from './icon.tsx';
import { type Problem, SchemaForm } from './schema-form.tsx';

type Input = Readonly<Record<string, unknown>>;
type ListField = Found['fields'][number];
interface Group {
  readonly field: string;
  readonly by?: string;
}

const COUNT = 'count';
const NOT_FILTERS = new Set(['limit', 'cursor', 'sort', COUNT]);
const FUNCTIONS: Readonly<Record<string, string>> = {
  sum: 'Total',
  avg: 'Average',
  median: 'Median',
  min: 'Lowest',
  max: 'Highest',
  distinct: 'Number of different values',
  share: 'Share of total',
};
const UNITS = ['day', 'week', 'month', 'quarter', 'year'];
const COMPARISONS: Readonly<Record<string, string>> = { previous_period: 'Previous period', previous_year: 'Same period a year before' };
/** Two groups have more rows than one. */
const MANY = 200;

/** A measure as the value of an option: `count`, `avg salary`, `share sum_amount`. */
const toOption = (measure: unknown): string =>
  isRecord(measure) ? (Object.entries(measure).map(([fn, of]) => `${fn} ${String(of as string)}`)[0] ?? COUNT) : COUNT;
function fromOption(option: string): unknown {
  const [fn = '', of] = option.split(' ');
  return of === undefined ? COUNT : { [fn]: of };
}
/** The name of a measure in the answer. */
const nameOf = (option: string): string => option.replace(' ', '_');
const optionText = (option: string, plural: string): string => {
  const [fn = '', of] = option.split(' ');
  if (of === undefined) return `Number of ${plural}`;
  if (of === COUNT) return `Share of ${plural}`;
  return `${FUNCTIONS[fn] ?? labelFor(fn)} ${fn === 'distinct' ? 'of ' : ''}${labelFor(of.replace(/^sum_/, '')).toLowerCase()}`;
};
const isPeriod = ({ type }: ListField) => type === 'day' || type === 'time';

/** The functions in the order in which the form offers them, each with the fields that it can use. */
function measureOptions(fields: readonly ListField[]): readonly { readonly label: string; readonly options: readonly string[] }[] {
  const used = fields.filter(({ hidden }) => !hidden);
  return [
    { label: 'Count', options: [COUNT, `share ${COUNT}`] },
    ...Object.entries(FUNCTIONS).map(([fn, label]) => ({
      label,
      options: used.filter(({ functions }) => functions.includes(fn)).map(({ name }) => `${fn} ${fn === 'share' ? `sum_${name}` : name}`),
    })),
  ].filter(({ options }) => options.length > 0);
}

const Choice = ({
  label,
  value,
  onChange,
  onRemove,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onRemove?: (() => void) | undefined;
  readonly children: ReactNode;
}) => (
  <>
    <select className="select" aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      {children}
    </select>
    {onRemove && (
      <button className="icon-btn" type="button" aria-label={`Remove ${label.toLowerCase()}`} title="Remove" onClick={onRemove}>
        <Icon name="x" className="i-14" />
      </button>
    )}
  </>
);

const Add = ({ children, onAdd }: { readonly children: string; readonly onAdd: () => void }) => (
  <button className="btn btn--quiet btn--sm" type="button" onClick={onAdd}>
    <Icon name="plus" className="i-14" />
    {children}
  </button>
);

const replaced = <T,>(all: readonly T[], at: number, next: T | undefined): T[] =>
  all.flatMap((each, place) => (place !== at ? [each] : next === undefined ? [] : [next]));

/** The inputs of the list that are filters, each optional as long as the list does not require it. */
function filterSchema({ inputSchema }: Found): Schema {
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {};
  return { ...inputSchema, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !NOT_FILTERS.has(name))) };
}

interface AnalyzeFormProps {
  readonly tool: Found;
  readonly input: Input;
  readonly onChange: (input: Input) => void;
  readonly problems: readonly Problem[];
}

export function AnalyzeForm({ tool, input, onChange, problems }: AnalyzeFormProps) {
  const { servers } = useApp();
  const names = optionsOf(resolveSchema(fieldsOf(tool.inputSchema).find(({ name }) => name === 'of')?.schema, tool.inputSchema)) ?? [];
  const lists = allOf(servers).filter(({ server, name }) => server === tool.server && names.includes(name));
  const list = lists.find(({ name }) => name === input['of']) ?? lists[0];
  if (list === undefined) return <p className="small muted">You may use no list of this server.</p>;
  return (
    <div className="analyze">
      <label className="field">
        <span className="label">List</span>
        <select className="select" value={list.name} onChange={({ target }) => onChange({ of: target.value })}>
          {lists.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <ListForm key={list.name} tool={tool} list={list} input={{ ...input, of: list.name }} onChange={onChange} problems={problems} />
    </div>
  );
}

function ListForm({ tool, list, input, onChange, problems }: AnalyzeFormProps & { readonly list: Found }) {
  const schema = filterSchema(list);
  const [filters, setFilters] = useState<Drafts>(() => toDrafts(isRecord(input['where']) ? input['where'] : {}, schema));
  const { fields, plural } = list;
  const noun = plural ?? 'rows';
  const measures = (Array.isArray(input['measures']) ? (input['measures'] as unknown[]) : [COUNT]).map(toOption);
  const given = Array.isArray(input['group_by']) ? (input['group_by'] as unknown[]) : [];
  const groups = given.map((each): Group => (isRecord(each) ? (each as unknown as Group) : { field: String(each as string) }));
  const options = measureOptions(fields);
  const groupable = fields.filter((field) => field.groups && !field.hidden);
  const hidden = fields.filter((field) => field.hidden && (field.groups || field.functions.length > 0));
  const put = (next: Readonly<Record<string, unknown>>) => {
    const all = { ...input, ...next };
    onChange(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
  };
  const sortedBy = isRecord(input['sort']) ? String(input['sort']['by'] as string) : undefined;
  /** An order by a figure or group that is gone would be refused. */
  const keepSort = (left: readonly string[]) => (sortedBy === undefined || left.includes(sortedBy) ? {} : { sort: undefined });
  const putMeasures = (next: readonly string[]) =>
    put({ measures: next.map(fromOption), ...keepSort([...next.map(nameOf), ...groups.map(({ field }) => field)]) });
  const putGroups = (next: readonly Group[]) =>
    put({
      group_by: next.length === 0 ? undefined : next.map(({ field, by }) => (by === undefined ? field : { field, by })),
      ...(next.length === 2 && input['limit'] === undefined && { limit: MANY }),
      ...keepSort([...measures.map(nameOf), ...next.map(({ field }) => field)]),
    });
  const groupOf = (name: string): Group => {
    const field = fields.find((each) => each.name === name);
    return field && isPeriod(field) ? { field: name, by: 'month' } : { field: name };
  };
  const unused = groupable.filter(({ name }) => !groups.some(({ field }) => field === name));
  const firstUnused = options.flatMap((each) => each.options).find((option) => !measures.includes(option));
  const sort = isRecord(input['sort'])
    ? `${String(input['sort']['by'] as string)} ${String((input['sort']['order'] as string | undefined) ?? 'desc')}`
    : '';
  const hiddenNames = new Set(fields.filter((field) => field.hidden).map(({ name }) => name));
  return (
    <>
      <fieldset className="field">
        <legend className="label">Figures</legend>
        {measures.map((measure, at) => (
          <div key={measure} className="analyze-line">
            <Choice
              label={`Figure ${at + 1}`}
              value={measure}
              onChange={(next) => putMeasures(replaced(measures, at, next))}
              onRemove={measures.length > 1 ? () => putMeasures(replaced(measures, at, undefined)) : undefined}
            >
              {options.map((group) => (
                <optgroup key={group.label} label={group.label}>
                  {group.options
                    .filter((option) => option === measure || !measures.includes(option))
                    .map((option) => (
                      <option key={option} value={option}>
                        {optionText(option, noun)}
                      </option>
                    ))}
                </optgroup>
              ))}
            </Choice>
          </div>
        ))}
        {firstUnused !== undefined && measures.length < 8 && <Add onAdd={() => putMeasures([...measures, firstUnused])}>Add a figure</Add>}
      </fieldset>
      <fieldset className="field">
        <legend className="label">
          Groups <span className="req">two at most</span>
        </legend>
        {groups.map((group, at) => {
          const field = fields.find(({ name }) => name === group.field);
          return (
            <div key={group.field} className="analyze-line">
              <Choice
                label={`Group ${at + 1}`}
                value={group.field}
                onChange={(next) => putGroups(replaced(groups, at, groupOf(next)))}
                onRemove={field && isPeriod(field) ? undefined : () => putGroups(replaced(groups, at, undefined))}
              >
                {groupable
                  .filter(({ name }) => name === group.field || unused.some((each) => each.name === name))
                  .map(({ name }) => (
                    <option key={name} value={name}>
                      {labelFor(name)}
                    </option>
                  ))}
              </Choice>
              {field && isPeriod(field) && (
                <Choice
                  label={`Period of group ${at + 1}`}
                  value={group.by ?? 'day'}
                  onChange={(by) => putGroups(replaced(groups, at, { field: group.field, by }))}
                  onRemove={() => putGroups(replaced(groups, at, undefined))}
                >
                  {UNITS.map((unit) => (
                    <option key={unit} value={unit}>
                      by {unit}
                    </option>
                  ))}
                </Choice>
              )}
            </div>
          );
        })}
        {groups.length < 2 && unused[0] !== undefined && (
          <Add onAdd={() => putGroups([...groups, groupOf(unused[0]?.name ?? '')])}>Add a group</Add>
        )}
      </fieldset>
      <fieldset className="field analyze-where">
        <legend className="label">Only where</legend>
        <SchemaForm
          schema={schema}
          drafts={filters}
          onChange={(next) => {
            setFilters(next);
            const where = toInput(next, schema);
            put({ where: Object.keys(where).length === 0 ? undefined : where });
          }}
          problems={problems.map(({ path, message }) => ({ path: path.replace(/^where\./, ''), message }))}
          inPlainWords
          hidden={hiddenNames}
          allOptional
        />
      </fieldset>
      <div className="analyze-rest">
        <label className="field">
          <span className="label">Compare with</span>
          <select
            className="select"
            value={String((input['compare'] as string | undefined) ?? '')}
            onChange={({ target }) => put({ compare: target.value === '' ? undefined : target.value })}
          >
            <option value="">Nothing</option>
            {Object.entries(COMPARISONS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="label">Order</span>
          <select
            className="select"
            value={sort}
            onChange={({ target }) => {
              const [by, order] = target.value.split(' ');
              put({ sort: by ? { by, order } : undefined });
            }}
          >
            <option value="">Default</option>
            {[
              ...measures.map((measure) => [nameOf(measure), optionText(measure, noun), 'largest first', 'smallest first'] as const),
              ...groups.map(({ field }) => [field, labelFor(field), 'last first', 'first first'] as const),
            ].flatMap(([by, label, down, up]) => [
              <option key={`${by} desc`} value={`${by} desc`}>{`${label}, ${down}`}</option>,
              <option key={`${by} asc`} value={`${by} asc`}>{`${label}, ${up}`}</option>,
            ])}
          </select>
        </label>
        <LimitField tool={tool} value={input['limit']} onChange={(limit) => put({ limit })} />
      </div>
      {hidden.length > 0 && <HiddenNote list={list} names={hidden.map(({ name }) => name)} />}
      {problems
        .filter(({ path }) => !path.startsWith('where'))
        .map(({ path, message }) => (
          <p key={path} className="err">
            <Icon name="warn" />
            <span>{message}</span>
          </p>
        ))}
    </>
  );
}

function LimitField({
  tool,
  value,
  onChange,
}: {
  readonly tool: Found;
  readonly value: unknown;
  readonly onChange: (limit: unknown) => void;
}) {
  const limit = resolveSchema(fieldsOf(tool.inputSchema).find(({ name }) => name === 'limit')?.schema, tool.inputSchema);
  return (
    <label className="field">
      <span className="label">
        Groups shown <span className="req">at most {numberOf(limit, 'maximum')}</span>
      </span>
      <input
        className="input num"
        inputMode="numeric"
        autoComplete="off"
        placeholder="50"
        value={value === undefined ? '' : String(value as number)}
        onChange={({ target }) =>
          onChange(target.value === '' ? undefined : Number.isFinite(Number(target.value)) ? Number(target.value) : target.value)
        }
      />
    </label>
  );
}

/** Says why some fields are not offered, and who may use them. */
function HiddenNote({ list, names }: { readonly list: Found; readonly names: readonly string[] }) {
  return (
    <ul className="small muted analyze-hidden">
      {names.map((name) => {
        const mask = list.masked.find(({ field }) => field === name);
        return (
          <li key={name}>
            <Icon name="lock" className="i-14" />
            <span>
              {labelFor(name)} is hidden from you on some rows, so it cannot be used here.{mask && ` Visible to ${joined(mask.shownTo)}.`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
