import {
  type Clock,
  type Database,
  type Log,
  type Sealer,
  settled,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../runs/contract.ts';
import type { Grant, LeaseOwnerKind, LeaseScope } from '../contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';

const BATCH = 64;
export const GRANTED = 'locks.granted';

export interface TellerParts {
  store: LeaseStore;
  owners: () => readonly LeaseOwnerKind[];
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

interface ToTell extends LeaseScope {
  group_key: string;
  ticket: number;
  name: string;
  run_id: string;
  owner_kind: string;
  owner_id: string;
  fence: number | null;
  group_fence: number;
}

/**
 * Tells owners in queues that the lease is theirs. A lease is granted in the transaction that ends the one before, which
 * must not touch the next owner's run; here each owner is told in a transaction of its own. Any server does it for any
 * other: polling makes it right, being woken makes it punctual.
 */
export class Teller {
  readonly #parts: TellerParts;
  readonly #loop: WorkLoop;

  constructor(parts: TellerParts) {
    this.#parts = parts;
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: { min_ms: 100, max_ms: 1000 },
      says: { failing: 'owners of leases cannot be told; trying on', recovered: 'owners of leases are told again' },
      round: async () => {
        const found = await this.tell();
        return { found, again: found > 0 };
      },
    });
  }

  /** Tells until the returned function is called; that resolves when the last round is over. */
  start(): () => Promise<void> {
    const off = this.#parts.wakeups.onTopic(GRANTED, () => this.#loop.wake());
    const stop = this.#loop.start();
    return () => {
      off();
      return stop();
    };
  }

  /** One round; answers how many owners were told or found gone. */
  async tell(): Promise<number> {
    const { database } = this.#parts;
    const due = await database.read<ToTell>(
      `SELECT t.org_id, t.project_id, t.group_key, t.ticket, g.name, t.run_id, t.owner_kind, t.owner_id, t.fence,
         g.fence AS group_fence
       FROM locks_tickets t JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
       WHERE t.to_tell IS NOT NULL ORDER BY t.to_tell, t.ticket LIMIT ${BATCH}`,
    );
    let failure: unknown;
    for (const one of due)
      try {
        await this.#tellOne(one);
      } catch (error) {
        // One owner that cannot be told must not keep the lease of another project from it.
        failure = error;
      }
    if (failure !== undefined) throw failure;
    return due.length;
  }

  async #tellOne(one: ToTell): Promise<void> {
    const { database, sealer, store } = this.#parts;
    const kind = this.#parts.owners().find((known) => known.kind === one.owner_kind);
    const owner = { run_id: one.run_id, kind: one.owner_kind, id: one.owner_id };
    const { org_id, project_id, name } = one;
    const grant: Grant = { org_id, project_id, group: name, owner, fence: one.fence ?? one.group_fence };
    await sealer.prepare(org_id);
    await settled(() =>
      database.transaction(async (tx) => {
        const wanted = kind !== undefined && (await kind.granted(tx, grant));
        const first = await store.told(tx, one);
        // Whoever told it before has had it taken; what nobody takes goes on to the next.
        if (!wanted && first) await store.release(tx, owner);
      }),
    );
  }
}
