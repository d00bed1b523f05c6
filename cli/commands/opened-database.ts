import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Formats a date in the locale of this machine. */
const day = (date: Date) => date.toLocaleDateString();

/** Describes the database that `svc dev` is about to open, and whose it is. */
export async function describeDatabase(home: string, url: string | undefined): Promise<string> {
  if (url && !url.startsWith('sqlite:')) return `database ${withoutPassword(url)} (SVC_DATABASE_URL)`;
  const path = url?.slice('sqlite:'.length) || join(home, 'svc.db');
  const from = url ? ' (SVC_DATABASE_URL)' : '';
  if (path === ':memory:') return `database in memory${from}: it is lost when this process ends`;
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    // Opening the database reports every other problem.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (info === undefined) return `database ${path}${from}: new`;
  const owner = info.uid === process.getuid?.() ? 'yours' : `owned by user ${info.uid}`;
  return `database ${path}${from}: ${owner}, since ${day(info.birthtime)}`;
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'of the address';
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username ? `${username}@` : ''}${host}${pathname}`;
}
