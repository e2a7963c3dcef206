/** What a command works with: all built-in domains and the built-in sample company. */
import { builtInDomains, sampleCompany } from '../../domains/index.ts';
import { type Registry, registryOf } from '../engine/registry.ts';

/** Built once: other modules cache what they derive from it. */
export const builtIn: Registry = registryOf(builtInDomains, sampleCompany);
