/** Progress bars for terminals. */
import type { Style } from './style.ts';
import { duration, padEnd, padStart } from './text.ts';

export interface Step {
  /** `part` is 0 to 1. `doing` is the current activity. */
  at(part: number, doing?: string): void;
  done(): void;
  failed(): void;
}

export interface Progress {
  step(name: string): Step;
  /** Shows consecutive steps. A new name ends the previous step. */
  sequence(): { at(name: string, part: number): void; done(): void; failed(): void };
}

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const BAR = 24;
const EVERY_MS = 80;
const CLEAR = '\r\u001b[2K';

export const bar = (part: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, part)) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
};

const stepOn = (screen: Screen, style: Style, name: string): Step => {
  const started = performance.now();
  const title = `  ${padEnd(name, 22)}  `;
  let drawn = 0;
  const draw = (text: string) => screen.write(CLEAR + text.slice(0, (screen.columns ?? 80) - 1));
  return {
    at(part, doing = '') {
      const now = performance.now();
      // Frequent redrawing would slow the work down.
      if (now - drawn < EVERY_MS) return;
      drawn = now;
      draw(`${title}${bar(part)}  ${padStart(`${Math.floor(part * 100)}%`, 4)}   ${doing}`);
    },
    done: () => void screen.write(`${CLEAR}${title}${style.green(bar(1))}  done   ${duration(performance.now() - started)}\n`),
    failed: () => void screen.write(CLEAR),
  };
};

const nothing = { at() {}, done() {}, failed() {} };
export const silent: Progress = { step: () => nothing, sequence: () => nothing };

export function progressOn(screen: Screen, style: Style): Progress {
  if (!screen.isTTY) return silent;
  const step = (name: string) => stepOn(screen, style, name);
  return {
    step,
    sequence() {
      let current: { readonly name: string; readonly step: Step } | undefined;
      return {
        at(name, part) {
          if (current?.name !== name) {
            current?.step.done();
            current = { name, step: step(name) };
          }
          current.step.at(part);
        },
        done() {
          current?.step.done();
          current = undefined;
        },
        failed: () => current?.step.failed(),
      };
    },
  };
}
