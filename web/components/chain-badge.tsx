import { type ReactNode, useCallback, useState } from 'react';
import { get, Refused } from '../lib/api.ts';
import { number, toTheSecond } from '../lib/words.ts';
import { Icon } from './icon.tsx';
import { Refusal } from './notice.tsx';
import type { AuditVerdict } from '../lib/contract.ts';

/** What can be vouched for: all of the trail, never a part that somebody chose. */
export function ChainBadge() {
  const [verdict, setVerdict] = useState<{ readonly says: AuditVerdict; readonly at: Date }>();
  const [running, setRunning] = useState(false);
  const [trouble, setTrouble] = useState<Refused>();
  const verify = useCallback(async () => {
    setRunning(true);
    try {
      setVerdict({ says: await get<AuditVerdict>('/api/audit/verify'), at: new Date() });
      setTrouble(undefined);
    } catch (error) {
      if (error instanceof Refused) setTrouble(error);
      else throw error;
    } finally {
      setRunning(false);
    }
  }, []);
  if (trouble) return <Refusal error={trouble.answer} again={() => void verify()} />;
  const broken = verdict?.says.ok === false ? verdict.says : undefined;
  const good = verdict?.says.ok === true ? verdict.says : undefined;
  const says: readonly [string, ReactNode] = running
    ? ['Verifying every record', 'Each one is held against the one before it and against the signed checkpoints.']
    : broken
      ? [`The ${broken.chain} chain is broken at record #${number(broken.n)}`, broken.problem]
      : good
        ? [
            good.missing
              ? `${good.chains.length} chains verified, not all`
              : good.chains.length === 1
                ? 'The chain is verified'
                : `All ${good.chains.length} chains verified`,
            `${good.missing ? `Not looked at: what ${good.missing.join(', ')} keep, as no answer came. ` : ''}${number(good.chains.reduce((sum, { count }) => sum + count, 0))} records: no change, no gap, no missing end. Checked at ${toTheSecond(verdict?.at.toISOString() ?? '')}; ${number(good.chains.reduce((sum, { checkpointed }) => sum + checkpointed, 0))} under signed checkpoints.`,
          ]
        : ['Not yet checked', 'Verifying walks every record of every chain.'];
  return (
    <div className={`chain ${broken ? 'chain--bad' : ''} ${good || broken ? '' : 'chain--open'}`} role="status">
      <span className="seal">
        {running ? <span className="spin spin--20" aria-hidden="true" /> : <Icon name={broken ? 'warn' : 'chain'} className="i-20" />}
      </span>
      <div className="grow">
        <p className={`strong ${broken ? 'bad' : ''}`}>{says[0]}</p>
        <p className="small muted">{says[1]}</p>
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
