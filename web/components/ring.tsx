/** The countdown ring of an approval card. */
import { useEffect, useState } from 'react';
import { clock, timeLeft } from '../lib/format.ts';

const CIRCLE = 2 * Math.PI * 19;
const WAITS = 300;

/** Uses the clock of the browser. The card itself uses the clock of the server. */
export function useSecondsLeft(expiresAt: string): number {
  const left = () => Math.max(0, Math.ceil((Date.parse(expiresAt) - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 1000);
    return () => clearInterval(timer);
  }, [expiresAt]);
  return seconds;
}

export const SmallRing = ({ left }: { readonly left: number }) => (
  <span
    className={`ring ring--24 ${left <= 15 ? 'ring--bad' : left <= 60 ? 'ring--warn' : ''}`}
    role="img"
    aria-label={`Expires in ${timeLeft(left)}`}
  >
    <svg viewBox="0 0 44 44" aria-hidden="true">
      <circle className="tr" cx="22" cy="22" r="19" />
      <circle className="fg" cx="22" cy="22" r="19" strokeDasharray={CIRCLE} strokeDashoffset={CIRCLE * (1 - Math.min(1, left / WAITS))} />
    </svg>
    <b aria-hidden="true">{clock(left)}</b>
  </span>
);
