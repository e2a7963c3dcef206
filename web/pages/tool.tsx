/** One tool in the explorer: input as form or JSON, the answer, and the same call for other clients. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { AnalyzeForm } from '../components/analyze-form.tsx';
import { AnswerView } from '../components/answer-view.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Icon } from '../components/icon.tsx';
import { KindBadge } from '../components/kind-badge.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { type Problem, SchemaForm } from '../components/schema-form.tsx';
import { type CallResult, call, ApiError } from '../lib/api.ts';
import { useApp } from '../lib/app.tsx';
import { type Drafts, toDrafts, toInput } from '../lib/form.ts';
import { go } from '../lib/router.ts';
import { fieldsOf, isRecord, optionsOf } from '../lib/schema.ts';
import type { Found } from '../lib/tools.ts';
import { joined, number } from '../lib/format.ts';
import type { Answer } from '../lib/contract.ts';

function parse(text: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const problemsOf = (answer: Answer | undefined): Problem[] => {
  const issues = answer?.status === 'error' ? answer.details?.['issues'] : undefined;
  if (answer?.status === 'error' && answer.code === 'INVALID_CURSOR') return [{ path: 'cursor', message: answer.message }];
  return Array.isArray(issues) ? (issues as Problem[]) : [];
};

interface Ran extends CallResult {
  readonly input: Record<string, unknown>;
}

export function ToolPage({ tool, query }: { readonly tool: Found; readonly query: string | null }) {
  const { me } = useApp();
  const [drafts, setDrafts] = useState<Drafts>(() => toDrafts(parse(query) ?? {}, tool.inputSchema));
  const [text, setText] = useState<string>();
  const [wrong, setWrong] = useState('');
  const [running, setRunning] = useState(false);
  const [ran, setRan] = useState<Ran>();
  const [raw, setRaw] = useState(false);
  /** Changes when an example or Reset fills the whole form. */
  const [filled, setFilled] = useState(0);
  const abort = useRef<AbortController>(undefined);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const input = text === undefined ? completed(tool, toInput(drafts, tool.inputSchema)) : (parse(text) ?? {});
  const held = me.roles.filter((role) => tool.roles.includes(role) || tool.roles.includes(role.replace(/-write$/, '-read')));
  const run = async (given = input) => {
    if (text !== undefined && parse(text) === undefined) {
      setWrong('This is not a JSON object.');
      return;
    }
    setWrong('');
    abort.current?.abort();
    const mine = (abort.current = new AbortController());
    setRunning(true);
    try {
      const called = await call(tool.server, tool.name, { input: given, signal: mine.signal });
      setRan({ ...called, input: given });
      // The URL of a read call contains its input: users can share it and go back.
      if (tool.annotations.readOnlyHint)
        go(
          `/tools/${tool.server}/${tool.name}${Object.keys(given).length > 0 ? `?${new URLSearchParams({ input: JSON.stringify(given) })}` : ''}`,
          { replace: true },
        );
      requestAnimationFrame(() => {
        form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
        form.current?.parentElement?.querySelector('.panel')?.scrollIntoView({ block: 'nearest' });
      });
    } catch (error) {
      if (mine.signal.aborted) return;
      if (error instanceof ApiError) setRan({ answer: error.answer, requestId: error.requestId, ms: 0, input: given });
      else throw error;
    } finally {
      if (abort.current === mine) setRunning(false);
    }
  };
  // A link to a read call shows its answer.
  const linked = useRef(tool.annotations.readOnlyHint && parse(query) !== undefined);
  useEffect(() => {
    if (!linked.current) return;
    linked.current = false;
    void run();
  });
  const problems = problemsOf(ran?.answer);
  const fill = (example: Readonly<Record<string, unknown>>) => {
    setText(undefined);
    setDrafts(toDrafts(example, tool.inputSchema));
    setFilled((before) => before + 1);
  };
  return (
    <>
      <div className="row row-wrap">
        <h2 className="big-h2">{tool.title}</h2>
        <KindBadge tool={tool} />
        {tool.annotations.destructiveHint && tool.kind === 'write' && (
          <span className="badge badge--line">{tool.atOnceWhen === null ? 'Needs approval' : 'May need approval'}</span>
        )}
      </div>
      <p className="mono small faint mt-1">
        {tool.server}.{tool.name}
      </p>
      <p className="muted mt-4 measure">{tool.description}</p>
      <p className="small faint mt-2">
        Roles that may use this tool: {joined(tool.roles, 'or')}. You have {joined(held.length > 0 ? held : me.roles)}.
      </p>
      {tool.examples.length > 0 && (
        <p className="examples">
          {tool.examples.slice(0, 3).map(({ ask, input: given }) => (
            <button key={ask} className="chip" type="button" onClick={() => fill(given)}>
              {ask}
            </button>
          ))}
        </p>
      )}
      <form
        ref={form}
        className="mt-7"
        aria-label={`Input of ${tool.name}`}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          void run();
        }}
      >
        <div className="row between mb-5">
          <h3>Input</h3>
          <div className="seg" role="group" aria-label="Input format">
            <button
              type="button"
              aria-pressed={text === undefined}
              onClick={() => {
                if (text !== undefined) setDrafts(toDrafts(parse(text) ?? {}, tool.inputSchema));
                setText(undefined);
              }}
            >
              Form
            </button>
            <button
              type="button"
              aria-pressed={text !== undefined}
              onClick={() => setText((before) => before ?? JSON.stringify(input, null, 2))}
            >
              JSON
            </button>
          </div>
        </div>
        {text === undefined ? (
          <InputForm key={filled} tool={tool} drafts={drafts} onChange={setDrafts} problems={problems} />
        ) : (
          <div className="field">
            <label className="sr" htmlFor="json-input">
              Input as JSON
            </label>
            <textarea
              id="json-input"
              className="area mono"
              rows={8}
              spellCheck={false}
              value={text}
              aria-invalid={wrong !== '' || undefined}
              onChange={({ target }) => setText(target.value)}
            />
            {wrong && (
              <span className="err">
                <Icon name="warn" />
                <span>{wrong}</span>
              </span>
            )}
          </div>
        )}
        <div className="row mt-6">
          <button className="btn btn--primary" type="submit" aria-busy={running}>
            {running && <span className="spin" aria-hidden="true" />}
            {tool.kind === 'write' && tool.atOnceWhen === null ? 'Prepare' : 'Run'}
          </button>
          <button
            className="btn btn--quiet"
            type="button"
            onClick={() => {
              fill({});
              setRan(undefined);
            }}
          >
            Reset
          </button>
          <span className="small faint hide-s">
            <span className="kbd">Ctrl</span> <span className="kbd">Enter</span> {effectOf(tool)}
          </span>
        </div>
      </form>
      <div aria-live="polite" className="sr">
        {ran && !running ? `Answer: ${ran.answer.status}` : ''}
      </div>
      {ran && (
        <section className={`panel mt-8 ${ran.answer.status === 'success' ? '' : 'panel--open'}`} aria-label="Answer" aria-busy={running}>
          <div className="panel-head">
            <AnswerBadge answer={ran.answer} />
            <span className="small muted num">
              {summaryOf(ran.answer)}
              {ran.ms > 0 && `${number(ran.ms)} ms`}
              {ran.requestId && (
                <>
                  {' · '}
                  <span className="mono">{ran.requestId.slice(0, 8)}</span>
                </>
              )}
            </span>
            <span className="grow" />
            <div className="seg" role="group" aria-label="Answer format">
              <button type="button" aria-pressed={!raw} onClick={() => setRaw(false)}>
                Formatted
              </button>
              <button type="button" aria-pressed={raw} onClick={() => setRaw(true)}>
                JSON
              </button>
            </div>
          </div>
          {raw ? (
            <pre className="json" tabIndex={0}>
              {JSON.stringify(ran.answer, null, 2)}
            </pre>
          ) : (
            <div className={ran.answer.status === 'success' ? 'panel-in' : 'panel-pad'}>
              {problems.length > 0 ? (
                <ErrorNotice error={ran.answer as Extract<Answer, { status: 'error' }>} />
              ) : (
                <AnswerView
                  key={ran.requestId}
                  tool={tool}
                  input={ran.input}
                  answer={ran.answer}
                  requestId={ran.requestId}
                  again={() => void run()}
                  opened
                  onNarrow={(filter) => focusField(form.current, filter)}
                  onLoosen={(rest) => {
                    fill(rest);
                    void run(rest);
                  }}
                />
              )}
            </div>
          )}
        </section>
      )}
      <CopyAs tool={tool} input={input} />
    </>
  );
}

interface InputFormProps {
  readonly tool: Found;
  readonly drafts: Drafts;
  readonly onChange: (drafts: Drafts) => void;
  readonly problems: readonly Problem[];
}
function InputForm({ tool, drafts, onChange, problems }: InputFormProps) {
  const { inputSchema: schema } = tool;
  const hidden = useMemo(() => new Set(tool.fields.filter((field) => field.hidden).map(({ name }) => name)), [tool]);
  if (tool.kind === 'analyze') {
    return (
      <AnalyzeForm tool={tool} input={toInput(drafts, schema)} onChange={(next) => onChange(toDrafts(next, schema))} problems={problems} />
    );
  }
  return <SchemaForm schema={schema} drafts={drafts} onChange={onChange} problems={problems} hidden={hidden} />;
}

const effectOf = ({ kind, atOnceWhen }: Found): string => {
  if (kind !== 'write') return 'runs';
  return atOnceWhen === null
    ? 'prepares; nothing changes before you approve'
    : `writes at once when ${atOnceWhen}; otherwise you approve first`;
};

/** The form of an analysis shows its first list before the user chooses one. */
function completed({ kind, inputSchema }: Found, input: Record<string, unknown>): Record<string, unknown> {
  if (kind !== 'analyze' || 'of' in input) return input;
  const of = fieldsOf(inputSchema).find(({ name }) => name === 'of');
  return { of: optionsOf(of?.schema ?? {})?.[0], ...input };
}

function focusField(form: HTMLFormElement | null, name: string): void {
  const label = [...(form?.querySelectorAll('label') ?? [])].find(({ textContent }) => textContent?.split(' ')[0] === name);
  const field = label && document.getElementById(label.htmlFor);
  field?.scrollIntoView({ block: 'center' });
  field?.focus();
}

const AnswerBadge = ({ answer }: { readonly answer: Answer }) =>
  answer.status === 'success' ? (
    <span className="badge badge--ok">
      <Icon name="check" />
      success
    </span>
  ) : answer.status === 'error' ? (
    <span className="badge badge--bad">
      <Icon name="warn" />
      {answer.code}
    </span>
  ) : (
    <span className="badge badge--accent">
      <Icon name="shield" />
      waits for you
    </span>
  );

const summaryOf = (answer: Answer): string => {
  if (answer.status !== 'success' || !Array.isArray(answer.data)) return '';
  return `${number(answer.data.length)} ${answer.data.length === 1 ? 'row' : 'rows'}${answer.metadata?.hasMore ? ', more exist' : ''} · `;
};

const WAYS = ['curl', 'MCP', 'CLI'] as const;
/** Quotes text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function CopyAs({ tool, input }: { readonly tool: Found; readonly input: Record<string, unknown> }) {
  const [way, setWay] = useState<(typeof WAYS)[number]>('curl');
  const { me } = useApp();
  const json = JSON.stringify(input);
  const texts = {
    curl:
      `curl -s ${location.origin}/api/tools/${tool.server}/${tool.name} \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: ` +
      `application/json" \\\n  -d ${quoted(json)}`,
    MCP: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.qualifiedName, arguments: input } }, null, 2),
    CLI: `tamshai call ${tool.server} ${tool.name} ${quoted(json)} --as ${me.username}`,
  };
  return (
    <section className="mt-7" aria-labelledby="copy-as">
      <div className="row between mb-4">
        <h3 id="copy-as">Copy as</h3>
        <div className="seg" role="group" aria-label="Copy as">
          {WAYS.map((each) => (
            <button key={each} type="button" aria-pressed={way === each} onClick={() => setWay(each)}>
              {each}
            </button>
          ))}
        </div>
      </div>
      <div className="code">
        <pre tabIndex={0}>{texts[way]}</pre>
        <CopyButton label="Copy" text={() => texts[way]} />
      </div>
      {way === 'curl' && <p className="small faint mt-2">Set TOKEN to your access token first.</p>}
    </section>
  );
}
