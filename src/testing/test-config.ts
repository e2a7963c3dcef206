/** The configuration under test, and its registry. */
import type { Installed } from '../declare/install.ts';
import type { SampleCompany } from '../declare/sample.ts';
import { type Registry, registryOf } from '../engine/registry.ts';

export interface TestConfig {
  readonly domains: readonly Installed[];
  /** The sample company, whose people call the tools. */
  readonly sample: SampleCompany;
}

const registries = new WeakMap<TestConfig, Registry>();
/** Built once for each configuration: other modules cache what they derive from a registry. */
export function registryFor(config: TestConfig): Registry {
  const known = registries.get(config) ?? registryOf(config.domains, config.sample);
  registries.set(config, known);
  return known;
}
