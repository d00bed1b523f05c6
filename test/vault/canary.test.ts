import t from 'tap';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { canaryRun } from './canary-run.ts';
import { needs } from '../kit/needs.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

/** The short size of the gate; `node test/vault/long.ts` is the full one. */
const SHORT = { cuts: 2 };

async function check(t: typeof import('tap').default, database_url?: string): Promise<void> {
  const result = await canaryRun({ ...SHORT, ...(database_url ? { database_url } : {}) });
  t.same(result.hits, [], 'no canary anywhere');
  t.same(result.statuses, ['succeeded', 'failed']);
  t.ok(result.said > 1000 && result.masks >= result.said, `${result.masks} masks for ${result.said} forms said`);
  // The first pass at least: a prepared interpreter takes its variables later, where no scan of processes sees them.
  t.ok(result.held >= 1, 'the scan finds them where they are: in the scripts');
  const { processes, files, answers, bytes } = result.looked;
  t.ok(processes > 20 && files > 20 && answers > 30 && bytes > 1_000_000, JSON.stringify(result.looked));
}

t.test(
  'SQLite: canaries in every kind and encoding are nowhere',
  { timeout: 600_000, ...needs('python3'), ...inTurn('sqlite') },
  (t) => check(t as typeof import('tap').default),
);

t.test(
  'MySQL: canaries in every kind and encoding are nowhere',
  { timeout: 600_000, ...needs('python3'), ...inTurn('mysql') },
  async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    return check(t as typeof import('tap').default, database_url);
  },
);
