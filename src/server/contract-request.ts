/** Makes calls of contracts on a remote domain server: signs them and checks the answers. */
import { z } from 'zod';
import { type Contract, contractName } from '../declare/contracts.ts';
import { type Failure, failure } from '../declare/errors.ts';
import { systemPerson } from '../declare/people.ts';
import { errorAnswer } from '../derive/answers.ts';
import type { ContractCall } from '../engine/contract-caller.ts';
import type { Clock, Logger } from '../engine/ports.ts';
import type { UpstreamClient } from '../gateway/upstream-client.ts';
import { signIdentity } from '../identity/internal.ts';
import type { SigningKey } from '../identity/keys.ts';

const reply = z.union([z.object({ status: z.literal('success'), data: z.unknown() }), errorAnswer]);
const ASK_MS = 3_000;
/** Refusals that concern the person. A tool gets them, as from a provider in its own process. */
const REFUSALS = ['INSUFFICIENT_PERMISSIONS', 'IDENTITY_NOT_LINKED', 'SEPARATION_OF_DUTIES'] as const;
const isRefusal = (code: string): code is (typeof REFUSALS)[number] => (REFUSALS as readonly string[]).includes(code);

const onlyThroughGateway = (title: string) =>
  failure('SERVICE_UNAVAILABLE', {
    message: `${title} answers other domains only for calls that come through the gateway.`,
    hint: 'Call this tool through the gateway.',
  });

export interface ContractRequestOptions {
  /** The server for which the token is signed. */
  readonly server: string;
  /** The name of the server in messages. */
  readonly title: string;
  readonly signerFor: (contract: Contract) => {
    readonly key: SigningKey;
    /** If false, a token of the gateway must prove who the person is. */
    readonly mayNamePeople: boolean;
  };
  readonly clock: Clock;
  readonly log: Logger;
}

/** An unexpected answer becomes SERVICE_UNAVAILABLE. */
export function createContractRequest(upstream: UpstreamClient, { server, title, signerFor, clock, log }: ContractRequestOptions) {
  const reported = new Set<string>();
  const unavailable = () => failure('SERVICE_UNAVAILABLE', `${title} does not answer.`);
  /** The processes run different releases. Each call fails, but the log has only one line per contract. */
  const notProvided = (contract: Contract, message: string): Failure => {
    if (!reported.has(contractName(contract)))
      log.warn({ server, contract: contractName(contract) }, `${server} cannot be asked for ${contractName(contract)}: ${message}`);
    reported.add(contractName(contract));
    return failure('SERVICE_UNAVAILABLE', message);
  };

  return async (contract: Contract, { call, input, person, proof, requestId, signal }: ContractCall): Promise<unknown> => {
    const path = `/contracts/${contract.id}/${contract.version}/${call}`;
    const { key, mayNamePeople } = signerFor(contract);
    if (person !== undefined && !mayNamePeople && proof === undefined) throw onlyThroughGateway(title);
    const body = JSON.stringify({ input, ...(person !== undefined && !mayNamePeople && { proof }) });
    const caller = {
      person: person !== undefined && mayNamePeople ? person : systemPerson(),
      token: { id: '', client: 'gateway', issuedAt: 0, expiresAt: 0 },
      approves: 'nothing' as const,
      origin: 'gateway',
    };
    const token = signIdentity(key, { server, caller, requestId, method: 'POST', path, body }, clock);
    const answer = await upstream
      .post({ path, body, token, requestId, signal, deadlineMs: ASK_MS, quiet: true })
      .then(({ text }) => reply.parse(JSON.parse(text)))
      .catch(() => {
        throw unavailable();
      });
    if (answer.status === 'error') {
      if (answer.code === 'CONTRACT_NOT_PROVIDED') throw notProvided(contract, answer.message);
      if (person !== undefined && isRefusal(answer.code))
        throw failure(answer.code, { message: answer.message, hint: answer.suggestedAction });
      throw unavailable();
    }
    const data = contract.calls[call]?.output.safeParse(answer.data);
    if (!data?.success) throw unavailable();
    return data.data;
  };
}
