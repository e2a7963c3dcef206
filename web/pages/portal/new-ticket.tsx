/** The form that opens a support ticket. The draft is stored in the browser. */
import { useState } from 'react';
import { ApprovalCard } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import type { Problem } from '../../components/schema-form.tsx';
import { useApp } from '../../lib/app.tsx';
import { loadDraft, saveDraft } from '../../lib/browser-session.ts';
import { go } from '../../lib/router.ts';
import { fieldsOf, optionsOf } from '../../lib/schema.ts';
import { findTool } from '../../lib/tools.ts';
import { callTool } from '../../lib/use-tool.ts';
import { labelForCode } from '../../lib/format.ts';
import { MayHelp } from './articles.tsx';
import type { ErrorAnswer } from '../../lib/contract.ts';

interface Draft {
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly priority: string;
  readonly visibility: string;
}
const NEW: Draft = { title: '', description: '', category: 'other', priority: 'medium', visibility: 'organization' };
const NAME = 'new-ticket';
const LIMITS = { title: [5, 200], description: [20, 5000] } as const;

const readDraft = (person: string): Draft => {
  try {
    return { ...NEW, ...(JSON.parse(loadDraft(person, NAME) || '{}') as Partial<Draft>) };
  } catch {
    return NEW;
  }
};

export function NewTicketPage() {
  const { me, servers } = useApp();
  const tool = findTool(servers, 'support', 'customer_submit_ticket');
  const [draft, setDraft] = useState(() => readDraft(me.username));
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [refused, setRefused] = useState<ErrorAnswer>();
  const [card, setCard] = useState<string>();
  const [busy, setBusy] = useState(false);
  const fields = tool ? fieldsOf(tool.inputSchema) : [];
  const options = (name: string) => (optionsOf(fields.find((field) => field.name === name)?.schema ?? {}) ?? []).map(String);
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    setProblems((before) => before.filter(({ path }) => !(path in part)));
    saveDraft(me.username, NAME, JSON.stringify(next));
  };
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    setRefused(undefined);
    const { answer } = await callTool('support', 'customer_submit_ticket', { input: draft });
    setBusy(false);
    if (answer.status === 'success') {
      saveDraft(me.username, NAME, '');
      go(`/portal/t/${String((answer.data as { ticket_id: string }).ticket_id)}`);
    } else if (answer.status === 'pending_confirmation') setCard(answer.confirmationId);
    else {
      const issues = answer.details?.['issues'];
      if (Array.isArray(issues)) setProblems(issues as Problem[]);
      else setRefused(answer);
      requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus());
    }
  };
  const problemOf = (name: string) => problems.find(({ path }) => path === name);
  const counted = (name: 'title' | 'description', hint: string) => {
    const problem = problemOf(name);
    return (
      <span className="row between small" id={`${name}-h`}>
        {problem ? (
          <span className="err">
            <Icon name="warn" />
            <span>{problem.message}</span>
          </span>
        ) : (
          <span className="hint">{hint}</span>
        )}
        <span className="num nowrap faint">
          {draft[name].length.toLocaleString('en-US')} / {LIMITS[name][1].toLocaleString('en-US')}
        </span>
      </span>
    );
  };
  const choose = (name: 'category' | 'priority', label: string, hint?: string) => (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <select id={name} className="select" value={draft[name]} onChange={({ target }) => change({ [name]: target.value })}>
        {options(name).map((each) => (
          <option key={each} value={each}>
            {labelForCode(each)}
          </option>
        ))}
      </select>
      {hint && <span className="hint">{hint}</span>}
    </div>
  );
  const see = (value: string, label: string, hint: string) => (
    <label className="radio">
      <input
        type="radio"
        name="visibility"
        value={value}
        checked={draft.visibility === value}
        onChange={() => change({ visibility: value })}
      />
      <span>
        <span className="medium block">{label}</span>
        <span className="small muted">{hint}</span>
      </span>
    </label>
  );
  return (
    <>
      <p className="mb-4">
        <a className="btn btn--quiet btn--sm back" href="/portal">
          <Icon name="back" className="i-14" />
          Tickets
        </a>
      </p>
      <h1>New ticket</h1>
      <div className="two mt-6">
        <form
          className="stack-l"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <div className="field">
            <label htmlFor="title">Title</label>
            <input
              id="title"
              className="input"
              maxLength={LIMITS.title[1]}
              value={draft.title}
              aria-describedby="title-h"
              aria-invalid={problemOf('title') ? true : undefined}
              onChange={({ target }) => change({ title: target.value })}
            />
            {counted('title', 'One line: what goes wrong')}
          </div>
          <div className="field">
            <label htmlFor="description">What happened, and what did you expect?</label>
            <textarea
              id="description"
              className="area"
              rows={6}
              maxLength={LIMITS.description[1]}
              value={draft.description}
              aria-describedby="description-h"
              aria-invalid={problemOf('description') ? true : undefined}
              onChange={({ target }) => change({ description: target.value })}
            />
            {counted('description', 'At least 20 characters. More detail means fewer questions from us')}
          </div>
          <div className="form-grid">
            {choose('category', 'Category')}
            {choose('priority', 'Priority', 'Critical means that nobody can work')}
          </div>
          <fieldset className="field">
            <legend className="label mb-4">Who may see it in your organisation</legend>
            <div className="form-grid">
              {see('organization', 'Everyone', 'Colleagues can follow and answer')}
              {see('private', 'Only you and your lead', 'For personal or billing matters')}
            </div>
          </fieldset>
          {refused && <ErrorNotice error={refused} again={() => void submit()} />}
          {card && <ApprovalCard id={card} opened onState={(state) => state === 'done' && go('/portal')} />}
          <div className="row row-wrap">
            <button className="btn btn--primary btn--lg" type="submit" aria-busy={busy}>
              Submit ticket
            </button>
            <a className="btn btn--quiet btn--lg" href="/portal">
              Cancel
            </a>
            <span className="grow" />
            <span className="small faint hide-s">Draft stored on this device</span>
          </div>
        </form>
        <aside>
          <MayHelp title="Articles that may answer it" words={draft.title} />
        </aside>
      </div>
    </>
  );
}
