/** The domains that a command works with: all built-in ones. */
import { builtInDomains } from '../../domains/index.ts';
import { type Registry, registryOf } from '../engine/registry.ts';

/** Built once: other modules cache what they derive from it. */
export const builtIn: Registry = registryOf(builtInDomains);
