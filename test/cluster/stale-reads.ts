import { openDatabase } from '../../plugins/platform/database/open-database.ts';
import { Errors, type Transaction } from '../../kernel/contracts/index.ts';
import { createIds, messageLog, systemClock } from '../kit/index.ts';
import type { Galera } from './galera.ts';

export interface StaleReads {
  /** Commits that a plain read at the next node, right after the answer, did not see: how often the test is one. */
  stale: number;
  /** Refusals "it is not there" that were wrong, by the way of asking. */
  wrong: { transaction: number; group: number; caughtUp: number };
}

const HELD = 'SELECT n FROM seen WHERE id = ?';

/** Commits at one node and asks for each at the next, where it may not have arrived; others write all the time. */
export async function readAtTheNext(cluster: Galera, rounds: number): Promise<StaleReads> {
  const name = await cluster.createDatabase();
  const deps = { clock: systemClock, ids: createIds(systemClock), log: messageLog().log };
  const open = (node: number) => openDatabase({ database_url: cluster.url(node, name) }, deps);
  const [here, there] = [await open(0), await open(1)];
  const seen = new Seen(here.database, there, rounds);
  try {
    return await seen.count();
  } finally {
    await here.close();
    await there.close();
  }
}

type Handle = Awaited<ReturnType<typeof openDatabase>>;

class Seen {
  readonly #here: Handle['database'];
  readonly #there: Handle;
  readonly #rounds: number;
  #next = 0;

  constructor(here: Handle['database'], there: Handle, rounds: number) {
    this.#here = here;
    this.#there = there;
    this.#rounds = rounds;
  }

  async count(): Promise<StaleReads> {
    await this.#here.write('CREATE TABLE seen (id INT PRIMARY KEY, n INT NOT NULL, pad LONGTEXT)');
    await this.#there.database.catchUp();
    const { database, group_commits } = this.#there;
    const look = async (tx: Pick<Transaction, 'read'>, id: number) => (await tx.read(HELD, [id])).length > 0;
    const group = group_commits.create<number, number>({
      name: 'seen',
      max_batch: 8,
      async flush(tx, batch) {
        const found = await Promise.all(batch.map((id) => look(tx, id)));
        return batch.map((id, at) => (found[at] ? { ok: id } : { error: Errors.notFound(`no ${id}`) }));
      },
    });
    const stale = await this.#missed((id) => look(database, id));
    const transaction = await this.#missed((id) =>
      database.transaction(async (tx) => {
        if (!(await look(tx, id))) throw Errors.notFound(`no ${id}`);
        return true;
      }),
    );
    const grouped = await this.#missed(async (id) => (await group.submit(id)) === id);
    const caughtUp = await this.#missed(async (id) => {
      await database.catchUp();
      return look(database, id);
    });
    return { stale, wrong: { transaction, group: grouped, caughtUp } };
  }

  /** How often something that was just committed is said not to be there. */
  async #missed(ask: (id: number) => Promise<boolean>): Promise<number> {
    let missed = 0;
    for (let round = 0; round < this.#rounds; round += 1) {
      const id = (this.#next += 1);
      // A large row takes the other node a moment.
      await this.#here.write('INSERT INTO seen (id, n, pad) VALUES (?, 0, ?)', [id, 'x'.repeat(200_000)]);
      const there = await ask(id).catch((error: unknown) => {
        if (error instanceof Error && 'status' in error && error.status === 404) return false;
        throw error;
      });
      if (!there) missed += 1;
    }
    return missed;
  }
}
