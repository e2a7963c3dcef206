import { openCallLog } from '../../src/storage/audit/sqlite.ts';
import { clock, example, openPlace } from './audit-test-store.ts';

// A second process that appends a number of records to an audit log. It ends earlier if it is killed or if a write fails.
const [, , folder = '', times = '0'] = process.argv;
// The kernel sends SIGXFSZ at the file size limit. It would end the process; with a listener only the write fails.
process.on('SIGXFSZ', () => undefined);
const place = await openPlace(folder);
const log = await openCallLog({ file: place.file, chain: 'calls', key: place.key, checkpoints: place.checkpoints });
console.log('ready');
for (let i = 1; i <= Number(times); i += 4) {
  try {
    await Promise.all(Array.from({ length: 4 }, (_, j) => log.append({ ...example(i + j), at: clock.now().toISOString() })));
    console.log(String(i + 3));
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    console.log(`${code}: ${message}`);
    break;
  }
}
await log.close();
await place.checkpoints.close().catch(() => undefined);
process.exit(0);
