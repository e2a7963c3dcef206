/** Prompts the user on the controlling terminal (/dev/tty), even if standard input and output are redirected. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ReadStream, WriteStream } from 'node:tty';

export interface Terminal {
  readonly width: number;
  readonly colour: boolean;
  say(text: string): void;
  /** Returns undefined after a timeout or if the terminal closes. */
  ask(question: string, withinMs: number): Promise<string | undefined>;
  close(): void;
}

const TERMINAL = '/dev/tty';

/** Returns undefined without a controlling terminal, for example in a service or in CI. */
export function openTerminal(): Terminal | undefined {
  let input: number | undefined;
  try {
    input = openSync(TERMINAL, constants.O_RDONLY);
    const screen = new WriteStream(openSync(TERMINAL, constants.O_WRONLY));
    return createTerminal(input, screen);
  } catch {
    if (input !== undefined) closeSync(input);
    return undefined;
  }
}

function createTerminal(input: number, screen: WriteStream): Terminal {
  const keyboard = new ReadStream(input);
  return {
    width: screen.columns > 0 ? screen.columns : 80,
    colour: screen.hasColors(),
    say: (text) => void screen.write(text),
    async ask(question, withinMs) {
      discardInput();
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

/** Discards input that the user typed before the question was visible. */
function discardInput(): void {
  const handle = openSync(TERMINAL, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(4096);
  try {
    while (readSync(handle, buffer, 0, buffer.length, null) > 0);
  } catch {
  } finally {
    closeSync(handle);
  }
}
