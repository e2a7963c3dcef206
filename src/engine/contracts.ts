/** Calls of contracts between domains: who may make them, and the answer of a provider in this process. */
import { employment } from '../declare/engine-contracts.ts';
import { Failure, failure } from '../declare/errors.ts';
import { systemPerson } from '../declare/people.ts';
import type { Provision } from '../declare/provisions.ts';
import { createCallContext, sessionFor } from './access.ts';
import { recorder } from './audit/recorder.ts';
import type { ContractCall } from './contract-caller.ts';
import { openNeeds } from './needs.ts';
import type { Registry } from './registry.ts';
import type { NeedingSession, Runtime } from './runtime.ts';

type Provider = Pick<Runtime, 'stores' | 'clock' | 'contracts'>;

/** Answers, and records a refused call: the tool that made it may run in another process, or may answer without what it asked for. */
export async function answerAndRecord(
  provider: Provider & Pick<Runtime, 'audit'>,
  provision: Provision,
  call: ContractCall,
): Promise<unknown> {
  const started = performance.now();
  try {
    return await answerContract(provider, provision, call);
  } catch (error) {
    if (error instanceof Failure && !error.retryable)
      await provider.audit.append(recorder.refusedContract({ runtime: provider, provision, call, started }, error.code));
    throw error;
  }
}

/** Reads with the caller's audience of the providing domain. For the engine's own calls, it is the audience that the provision names. */
export async function answerContract(
  { stores, clock, contracts }: Provider,
  provision: Provision,
  { call, input, ...onBehalf }: ContractCall,
): Promise<unknown> {
  const { person, requestId } = onBehalf;
  const { domain, contract, name } = provision;
  const shape = Object.hasOwn(contract.calls, call) ? contract.calls[call] : undefined;
  if (shape === undefined) throw failure('CONTRACT_NOT_PROVIDED', `${name} has no call ${call}.`);
  const given = shape.input.safeParse(input);
  if (!given.success) throw failure('VALIDATION_ERROR', `The input of ${name}.${call} does not match the contract.`);
  const session: NeedingSession = {
    ...(person === undefined ? systemSession(provision, requestId) : sessionFor(provision, person, requestId)),
    needs: contracts && domain.needs && openNeeds(contracts, domain.needs, onBehalf),
  };
  const store = stores[domain.name];
  if (!store) throw failure('SERVICE_UNAVAILABLE', `${domain.title} does not answer.`);
  const answer = await store.read(session, (handles) =>
    provision.answer(call, given.data, createCallContext(session, clock.now(), handles)),
  );
  return shape.output.parse(answer);
}

function systemSession({ domain, company, systemAudience, name }: Provision, requestId: string): NeedingSession {
  if (systemAudience === undefined) throw failure('INSUFFICIENT_PERMISSIONS', `${domain.name} answers ${name} only for people.`);
  return { domain: domain.name, audience: systemAudience, person: systemPerson(), company, shows: [], requestId };
}

/** Gives the reason if no installed domain keeps employees. */
export function explainNotLinked<E>(error: E, registry: Registry): E | Failure {
  if (!(error instanceof Failure) || error.code !== 'IDENTITY_NOT_LINKED' || registry.provisionOf(employment)) return error;
  return failure('IDENTITY_NOT_LINKED', {
    message: 'Your account is not linked to an employee record: no installed domain keeps employees.',
    hint: 'Ask an administrator to install a domain that provides employment.',
  });
}
