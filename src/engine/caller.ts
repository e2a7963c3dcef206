/** The authenticated caller of a request: person, token, client and right to approve. */
import type { Person } from '../declare/people.ts';

/** The token that the gateway signed for a call to `server`. That server shows it when it calls a contract of another server. */
export interface Proof {
  readonly server: string;
  readonly token: string;
}

export interface Caller {
  readonly person: Person;
  /** Times are Unix times in seconds, as in the token. */
  readonly token: { readonly id: string; readonly client: string; readonly issuedAt: number; readonly expiresAt: number };
  /** A browser session may approve any ticket. A token of our command may approve one ticket, or any if scripted approvals are on. */
  readonly approves: 'nothing' | 'anything' | { readonly confirmationId: string };
  /** web, command, or the name of the MCP client; shown on cards and recorded in the audit log. */
  readonly origin: string;
  /** Set on a domain server for calls from the gateway of another process. */
  readonly proof?: Proof | undefined;
}

export type Surface = 'mcp' | 'rest' | 'direct' | 'assistant' | 'internal';

export const mayDecide = ({ approves }: Caller, confirmationId: string): boolean =>
  approves === 'anything' || (approves !== 'nothing' && approves.confirmationId === confirmationId);

/** The person who approved a ticket, and the request that executes it. */
export interface Approver extends Pick<Caller, 'proof'> {
  readonly person: Person;
  readonly origin: string;
  readonly requestId: string;
}
