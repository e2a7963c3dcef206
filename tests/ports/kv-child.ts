/** Child process of the key-value store tests: it counts on a shared file, and tries to win every swap. */
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';

const [, , file = '', name = '', rounds = '0'] = process.argv;
const kv = openSqliteKeyValue(file);
console.log('ready');
while ((await kv.get('go')) === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
let won = 0;
for (let i = 0; i < Number(rounds); i++) {
  await kv.count('all', 60);
  if (await kv.swap(`prize:${i}`, 'free', name, 60)) won++;
}
console.log(String(won));
await kv.close();
