/** `defineConfig`: the configuration file of a company's project, tamshai.config.ts. */
import type { Company } from './company.ts';
import type { Installed } from './install.ts';
import type { SampleCompany } from './sample.ts';

export interface ProjectConfig {
  /** Fields that are left out have their defaults: UTC, USD, a fiscal year that begins in January. */
  readonly company?: Partial<Company>;
  /** The domains to serve, in the order in which clients list their tools. */
  readonly domains: readonly Installed[];
  /** The company whose sample data fills empty stores: `true` for the built-in one (the default), `false` for none. */
  readonly sample?: boolean | SampleCompany;
}

/** The keys of a configuration; the start refuses any other. */
export const CONFIG_KEYS = ['company', 'domains', 'sample'] as const satisfies readonly (keyof ProjectConfig)[];

/** Returns the configuration as it is, with its type checked. The start validates the values. */
export const defineConfig = (config: ProjectConfig): ProjectConfig => config;
