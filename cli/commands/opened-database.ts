import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** As people of this machine write it. */
const day = (date: Date) => date.toLocaleDateString();

/** Says which database a `svc dev` opens and whose it is; asked before it is opened. */
export async function openedDatabase(home: string, url: string | undefined): Promise<string> {
  if (url && !url.startsWith('sqlite:')) return `database ${withoutPassword(url)} (SVC_DATABASE_URL)`;
  const path = url?.slice('sqlite:'.length) || join(home, 'svc.db');
  const from = url ? ' (SVC_DATABASE_URL)' : '';
  if (path === ':memory:') return `database in memory${from}: it is gone with this process`;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    // Whatever else is wrong with it, opening it says so.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return `database ${path}${from}: new`;
  const owner = found.uid === process.getuid?.() ? 'yours' : `of the user with the id ${found.uid}`;
  return `database ${path}${from}: ${owner}, since ${day(found.birthtime)}`;
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'of the address';
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username ? `${username}@` : ''}${host}${pathname}`;
}
