/** The configuration under test, and its registry. */
import { sampleCompany } from '../../domains/index.ts';
import type { Company } from '../declare/company.ts';
import { readCompany } from '../declare/company-rules.ts';
import type { ProjectConfig } from '../declare/config.ts';
import type { SampleCompany } from '../declare/sample.ts';
import { type Registry, registryOf } from '../engine/registry.ts';

/** The result of defineConfig. Its sample people call the tools, so `sample` must not be `false`. */
export type TestConfig = ProjectConfig;

const registries = new WeakMap<TestConfig, Registry>();
/** Returns the same registry for the same configuration, because other modules cache by registry. */
export function registryFor(config: TestConfig): Registry {
  const known = registries.get(config) ?? registryOf(config.domains, sampleOf(config), companyOf(config));
  registries.set(config, known);
  return known;
}

function sampleOf({ sample = true }: TestConfig): SampleCompany {
  if (sample === false) throw new Error('The people of a sample company call the tools under test: set `sample` in the configuration.');
  return sample === true ? sampleCompany : sample;
}

export function companyOf({ company = {} }: TestConfig): Company {
  const read = readCompany(company);
  if (typeof read === 'string') throw new Error(read);
  return read;
}
