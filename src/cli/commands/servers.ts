/** Validates the server names of a command line. */
import { didYouMean } from './nearest.ts';
import { EXIT, Stop } from './stop.ts';
import { builtIn } from '../registry.ts';

export function requireServer(name: string, { gateway = false }: { readonly gateway?: boolean } = {}): void {
  const names = [...(gateway ? ['gateway'] : []), ...builtIn.domains.map((domain) => domain.name)];
  if (names.includes(name)) return;
  throw new Stop(
    `There is no server ${JSON.stringify(name.slice(0, 40))}; there are ${names.join(', ')}.${didYouMean(name, names)}`,
    EXIT.usage,
  );
}
