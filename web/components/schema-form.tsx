/** Generates a form from a tool's input schema, including nested objects and lists. */
import { useId } from 'react';
import { about, type Draft, type Drafts, widgetOf } from '../lib/form.ts';
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
}

export function SchemaForm({ schema, whole = schema, drafts, onChange, problems = [], at = '', inPlainWords = false }: FormProps) {
  // The filters that follow from the fields of a list's rows are shown if they have a value.
  const fields = fieldsOf(schema, whole).filter(({ name, schema: { filter } }) => filter !== 'field' || drafts[name] !== undefined);
  if (fields.length === 0) return <p className="small muted">This tool takes no input.</p>;
  return (
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
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly whole: Schema;
  readonly draft: Draft;
  readonly at: string;
  readonly problems: readonly Problem[];
  readonly inPlainWords: boolean;
  readonly onChange: (draft: Draft) => void;
}

function FormField({ field: { name, schema, required }, whole, draft, at, problems, inPlainWords, onChange }: FieldProps) {
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
  return (
    <div className={`field ${widget === 'long' || widget === 'json' ? 'wide' : ''}`}>
      <label htmlFor={id}>
        {label} {words && <span className="req">{words}</span>}
      </label>
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
