import {
  type Clock,
  type Database,
  eachOf,
  inPages,
  type Log,
  type Sealer,
  retryUnknownCommit,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import type { Grant, LeaseOwnerKind } from '../contract.ts';
import { type GrantRow, readGrants } from '../store/grants.ts';
import type { LeaseStore } from '../store/lease-store.ts';

const PAGE = 64;
export const GRANTED_TOPIC = 'locks.granted';

export interface LeaseNotifierDeps {
  store: LeaseStore;
  owners: () => readonly LeaseOwnerKind[];
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

/**
 * Notifies waiting owners that they hold the lease. The transaction that ends the previous holder grants the lease,
 * but must not touch the next owner's run, so each owner is notified in its own transaction here. Any server notifies
 * for any other: polling makes it correct, wakeups make it fast.
 */
export class LeaseNotifier {
  readonly #deps: LeaseNotifierDeps;
  readonly #loop: WorkLoop;

  constructor(deps: LeaseNotifierDeps) {
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: 100, max_ms: 1000 },
      messages: {
        failing: 'notifying owners of leases failed; retrying',
        recovered: 'owners of leases are notified again',
      },
      iterate: async () => {
        const found = await this.notify();
        return { processed: found, hasMore: found > 0 };
      },
    });
  }

  /** Runs until the returned function is called, whose promise resolves when the last round has ended. */
  start(): () => Promise<void> {
    return startWoken(this.#loop, { wakeups: this.#deps.wakeups, topic: GRANTED_TOPIC });
  }

  /** Runs one round, and returns how many owners were notified or no longer needed their lease. */
  async notify(): Promise<number> {
    const { database } = this.#deps;
    const due = inPages<GrantRow>(PAGE, (after, limit) => readGrants(database, after, limit));
    // A failing owner must not keep leases of other projects from their owners.
    const { processed, failure } = await eachOf(due, (grant_row) => this.#notifyOwner(grant_row));
    if (failure !== undefined) throw failure;
    return processed;
  }

  async #notifyOwner(row: GrantRow): Promise<void> {
    const { database, sealer, store } = this.#deps;
    const kind = this.#deps.owners().find((candidate) => candidate.kind === row.owner_kind);
    const owner = { run_id: row.run_id, kind: row.owner_kind, id: row.owner_id };
    const { org_id, project_id, name: group } = row;
    const fence = row.fence ?? row.group_fence;
    const grant: Grant = { org_id, project_id, group, trusted: row.untrusted === null, owner, fence };
    await sealer.prepare(org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        const is_needed = kind !== undefined && (await kind.granted(tx, grant));
        const is_counted = await store.markNotified(tx, row);
        // If this call counts and nobody needs the lease, it goes to the next owner.
        if (!is_needed && is_counted) await store.release(tx, owner);
      }),
    );
  }
}
