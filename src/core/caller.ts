import type { Person } from './people.ts';

/** A person together with how they came in. */
export interface Caller {
  readonly person: Person;
  /** Times in whole seconds since 1970, as tokens have them. */
  readonly token: { readonly id: string; readonly client: string; readonly issuedAt: number; readonly expiresAt: number };
  /** What this sign-in may decide. Only a person's own browser session or terminal has any of it. */
  readonly approves: 'nothing' | 'anything' | { readonly confirmationId: string };
  /** web, command, or the MCP client's name: shown on cards and kept in the audit. */
  readonly origin: string;
}

export type Surface = 'mcp' | 'rest' | 'direct' | 'assistant' | 'internal';

export const mayDecide = ({ approves }: Caller, confirmationId: string): boolean =>
  approves === 'anything' || (approves !== 'nothing' && approves.confirmationId === confirmationId);
