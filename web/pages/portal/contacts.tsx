/** Contacts of a customer organisation: list, invitation, and transfer of the lead role. */
import { useState } from 'react';
import { ApprovalCard } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { type Problem, SchemaForm } from '../../components/schema-form.tsx';
import { useApp } from '../../lib/app.tsx';
import { type Drafts, toInput } from '../../lib/form.ts';
import { findTool } from '../../lib/tools.ts';
import { callTool, useTool } from '../../lib/use-tool.ts';
import type { ErrorAnswer } from '../../lib/contract.ts';

interface Contact {
  readonly contact_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: 'lead' | 'contact';
  readonly status: 'active' | 'invited';
}

export function ContactsPage() {
  const { me, servers, reload } = useApp();
  const listed = findTool(servers, 'support', 'customer_list_contacts');
  const { answer, requestId, again } = useTool('support', 'customer_list_contacts', listed && {});
  const invite = findTool(servers, 'support', 'customer_invite_contact');
  const transfer = findTool(servers, 'support', 'customer_transfer_lead');
  const [prepared, setPrepared] = useState<{ readonly card: string; readonly tool: string }>();
  const card = prepared?.card;
  const [refused, setRefused] = useState<ErrorAnswer>();
  const [inviting, setInviting] = useState(false);
  const [drafts, setDrafts] = useState<Drafts>({});
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const prepare = async (tool: string, input: object) => {
    setRefused(undefined);
    setProblems([]);
    const { answer: next } = await callTool('support', tool, { input });
    if (next.status === 'pending_confirmation') {
      setPrepared({ card: next.confirmationId, tool });
      setInviting(false);
    } else if (next.status === 'error') {
      const issues = next.details?.['issues'];
      if (Array.isArray(issues)) setProblems(issues as Problem[]);
      else setRefused(next);
    }
  };
  if (!listed) {
    // After a transfer the user is no longer the lead. The receipt of the transfer stays visible.
    return (
      <div className="stack">
        <h1>Contacts</h1>
        <p className="muted">Only the lead of your organisation sees the contacts{card ? ', and you are no longer the lead' : ''}.</p>
        {card && (
          <div className="card-narrow">
            <h2 className="sr">Your change</h2>
            <ApprovalCard key={card} id={card} />
          </div>
        )}
      </div>
    );
  }
  if (!answer) return <div className="skeleton skeleton--figure" aria-hidden="true" />;
  if (answer.status !== 'success') {
    return (
      <>
        <h1 className="mb-6">Contacts</h1>
        {answer.status === 'error' && <ErrorNotice error={answer} requestId={requestId} again={again} />}
      </>
    );
  }
  const contacts = (answer.data as readonly Contact[]).toSorted((a, b) => Number(b.role === 'lead') - Number(a.role === 'lead'));
  const lead = contacts.find(({ role }) => role === 'lead');
  return (
    <div className="stack">
      <div className="row between row-wrap">
        <div>
          <h1>Contacts</h1>
          <p className="small muted">
            Your organisation has exactly one lead: {lead?.email === me.email ? 'you' : <bdi>{lead?.name}</bdi>}.
          </p>
        </div>
        {invite && (
          <button className="btn" type="button" aria-expanded={inviting} onClick={() => setInviting(!inviting)}>
            <Icon name="plus" />
            Invite a contact
          </button>
        )}
      </div>
      {inviting && invite && (
        <form
          className="panel panel--pad"
          aria-label="Invite a contact"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void prepare('customer_invite_contact', toInput(drafts, invite.inputSchema));
          }}
        >
          <SchemaForm schema={invite.inputSchema} drafts={drafts} onChange={setDrafts} problems={problems} inPlainWords />
          <p className="mt-6">
            <button className="btn btn--primary" type="submit">
              Prepare invitation
            </button>
          </p>
        </form>
      )}
      {refused && <ErrorNotice error={refused} />}
      <section className="dt" aria-label="Contacts">
        <div className="dt-scroll">
          <table className="t" role="table">
            <thead role="rowgroup">
              <tr role="row">
                {['Name', 'Email', 'Role', ''].map((name) => (
                  <th key={name} scope="col" role="columnheader">
                    <span>{name || <span className="sr">Actions</span>}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {contacts.map((contact) => (
                <tr key={contact.contact_id} role="row">
                  <td role="cell" className="cell-main">
                    <bdi>{contact.name}</bdi>
                  </td>
                  <td role="cell">
                    <bdi>{contact.email}</bdi>
                  </td>
                  <td role="cell">
                    {contact.status === 'invited' ? (
                      <span className="badge badge--line">Invited</span>
                    ) : (
                      <span className={`badge ${contact.role === 'lead' ? 'badge--accent' : ''}`}>
                        {contact.role === 'lead' ? 'Lead' : 'Contact'}
                      </span>
                    )}
                  </td>
                  <td role="cell" className="cell-end num">
                    {contact.email === me.email ? (
                      <span className="small faint">You</span>
                    ) : contact.status === 'active' && contact.role !== 'lead' && transfer ? (
                      <button
                        className="btn btn--quiet btn--sm"
                        type="button"
                        onClick={() => void prepare('customer_transfer_lead', { contact_id: contact.contact_id })}
                      >
                        Make lead
                      </button>
                    ) : null}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {card && (
        <div className="card-narrow">
          <h2 className="sr">Your change</h2>
          <ApprovalCard
            key={card}
            id={card}
            opened
            onState={(state) => {
              if (state !== 'done') return;
              // After a transfer the user may not load the list.
              if (prepared?.tool === 'customer_invite_contact') again();
              reload();
            }}
          />
        </div>
      )}
    </div>
  );
}
