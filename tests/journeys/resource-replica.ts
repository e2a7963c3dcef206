/** Child process that runs one replica with the settings in its argument, and prints its port when it is ready. */
import { start } from '../../src/server/compose.ts';
import { readConfig } from '../registry.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const { ports } = await start(readConfig(settings), { servers: ['gateway', 'hr', 'knowledge'] });
process.stdout.write(`${ports['gateway']}\n`);
