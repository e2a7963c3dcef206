/** Creates the clients with which a tool calls other domains during one of its own calls. */
import { type Calls, type Client, contractName, contractOf, type Needs } from '../declare/contracts.ts';
import { failure } from '../declare/errors.ts';
import type { CallContext } from '../declare/tool.ts';
import { clientOf, type ContractCaller, type OnBehalf } from './contract-caller.ts';

export interface NeedSession {
  readonly clients: CallContext['needs'];
  /**
   * From now on, a repeated call gets its earlier answer and a new call fails. A transaction must not wait for another domain: on the
   * embedded database, that domain could not answer until the transaction ends.
   */
  beginTransaction(): void;
}

/** Each call is made once: a second call with the same input gets the same answer. */
export function openNeeds(caller: ContractCaller, needs: Needs, onBehalf: OnBehalf): NeedSession {
  const answers = new Map<string, Promise<unknown>>();
  let inTransaction = false;
  const client = (need: Needs[string]): Client<Calls> | undefined => {
    const contract = contractOf(need);
    if ('optional' in need && !caller.reaches(contract)) return undefined;
    const calls = clientOf(caller, contract, onBehalf);
    const once = (call: string) => async (input: unknown) => {
      const key = `${contractName(contract)} ${call} ${JSON.stringify(input)}`;
      const known = answers.get(key);
      if (known) return known;
      if (inTransaction)
        throw failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: the change now needs different data of another domain.');
      const answer = calls[call]?.(input) ?? Promise.reject(new Error(`no call ${call}`));
      // Without this handler, a failure that the tool does not await would end the process.
      answer.catch(() => {});
      answers.set(key, answer);
      return answer;
    };
    return Object.fromEntries(Object.keys(calls).map((call) => [call, once(call)])) as Client<Calls>;
  };
  return {
    clients: Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, client(need)])),
    beginTransaction: () => void (inTransaction = true),
  };
}
