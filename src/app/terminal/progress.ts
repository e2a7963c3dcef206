/** A bar that redraws itself on a terminal; elsewhere one line when a step begins and nothing more. */
import type { Style } from './style.ts';
import { duration, padEnd, padStart } from './text.ts';

export interface Step {
  /** 0 to 1, and what is being done at the moment. */
  at(part: number, doing?: string): void;
  done(): void;
  failed(): void;
}

export interface Progress {
  step(name: string): Step;
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

export const silent: Progress = { step: () => ({ at() {}, done() {}, failed() {} }) };

export function progressOn(screen: Screen, style: Style): Progress {
  return {
    step(name) {
      const started = performance.now();
      const title = `  ${padEnd(name, 22)}  `;
      let drawn = 0;
      if (!screen.isTTY) screen.write(`  ${name}…\n`);
      const draw = (text: string) => screen.write(`${CLEAR}${text}`.slice(0, (screen.columns ?? 80) + CLEAR.length - 1));
      return {
        at(part, doing = '') {
          const now = performance.now();
          // Redrawing costs more than the work it tells of.
          if (!screen.isTTY || now - drawn < EVERY_MS) return;
          drawn = now;
          draw(`${title}${bar(part)}  ${padStart(`${Math.floor(part * 100)}%`, 4)}   ${doing}`);
        },
        done() {
          if (screen.isTTY) screen.write(`${CLEAR}${title}${style.green(bar(1))}  done   ${duration(performance.now() - started)}\n`);
        },
        failed() {
          if (screen.isTTY) screen.write(CLEAR);
        },
      };
    },
  };
}
