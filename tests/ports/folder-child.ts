import { openFolder } from '../../src/server/folder.ts';

// Locks the folder and keeps running, or prints why it cannot lock it.
try {
  openFolder(process.argv[2] ?? '');
  console.log('taken');
  setInterval(() => undefined, 1_000);
} catch (error) {
  console.log((error as Error).message);
}
