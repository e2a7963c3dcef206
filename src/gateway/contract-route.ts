/** The route by which other processes call the contracts that a domain provides. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { contractName, contractOf } from '../declare/contracts.ts';
import { type Failure, failure } from '../declare/errors.ts';
import { isSystem, type Person } from '../declare/people.ts';
import type { Provision } from '../declare/provisions.ts';
import { type ContractCall, neededByDomains } from '../engine/contract-caller.ts';
import type { Proof } from '../engine/caller.ts';
import type { Clock, Logger } from '../engine/ports.ts';
import type { Registry } from '../engine/registry.ts';
import { unauthenticated } from '../identity/claims.ts';
import type { GatewayKeys } from '../identity/gateway-keys.ts';
import { openProof, signerOf, verifyIdentity } from '../identity/internal.ts';
import { bearer } from '../identity/verify.ts';
import { counted, type OnUnauthenticated } from './access.ts';
import { ANSWERS_HEADER, answersTo } from './upstream-client.ts';

export interface ContractRoute {
  readonly server: string;
  readonly registry: Registry;
  readonly gatewayKeys: GatewayKeys;
  /** The gateway's keys, and the keys of other processes of this installation. */
  readonly contractKeys: GatewayKeys;
  readonly clock: Clock;
  readonly log: Logger;
  answerContract(provision: Provision, call: ContractCall): Promise<unknown>;
  readonly onUnauthenticated: OnUnauthenticated;
}

const address = z.object({ id: z.string(), version: z.coerce.number().int(), call: z.string() });
const envelope = z.strictObject({ input: z.unknown(), proof: z.strictObject({ server: z.string(), token: z.string() }).optional() });

export function createContractRoute(app: FastifyInstance, deps: ContractRoute): void {
  const { server, registry, gatewayKeys, contractKeys, clock } = deps;
  const { roles } = registry;
  const own = registry.provisions.filter(({ domain }) => domain.name === server);
  if (own.length === 0) return;
  /** Only the gateway may call the engine's contracts. Other processes may call those that domains need. */
  const needed = neededByDomains(registry);
  const reported = new Set<string>();
  const notProvided = (asked: string): Failure => {
    const message = `${server} does not provide ${asked}; it provides ${own.map(({ name }) => name).join(', ')}.`;
    if (!reported.has(asked)) deps.log.warn({ server, contract: asked }, `another process runs another release: ${message}`);
    reported.add(asked);
    return failure('CONTRACT_NOT_PROVIDED', message);
  };

  /** Returns the person of a call that the gateway sent to `sender`. Refuses a sender whose domain does not need this contract. */
  const personIn = async ({ server: sender, token }: Proof, { name }: Provision): Promise<Person> => {
    const { needs = {} } = registry.domains.find((domain) => domain.name === sender) ?? {};
    if (!Object.values(needs).some((need) => contractName(contractOf(need)) === name)) throw unauthenticated();
    return (await openProof(gatewayKeys, { token, server: sender, roles, clock })).person;
  };

  app.post('/contracts/:id/:version/:call', async (req, reply) => {
    const token = bearer(req.headers.authorization);
    const body = req.rawBody ?? Buffer.alloc(0);
    const { caller, requestId } = await counted(req.raw, deps.onUnauthenticated, () =>
      verifyIdentity(contractKeys, { token, server, roles, method: 'POST', path: req.url, body, clock }),
    );
    const fromGateway = (await gatewayKeys.find(signerOf(token))) !== undefined;
    reply.header(ANSWERS_HEADER, answersTo(token ?? ''));
    const { id, version, call } = address.parse(req.params);
    const provision = own.find(({ contract }) => contract.id === id && contract.version === version);
    if (!provision || !Object.hasOwn(provision.contract.calls, call)) throw notProvided(`${contractName({ id, version })}.${call}`);
    if (!fromGateway && !(needed.has(provision.name) && isSystem(caller.person)))
      await counted(req.raw, deps.onUnauthenticated, () => Promise.reject(unauthenticated()));
    const sent = envelope.safeParse(req.body);
    if (!sent.success) throw failure('VALIDATION_ERROR', 'Send the input of the call: {"input"}.');
    const { input, proof } = sent.data;
    const named = isSystem(caller.person) ? undefined : caller.person;
    const person = proof === undefined ? named : await counted(req.raw, deps.onUnauthenticated, () => personIn(proof, provision));
    return { status: 'success', data: await deps.answerContract(provision, { call, input, person, proof, requestId }) };
  });
}
