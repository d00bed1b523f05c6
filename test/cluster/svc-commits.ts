import { openDatabase } from '../../plugins/platform/database/open-database.ts';
import type { Transaction } from '../../kernel/contracts/index.ts';
import { randomFrom } from '../crash/chaos.ts';
import { createIds, messageLog, systemClock } from '../kit/index.ts';

export interface Wanted {
  url: string;
  /** Of the rows that all fight for. */
  rows: number;
  /** Transactions at once. */
  writers: number;
  share: number;
  /** Numbers of transactions are this and what follows. */
  first: number;
  seed: number;
}

/**
 * The same transactions by svc's own database, whose statements were never seen by their connection. Answers the
 * numbers of those that it said were committed, and how often it had to repeat one.
 */
export async function commitBySvc(wanted: Wanted): Promise<{ committed: number[]; retried: number }> {
  const deps = { clock: systemClock, ids: createIds(systemClock), log: messageLog().log };
  const { database, close } = await openDatabase({ database_url: wanted.url }, deps);
  const committed: number[] = [];
  let attempts = 0;
  const writer = async (number: number) => {
    const random = randomFrom(wanted.seed * 1000 + wanted.first + number);
    for (let n = 0; n < wanted.share; n += 1) {
      const tx = wanted.first + number * 10_000 + n;
      const [a, b] = [Math.floor(random() * wanted.rows), Math.floor(random() * wanted.rows)];
      await database.transaction((on) => {
        attempts += 1;
        return contend(on, tx, a, b);
      });
      committed.push(tx);
    }
  };
  try {
    await Promise.all(Array.from({ length: wanted.writers }, (_, number) => writer(number)));
  } finally {
    await close();
  }
  return { committed, retried: attempts - committed.length };
}

async function contend(on: Transaction, tx: number, a: number, b: number): Promise<void> {
  const unseen = `/* ${tx} */`;
  await on.lock({ table: 'hot', key: ['id'], columns: 'n', where: `id = ? ${unseen}`, params: [a] });
  await on.write(`UPDATE hot SET n = n + 1 WHERE id = ? ${unseen}`, [a]);
  await on.write(`INSERT INTO noted (tx, part) VALUES (?, ?) ${unseen}`, [tx, 1]);
  for (let times = 0; times < 3; times += 1)
    await on.read(`SELECT n FROM hot WHERE id = ? ${unseen} /* ${times} */`, [b]);
  await on.write(`INSERT INTO noted (tx, part) VALUES (?, ?) ${unseen}`, [tx, 2]);
  await on.read(`SELECT n FROM hot WHERE id = ? ${unseen}`, [a]);
}
