import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from './databases.ts';
import { loadDump } from './mysql-dump.ts';

/** Where a run of tests keeps the schema of a store: a database file, or a text of statements. */
export const templateIn = (folder: string, store: Store): string =>
  join(folder, store === 'sqlite' ? 'schema.db' : 'schema.sql');

/** By address: several servers may start on one database at once. */
const filled = new Map<string, Promise<void>>();

/**
 * Gives a database that nobody has used the schema of all built-in plugins, where SVC_TEST_TEMPLATES names a folder that has it,
 * as in a run of the gate: the migrations run once, and a test copies what they made. Else the server that boots on the
 * database migrates it.
 */
export function fillFromTemplate({ url }: { url: string }): Promise<void> {
  const folder = process.env.SVC_TEST_TEMPLATES;
  if (!folder) return Promise.resolve();
  let filling = filled.get(url);
  if (filling === undefined) {
    filling = fill(folder, url);
    filled.set(url, filling);
  }
  return filling;
}

async function fill(folder: string, url: string): Promise<void> {
  const store = url.startsWith('mysql:') ? 'mysql' : 'sqlite';
  const template = templateIn(folder, store);
  if (!existsSync(template)) return;
  if (store === 'mysql') {
    await loadDump(url, await readFile(template, 'utf8'));
    return;
  }
  const path = url.slice('sqlite:'.length);
  if (!path.startsWith('/') || existsSync(path)) return;
  await copyFile(template, path, constants.COPYFILE_EXCL);
  await chmod(path, 0o600);
}
