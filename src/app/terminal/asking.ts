/** Asks the person at the controlling terminal, whatever standard input and output are connected to. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ReadStream, WriteStream } from 'node:tty';

export interface Person {
  readonly width: number;
  readonly colour: boolean;
  say(text: string): void;
  /** The line typed after the question; undefined when time is up or the terminal goes away. */
  ask(question: string, withinMs: number): Promise<string | undefined>;
  close(): void;
}

const TERMINAL = '/dev/tty';

/** Undefined where there is nobody to ask: a pipeline, a service, an agent without a terminal. */
export function personAtTerminal(): Person | undefined {
  let input: number | undefined;
  try {
    input = openSync(TERMINAL, constants.O_RDONLY);
    const screen = new WriteStream(openSync(TERMINAL, constants.O_WRONLY));
    return person(input, screen);
  } catch {
    if (input !== undefined) closeSync(input);
    return undefined;
  }
}

function person(input: number, screen: WriteStream): Person {
  const keyboard = new ReadStream(input);
  return {
    width: screen.columns > 0 ? screen.columns : 80,
    colour: screen.hasColors(),
    say: (text) => void screen.write(text),
    async ask(question, withinMs) {
      forgetTyped();
      const lines = createInterface({ input: keyboard, terminal: false });
      screen.write(question);
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise<string | undefined>((resolve) => {
          timer = setTimeout(() => resolve(undefined), withinMs);
          lines.once('line', resolve).once('close', () => resolve(undefined));
          keyboard.once('error', () => resolve(undefined));
        });
      } finally {
        clearTimeout(timer);
        lines.close();
      }
    },
    close() {
      keyboard.destroy();
      screen.destroy();
    },
  };
}

/** What was typed or pasted before the question was on the screen is no answer to it. */
function forgetTyped(): void {
  const handle = openSync(TERMINAL, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(4096);
  try {
    while (readSync(handle, buffer, 0, buffer.length, null) > 0);
  } catch {
    // Nothing left to read.
  } finally {
    closeSync(handle);
  }
}
