/** `defineConfig`: the configuration file of a company's project, tamshai.config.ts. */
import type { Company } from './company.ts';
import type { Installed } from './install.ts';
import type { SampleCompany } from './sample.ts';

export interface ProjectConfig {
  /** Defaults: the name Tamshai, UTC, USD, and a fiscal year that begins in January. */
  readonly company?: Partial<Company>;
  /** The domains to serve, in the order in which clients list their tools. */
  readonly domains: readonly Installed[];
  /** The company whose sample data fills empty stores: `true` (the default) for the built-in company, `false` for none. */
  readonly sample?: boolean | SampleCompany;
}

/** The keys of a configuration; the start refuses any other. */
export const CONFIG_KEYS = ['company', 'domains', 'sample'] as const satisfies readonly (keyof ProjectConfig)[];

/** Returns the configuration unchanged; only its type is checked. The start validates the values. */
export const defineConfig = (config: ProjectConfig): ProjectConfig => config;
