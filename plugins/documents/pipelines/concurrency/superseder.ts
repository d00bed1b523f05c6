import { type Clock, type Database, eachOf, inPages, type Log } from '../../../../kernel/contracts/index.ts';
import type { Leases, ReplacedRun } from '../../../execution/locks/contract.ts';
import { cancelUnlessOver, RecordedWork, type RunStore, type Wakeups } from '../../../engine/runs/contract.ts';
import { leaseOwner } from './lease-wait.ts';
import { dueSupersessions, type Supersession, deleteSupersession } from '../store/supersessions.ts';

const PAGE = 64;

export interface SupersederDeps {
  database: Database;
  leases: Pick<Leases, 'listReplaced'>;
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
  readonly #deps: SupersederDeps;
  readonly #work: RecordedWork<Supersession>;

  constructor(deps: SupersederDeps) {
    const { database, clock, log, wakeups } = deps;
    this.#deps = deps;
    this.#work = new RecordedWork({
      clock,
      log,
      wakeups,
      topic: 'pipelines.superseding',
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

  /**
   * Cancels earlier runs. Since the commit that recorded this, the lease skips them, so none of them starts meanwhile.
   */
  async #supersede(supersession: Supersession): Promise<void> {
    const { database, leases } = this.#deps;
    for (const holding of ['run', 'job'] as const) {
      const owner = leaseOwner(supersession, holding);
      const earlier = inPages<ReplacedRun>(PAGE, async (after, limit) =>
        this.#work.stopped ? [] : leases.listReplaced(database, owner, after, limit),
      );
      const { failure } = await eachOf(earlier, async ({ run_id }) => {
        if (run_id !== supersession.run_id) await this.#cancel(supersession, run_id);
      });
      if (failure !== undefined) throw failure;
    }
    // Another server finishes what a stopping server leaves, or the same one after its restart.
    if (!this.#work.stopped) await deleteSupersession(database, supersession);
  }

  async #cancel({ org_id, project_id, run_id: by, group_name }: Supersession, run_id: string): Promise<void> {
    const reason = `superseded by the run ${by} in the concurrency group ${group_name}`;
    await cancelUnlessOver(this.#deps.store, { org_id, project_id, run_id, reason });
  }
}
