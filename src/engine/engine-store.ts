/** The port of the engine's own store: OAuth clients and their sign-ins. They must survive the loss of the key-value store. */
import type { Realm } from '../declare/people.ts';

/** A repository for each kind of record. Records of different realms never mix. */
export interface EngineStore {
  readonly clients: ClientRepository;
  readonly signIns: SignInRepository;
  readonly refreshTokens: RefreshTokenRepository;
  ping(): Promise<void>;
}

export interface ClientKey {
  readonly realm: Realm;
  readonly clientId: string;
}

export interface SignInKey {
  readonly realm: Realm;
  readonly signInId: string;
}

export interface TokenKey {
  readonly realm: Realm;
  /** A digest of the token, because the store must not contain the token. */
  readonly hash: string;
}

/** OAuth clients that registered themselves. Expired clients count as missing. */
export interface ClientRepository {
  /** Reserves a slot for a new client. False if the realm already has `most` unused clients. */
  reserve(client: ClientKey, limit: { readonly most: number; readonly expiresAt: Date }): Promise<boolean>;
  /** Stores the metadata of a reserved client. */
  save(client: ClientKey, metadata: object): Promise<void>;
  find(client: ClientKey): Promise<object | undefined>;
  /** Called after a person allows the client. The client then lives until `expiresAt` and no longer counts as unused. */
  markUsed(client: ClientKey, expiresAt: Date): Promise<void>;
  remove(client: ClientKey): Promise<void>;
}

/** OAuth grants: sign-ins of people through clients. Expired sign-ins count as missing. */
export interface SignInRepository {
  save(signIn: SignInKey, record: SignInRecord): Promise<void>;
  /** The stored consent. */
  find(signIn: SignInKey): Promise<object | undefined>;
  /** Ends the sign-in and its refresh tokens. */
  end(signIn: SignInKey): Promise<void>;
}

export interface SignInRecord {
  readonly clientId: string;
  readonly accountId: string;
  readonly consent: object;
  readonly expiresAt: Date;
}

/** Refresh tokens. A token is valid only while its sign-in exists. */
export interface RefreshTokenRepository {
  /** Stores nothing if the sign-in has ended. */
  save(token: TokenKey, record: { readonly signInId: string; readonly text: string; readonly expiresAt: Date }): Promise<void>;
  find(token: TokenKey): Promise<{ readonly text: string; readonly usedAt: Date | undefined } | undefined>;
  /** Marks the token as used. Of concurrent calls for one token, only one returns true. */
  use(token: TokenKey): Promise<boolean>;
  remove(token: TokenKey): Promise<void>;
}
