/** Verifies the chains of the audit log and shows the result. */
import { type ReactNode, useCallback, useState } from 'react';
import { get, ApiError } from '../lib/api.ts';
import { number, toTheSecond } from '../lib/format.ts';
import { Icon } from './icon.tsx';
import { ErrorNotice } from './notice.tsx';
import type { AuditVerdict } from '../lib/contract.ts';

type Verified = Extract<AuditVerdict, { ok: true }>;
function detail({ chains, missing }: Verified, at: Date): string {
  const total = (key: 'count' | 'checkpointed') => number(chains.reduce((sum, chain) => sum + chain[key], 0));
  const unreached = missing ? `Not verified: ${missing.join(', ')} did not answer. ` : '';
  const result = `${total('count')} records, none changed, none missing. Signed checkpoints cover ${total('checkpointed')} of them.`;
  return `${unreached}${result} Verified at ${toTheSecond(at.toISOString())}.`;
}

/** Verifies the whole audit log: a filtered part cannot prove that no record is missing. */
export function ChainBadge() {
  const [verdict, setVerdict] = useState<{ readonly result: AuditVerdict; readonly at: Date }>();
  const [running, setRunning] = useState(false);
  const [trouble, setTrouble] = useState<ApiError>();
  const verify = useCallback(async () => {
    setRunning(true);
    try {
      setVerdict({ result: await get<AuditVerdict>('/api/audit/verify'), at: new Date() });
      setTrouble(undefined);
    } catch (error) {
      if (error instanceof ApiError) setTrouble(error);
      else throw error;
    } finally {
      setRunning(false);
    }
  }, []);
  if (trouble) return <ErrorNotice error={trouble.answer} again={() => void verify()} />;
  const broken = verdict?.result.ok === false ? verdict.result : undefined;
  const good = verdict?.result.ok === true ? verdict.result : undefined;
  const texts: readonly [string, ReactNode] = running
    ? ['Verifying every record', 'Each record is compared with the one before it and with the signed checkpoints.']
    : broken
      ? [`The ${broken.chain} chain is broken at record #${number(broken.n)}`, broken.problem]
      : good
        ? [
            good.missing
              ? `${good.chains.length} chains verified, some not reachable`
              : good.chains.length === 1
                ? 'Chain verified'
                : `All ${good.chains.length} chains verified`,
            detail(good, verdict?.at ?? new Date()),
          ]
        : ['Not verified yet', 'Verification reads every record of every chain.'];
  return (
    <div className={`chain ${broken ? 'chain--bad' : ''} ${good || broken ? '' : 'chain--open'}`} role="status">
      <span className="seal">
        {running ? <span className="spin spin--20" aria-hidden="true" /> : <Icon name={broken ? 'warn' : 'chain'} className="i-20" />}
      </span>
      <div className="grow">
        <p className={`strong ${broken ? 'bad' : ''}`}>{texts[0]}</p>
        <p className="small muted">{texts[1]}</p>
      </div>
      {broken && (
        <a className="btn btn--sm" href={`/audit/${encodeURIComponent(broken.chain)}/${broken.n}`}>
          Show record
        </a>
      )}
      <button className="btn btn--sm" type="button" disabled={running} onClick={() => void verify()}>
        Verify now
      </button>
    </div>
  );
}
