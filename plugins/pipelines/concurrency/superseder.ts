import { type Clock, type Database, eachOf, inPages, type Log } from '../../../kernel/contracts/index.ts';
import type { Leases, ReplacedRun } from '../../locks/contract.ts';
import { cancelUnlessOver, RecordedWork, type RunStore, type Wakeups } from '../../runs/contract.ts';
import { ownerOf } from './lease-wait.ts';
import { dueSupersessions, type Supersession, supersessionDone } from '../store/supersessions.ts';

const PAGE = 64;

export interface SupersederParts {
  database: Database;
  leases: Pick<Leases, 'replaced'>;
  store: Pick<RunStore, 'cancelRun'>;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

/**
 * Cancels the runs that stand in a group before a run with the policy `cancel-running`. The transaction in which that
 * run joins the queue must not touch other runs, so it only records what is to be done. Any server does it.
 */
export class Superseder {
  readonly #parts: SupersederParts;
  readonly #work: RecordedWork<Supersession>;

  constructor(parts: SupersederParts) {
    const { database, clock, log, wakeups } = parts;
    this.#parts = parts;
    this.#work = new RecordedWork({
      ...{ clock, log, wakeups, topic: 'pipelines.superseding' },
      says: { failing: 'superseding runs failed; retrying', recovered: 'runs are superseded again' },
      due: (after, limit) => dueSupersessions(database, after, limit),
      carryOut: (one) => this.#supersede(one),
    });
  }

  start(): () => Promise<void> {
    return this.#work.start();
  }

  /** After a commit that recorded one. */
  wake(): void {
    this.#work.wake();
  }

  /** The lease goes past the earlier runs from the commit that recorded this, so none of them starts meanwhile. */
  async #supersede(one: Supersession): Promise<void> {
    const { database, leases } = this.#parts;
    for (const holding of ['run', 'job'] as const) {
      const owner = ownerOf(one, holding);
      const earlier = inPages<ReplacedRun>(PAGE, async (after, limit) =>
        this.#work.stopped ? [] : leases.replaced(database, owner, after, limit),
      );
      const { failure } = await eachOf(earlier, async ({ run_id }) => {
        if (run_id !== one.run_id) await this.#cancel(one, run_id);
      });
      if (failure !== undefined) throw failure;
    }
    // What a server that stops leaves is done by another one, or when it is there again.
    if (!this.#work.stopped) await supersessionDone(database, one);
  }

  async #cancel({ org_id, project_id, run_id: by, group_name }: Supersession, run_id: string): Promise<void> {
    const reason = `superseded by the run ${by} in the concurrency group ${group_name}`;
    await cancelUnlessOver(this.#parts.store, { org_id, project_id, run_id, reason });
  }
}
