/** The MongoDB address is printed without its login, even if it is malformed. */
import { expect, test } from 'vitest';
import { mongoAddressOf } from '../../src/storage/documents/mongodb-address.ts';

test.each([
  ['mongodb://localhost:27017', 'localhost:27017'],
  ['mongodb://someone:secret@db.example/sales?replicaSet=rs0', 'db.example'],
  ['mongodb://someone:secret@one:1,two:2,[::1]:3/?ssl=true&appName=@acct@', 'one:1,two:2,[::1]:3'],
  ['mongodb+srv://someone:secret@cluster.example', 'cluster.example'],
])('%s is printed as %s', (url, place) => expect(mongoAddressOf(url)).toBe(place));

test.each([
  'mongodb://someone:s@secret@db.example/sales',
  'mongodb://someone:12/secret@db.example/sales',
  'mongodb://someone:12?secret@db.example/sales',
  'mongodb://someone:1@secret/2@db.example/sales',
  'mongodb://someone:secret',
])('an unencoded password is not printed as a host: %s', (url) => {
  expect(mongoAddressOf(url)).toBe('the address in the settings');
});
