import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copiesOf } from '../../test/support/mysql-server.ts';
import { homeFolder } from './home.ts';
import { emptyDatabase } from './own-database.ts';
import { bootstrap, type Bootstrapped } from './target.ts';

/** A database on which `svc admin bootstrap` has run, and what belongs to it. */
export interface PreparedDatabase extends Bootstrapped {
  url: string;
  drop(): Promise<void>;
}

interface Template extends Bootstrapped {
  copyTo(folder: string): Promise<{ url: string; drop(): Promise<void> }>;
  drop(): Promise<void>;
}

let template: Promise<Template> | undefined;

/** Bootstrap takes longer than most scenarios: it runs once, and every server of a scenario's own gets a copy of what it left. */
export async function preparedDatabase(folder: string): Promise<PreparedDatabase> {
  template ??= makeTemplate();
  const { copyTo, token, org, master_key } = await template;
  return { ...(await copyTo(folder)), token, org, master_key };
}

/** At the end of the process. */
export async function dropTemplate(): Promise<void> {
  await (await template)?.drop();
}

async function makeTemplate(): Promise<Template> {
  const folder = await homeFolder('svc-prepared-');
  try {
    const database = await emptyDatabase(folder);
    const made = await bootstrap(database.url, folder);
    if (database.url.startsWith('mysql:'))
      return { ...made, copyTo: await copiesOf(database.url), drop: database.drop };
    // The only process that used it has ended, so that everything is in this file.
    const bytes = await readFile(database.url.replace(/^sqlite:/, ''));
    return { ...made, copyTo: (to) => copyOfBytes(bytes, to), drop: async () => undefined };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyOfBytes(bytes: Buffer, folder: string) {
  const path = join(folder, `own-${randomBytes(4).toString('hex')}.db`);
  await writeFile(path, bytes, { mode: 0o600 });
  return { url: `sqlite:${path}`, drop: async () => undefined };
}
