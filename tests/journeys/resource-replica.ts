/** One replica as a child process: its settings are its argument. Prints its port when it is ready. */
import { start } from '../../src/server/compose.ts';
import { readConfig } from '../registry.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const { ports } = await start(readConfig(settings), { servers: ['gateway', 'hr', 'knowledge'] });
process.stdout.write(`${ports['gateway']}\n`);
