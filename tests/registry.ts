/** The configuration of the built-in domains, which most tests run on. */
import { builtIn } from '../src/cli/registry.ts';
import { type Config, type Environment, readConfig as read } from '../src/server/config.ts';
import { createSettings } from '../src/server/settings.ts';

export { builtIn } from '../src/cli/registry.ts';
export const settings = createSettings(builtIn.domains);
export const readConfig = (environment: Environment): Config => read(builtIn, { environment });

export const rolesIn = builtIn.roles.resolve;
export const STAFF_ROLES = builtIn.roles.of('staff');
export const CUSTOMER_ROLES = builtIn.roles.of('customer');
