import { join } from 'node:path';
import mysql2 from 'mysql2/promise';
import { walBetween, walState } from '../kit/wal.ts';
import type { Place } from './place.ts';

/** What the database wrote to its log while work was done. */
export interface LogWritten {
  bytes: number;
  /** How often the disk was waited for. */
  syncs: number;
  /** Pieces of work that this is of. */
  done: number;
}

/** Does the work and tells `done` whenever a piece of it is finished. */
type Counted = (done: () => void) => Promise<unknown>;

const LOOK_MS = 20;

/**
 * By looks at the log beside the database: every commit ends in a frame of its own, and is synced. Spans in which the log
 * began anew are left out, with the work that was finished in them.
 */
async function bySqlite(place: Place, work: Counted): Promise<LogWritten> {
  const database = join(place.folder, 'svc.db');
  const sums: LogWritten = { bytes: 0, syncs: 0, done: 0 };
  let finished = 0;
  const look = async () => ({ finished, state: await walState(database) });
  let last = await look();
  const add = async () => {
    const next = await look();
    const found = walBetween(last.state, next.state);
    if (found) {
      sums.bytes += found.bytes;
      sums.syncs += found.commits;
      sums.done += next.finished - last.finished;
    }
    last = next;
  };
  let over = false;
  const working = work(() => {
    finished += 1;
  }).finally(() => {
    over = true;
  });
  while (!over) {
    await Promise.race([working, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    await add();
  }
  await working;
  return sums;
}

const COUNTERS = `SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_os_log_written', 'Innodb_data_fsyncs')`;

/** By counters of the database server: of all that uses it. */
async function byMysql(url: string, work: Counted): Promise<LogWritten> {
  const connection = await mysql2.createConnection(url);
  const counters = async () => {
    const [rows] = await connection.query(COUNTERS);
    const found = new Map(
      (rows as { Variable_name: string; Value: string }[]).map((row) => [row.Variable_name, row.Value]),
    );
    return { bytes: Number(found.get('Innodb_os_log_written')), syncs: Number(found.get('Innodb_data_fsyncs')) };
  };
  try {
    const before = await counters();
    let done = 0;
    await work(() => {
      done += 1;
    });
    const after = await counters();
    return { bytes: after.bytes - before.bytes, syncs: after.syncs - before.syncs, done };
  } finally {
    await connection.end();
  }
}

export const logWritten = (place: Place, database_url: string | undefined, work: Counted): Promise<LogWritten> =>
  database_url === undefined ? bySqlite(place, work) : byMysql(database_url, work);
