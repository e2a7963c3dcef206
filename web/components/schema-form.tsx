/** Generates a form from a tool's input schema, including nested objects and lists. */
import { type ReactNode, useId } from 'react';
import { conditionText } from '../lib/conditions.ts';
import { about, type Draft, type Drafts, Exact, widgetOf } from '../lib/form.ts';
import { type Field, fieldsOf, labelFor, numberOf, optionsOf, resolveSchema, type Schema, textOf } from '../lib/schema.ts';
import { Icon } from './icon.tsx';

export interface Problem {
  readonly path: string;
  readonly message: string;
}

interface FormProps {
  readonly schema: Schema;
  readonly whole?: Schema;
  readonly drafts: Drafts;
  readonly onChange: (drafts: Drafts) => void;
  readonly problems?: readonly Problem[];
  /** The path of these fields in the input, such as `items.0.` */
  readonly at?: string;
  /** Shows readable labels; otherwise the names of the keys. */
  readonly inPlainWords?: boolean;
  /** Filters that the user may not use, because their fields are hidden. */
  readonly hidden?: ReadonlySet<string>;
  /** Offers every field as a further one, not only the filters that follow from the fields of a list. */
  readonly allOptional?: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();

export function SchemaForm(props: FormProps) {
  const {
    schema,
    whole = schema,
    drafts,
    onChange,
    problems = [],
    at = '',
    inPlainWords = false,
    hidden = NO_NAMES,
    allOptional = false,
  } = props;
  const isFurther = ({ name, required, schema: { filter } }: Field) => (allOptional ? !required : filter === 'field') && !(name in drafts);
  const all = fieldsOf(schema, whole).filter(({ name }) => !hidden.has(name));
  const fields = all.filter((field) => !isFurther(field));
  const further = all.filter(isFurther);
  if (all.length === 0) return <p className="small muted">This tool takes no input.</p>;
  const select = further.length > 0 && (
    <FurtherFields
      fields={further}
      inPlainWords={inPlainWords}
      onAdd={({ name, schema: field }) => onChange({ ...drafts, [name]: widgetOf(field, whole) === 'range' ? [{}] : '' })}
    />
  );
  return (
    <>
      {fields.length > 0 && (
        <div className="form-grid">
          {fields.map((field) => (
            <FormField
              key={field.name}
              field={field}
              whole={whole}
              draft={drafts[field.name]}
              at={at + field.name}
              problems={problems}
              inPlainWords={inPlainWords}
              onChange={(draft) => onChange({ ...drafts, [field.name]: draft })}
              onRemove={
                field.schema['filter'] === 'field' || allOptional
                  ? () => onChange(Object.fromEntries(Object.entries(drafts).filter(([name]) => name !== field.name)))
                  : undefined
              }
            />
          ))}
        </div>
      )}
      {select}
    </>
  );
}

/** Adds one of the filters that follow from the fields of a list's rows. */
const FurtherFields = ({
  fields,
  inPlainWords,
  onAdd,
}: {
  readonly fields: readonly Field[];
  readonly inPlainWords: boolean;
  readonly onAdd: (field: Field) => void;
}) => (
  <p className="further">
    <select
      className="select"
      aria-label="Add a filter"
      value=""
      onChange={({ target }) => {
        const field = fields.find(({ name }) => name === target.value);
        if (field) onAdd(field);
      }}
    >
      <option value="">Add a filter</option>
      {fields.map(({ name }) => (
        <option key={name} value={name}>
          {inPlainWords ? labelFor(name) : name}
        </option>
      ))}
    </select>
  </p>
);

interface FieldProps {
  readonly field: Field;
  readonly whole: Schema;
  readonly draft: Draft;
  readonly at: string;
  readonly problems: readonly Problem[];
  readonly inPlainWords: boolean;
  readonly onChange: (draft: Draft) => void;
  /** Removes a filter that the user added. */
  readonly onRemove?: (() => void) | undefined;
}

function FormField({ field: { name, schema, required }, whole, draft, at, problems, inPlainWords, onChange, onRemove }: FieldProps) {
  const id = useId();
  // Nobody types a cursor, so it needs no text area.
  const widget = name === 'cursor' ? 'text' : widgetOf(schema, whole);
  const problem =
    problems.find(({ path }) => path === at) ?? (widget === 'group' ? undefined : problems.find(({ path }) => path.startsWith(`${at}.`)));
  const hint = textOf(schema, 'description');
  const [most, unit] = [numberOf(schema, 'maxLength'), textOf(schema, 'unit')];
  const text = typeof draft === 'string' ? draft : '';
  const described = [problem && `${id}-e`, (hint || unit) && `${id}-h`].filter(Boolean).join(' ') || undefined;
  const common = { id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined, 'aria-required': required || undefined };
  const notSent = required ? '' : 'Not sent';
  const label = inPlainWords ? labelFor(name) : name;
  const words = about(schema, required, whole);
  if (widget === 'group')
    return (
      <Group
        field={{ name, schema, required }}
        whole={whole}
        draft={draft}
        at={at}
        problems={problems}
        inPlainWords={inPlainWords}
        onChange={onChange}
      />
    );
  const remove = onRemove && (
    <button className="icon-btn field-x" type="button" aria-label={`Remove ${label}`} title="Remove" onClick={onRemove}>
      <Icon name="x" className="i-14" />
    </button>
  );
  if (draft instanceof Exact)
    return (
      <div className="field">
        <span className="label">{label}</span>
        <span className="exact">
          <bdi>{conditionText(draft.value)}</bdi>
          <button className="icon-btn" type="button" aria-label={`Remove ${label}`} onClick={onRemove ?? (() => onChange(undefined))}>
            <Icon name="x" className="i-14" />
          </button>
        </span>
        {problem && <span className="err">{problem.message}</span>}
      </div>
    );
  if (widget === 'range')
    return (
      <Range
        field={{ name, schema, required }}
        whole={whole}
        draft={draft}
        at={at}
        problems={problems}
        inPlainWords={inPlainWords}
        onChange={onChange}
      >
        {remove}
      </Range>
    );
  return (
    <div className={`field ${widget === 'long' || widget === 'json' ? 'wide' : ''}`}>
      <label htmlFor={id}>
        {label} {words && <span className="req">{words}</span>}
      </label>
      {remove}
      {widget === 'choice' || widget === 'flag' ? (
        <select
          {...common}
          className="select"
          value={draft === undefined ? '' : String(draft as string | boolean)}
          onChange={({ target }) => onChange(target.value === '' ? undefined : widget === 'flag' ? target.value === 'true' : target.value)}
        >
          <option value="">{required ? 'Choose…' : 'Not sent'}</option>
          {(widget === 'flag' ? [true, false] : (optionsOf(schema) ?? [])).map((each) => (
            <option key={String(each as string)} value={String(each as string)}>
              {widget === 'flag' ? (each === true ? 'Yes' : 'No') : String(each as string)}
            </option>
          ))}
        </select>
      ) : widget === 'long' ? (
        <textarea
          {...common}
          className="area"
          rows={3}
          value={text}
          placeholder={notSent}
          onChange={({ target }) => onChange(target.value)}
        />
      ) : (
        <input
          {...common}
          className={`input ${widget === 'number' || widget === 'date' ? 'num' : ''} ${textOf(schema, 'format') === 'uuid' ? 'mono' : ''}`}
          type={widget === 'date' ? 'date' : 'text'}
          data-blank={widget === 'date' && text === '' && !required ? notSent : undefined}
          inputMode={widget === 'number' ? 'decimal' : undefined}
          autoComplete="off"
          spellCheck={false}
          value={text}
          placeholder={notSent}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {problem && (
        <span className="err" id={`${id}-e`}>
          <Icon name="warn" />
          <span>{problem.message}</span>
        </span>
      )}
      {(hint || unit || (widget === 'long' && most !== undefined)) && (
        <span className="hint row between" id={`${id}-h`}>
          <span>{hint.includes(unit) ? hint : [hint, unit].filter(Boolean).join('; ')}</span>
          {widget === 'long' && most !== undefined && (
            <span className="num nowrap">
              {text.length.toLocaleString('en-US')} / {most.toLocaleString('en-US')}
            </span>
          )}
        </span>
      )}
    </div>
  );
}

function Group({ field: { name, schema, required }, whole, draft, at, problems, inPlainWords, onChange }: FieldProps) {
  const groups = Array.isArray(draft) ? (draft as readonly Drafts[]) : [];
  const items = resolveSchema(schema['items'], whole);
  const problem = problems.find(({ path }) => path === at);
  const change = (index: number, next: Drafts) => onChange(groups.map((each, place) => (place === index ? next : each)));
  return (
    <fieldset className="field wide group">
      <legend className="label">
        {inPlainWords ? labelFor(name) : name} <span className="req">{required ? 'list' : 'list, optional'}</span>
      </legend>
      {groups.map((each, index) => (
        // Entries have no ids, so their index is the key.
        <div key={index} className="group-item">
          <SchemaForm
            schema={items}
            whole={whole}
            drafts={each}
            problems={problems}
            at={`${at}.${index}.`}
            inPlainWords={inPlainWords}
            onChange={(next) => change(index, next)}
          />
          <button className="btn btn--quiet btn--sm" type="button" onClick={() => onChange(groups.filter((_, place) => place !== index))}>
            <Icon name="x" className="i-14" />
            Remove entry {index + 1}
          </button>
        </div>
      ))}
      {problem && (
        <span className="err">
          <Icon name="warn" />
          <span>{problem.message}</span>
        </span>
      )}
      <button className="btn btn--sm" type="button" onClick={() => onChange([...groups, {}])}>
        <Icon name="plus" className="i-14" />
        Add an entry
      </button>
    </fieldset>
  );
}

/** Two fields for the ends of a range. */
function Range({
  field: { name, schema },
  whole,
  draft,
  at,
  problems,
  inPlainWords,
  onChange,
  children,
}: FieldProps & { readonly children: ReactNode }) {
  const id = useId();
  const range = Array.isArray(draft) ? ((draft as readonly Drafts[])[0] ?? {}) : {};
  const problem = problems.find(({ path }) => path === at || path.startsWith(`${at}.`));
  return (
    <fieldset className="field range">
      <legend className="label">
        {inPlainWords ? labelFor(name) : name} <span className="req">range</span>
      </legend>
      {children}
      <div className="range-ends">
        {fieldsOf(schema, whole).map(({ name: end, schema: limit }) => {
          const isDate = widgetOf(limit, whole) === 'date';
          const text = typeof range[end] === 'string' ? range[end] : '';
          return (
            <label key={end} htmlFor={`${id}-${end}`}>
              <span className="req">{end}</span>
              <input
                id={`${id}-${end}`}
                className="input num"
                type={isDate ? 'date' : 'text'}
                inputMode={isDate ? undefined : 'decimal'}
                autoComplete="off"
                aria-invalid={problem ? true : undefined}
                data-blank={isDate && text === '' ? 'Not sent' : undefined}
                placeholder="Not sent"
                value={text}
                onChange={({ target }) => onChange([{ ...range, [end]: target.value }])}
              />
            </label>
          );
        })}
      </div>
      {problem && (
        <span className="err">
          <Icon name="warn" />
          <span>{problem.message}</span>
        </span>
      )}
    </fieldset>
  );
}
