import {
  type Clock,
  type Database,
  eachOf,
  inPages,
  type Log,
  type Sealer,
  retryUnknownCommit,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../runs/contract.ts';
import type { Grant, LeaseOwnerKind } from '../contract.ts';
import { type GrantRow, readGrants } from '../store/grants.ts';
import type { LeaseStore } from '../store/lease-store.ts';

const PAGE = 64;
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

/**
 * Notifies waiting owners that they hold the lease. The transaction that ends the previous holder grants the lease, but
 * must not touch the next owner's run; here each owner is notified in its own transaction. Any server notifies for any
 * other: polling makes it correct, wake-ups make it fast.
 */
export class LeaseNotifier {
  readonly #parts: TellerParts;
  readonly #loop: WorkLoop;

  constructor(parts: TellerParts) {
    this.#parts = parts;
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: { min_ms: 100, max_ms: 1000 },
      says: {
        failing: 'notifying owners of leases failed; retrying',
        recovered: 'owners of leases are notified again',
      },
      round: async () => {
        const found = await this.notify();
        return { found, again: found > 0 };
      },
    });
  }

  /** Works until the returned function is called; that resolves when the last round is over. */
  start(): () => Promise<void> {
    return startWoken(this.#loop, { wakeups: this.#parts.wakeups, topic: GRANTED });
  }

  /** One round. Answers how many owners were notified or found gone. */
  async notify(): Promise<number> {
    const { database } = this.#parts;
    const due = inPages<GrantRow>(PAGE, (after, limit) => readGrants(database, after, limit));
    // A failing owner must not keep leases of other projects from their owners.
    const { found, failure } = await eachOf(due, (one) => this.#notifyOne(one));
    if (failure !== undefined) throw failure;
    return found;
  }

  async #notifyOne(one: GrantRow): Promise<void> {
    const { database, sealer, store } = this.#parts;
    const kind = this.#parts.owners().find((known) => known.kind === one.owner_kind);
    const owner = { run_id: one.run_id, kind: one.owner_kind, id: one.owner_id };
    const { org_id, project_id, name: group } = one;
    const fence = one.fence ?? one.group_fence;
    const grant: Grant = { org_id, project_id, group, trusted: one.untrusted === null, owner, fence };
    await sealer.prepare(org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        const wanted = kind !== undefined && (await kind.granted(tx, grant));
        const first = await store.told(tx, one);
        // Another notifier has delivered it; a lease that nobody takes is passed on.
        if (!wanted && first) await store.release(tx, owner);
      }),
    );
  }
}
