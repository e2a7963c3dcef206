/** Validates the server names of a command line. */
import { didYouMean } from './nearest.ts';
import { EXIT, Stop } from './stop.ts';

export function requireServer(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new Stop(
    `There is no server ${JSON.stringify(name.slice(0, 40))}; there are ${names.join(', ')}.${didYouMean(name, names)}`,
    EXIT.usage,
  );
}
