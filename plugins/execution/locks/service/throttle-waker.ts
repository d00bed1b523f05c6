import {
  type Clock,
  type Database,
  eachOf,
  type IterationResult,
  type Log,
  retryUnknownCommit,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import { startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';
import { listNextStarts } from '../store/starts.ts';

const PAGE = 64;
/** How often servers look for groups that others let wait for a time. */
const POLL = { min_ms: 1000, max_ms: 5000 };
export const THROTTLED_TOPIC = 'locks.throttled';

export interface ThrottleWakerDeps {
  store: Pick<LeaseStore, 'openDue'>;
  database: Database;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

/**
 * Grants leases when the throttle of a group lets it: nothing else happens then that would. The times are rows, so any
 * server does it, and a restart loses none.
 */
export class ThrottleWaker {
  readonly #deps: ThrottleWakerDeps;

  constructor(deps: ThrottleWakerDeps) {
    this.#deps = deps;
  }

  /** Runs until the returned function is called, whose promise resolves when the last round has ended. */
  start(): () => Promise<void> {
    const { clock, log, wakeups } = this.#deps;
    const messages = {
      failing: 'granting leases of throttled groups failed; retrying',
      recovered: 'leases of throttled groups are granted again',
    };
    const loop = new WorkLoop({ clock, log, poll: POLL, messages, iterate: () => this.open() });
    return startWoken(loop, { wakeups, topic: THROTTLED_TOPIC });
  }

  /** Runs one round over the groups that are due. */
  async open(): Promise<IterationResult> {
    const { database, store } = this.#deps;
    const now = database.now();
    const groups = await listNextStarts(database, PAGE);
    const due = groups.filter(({ next_at }) => Number(next_at) <= now);
    const { processed, failure } = await eachOf(due, (group) =>
      retryUnknownCommit(() => database.transaction((tx) => store.openDue(tx, group))),
    );
    const later = groups[due.length];
    return {
      processed,
      failure,
      hasMore: due.length === PAGE,
      ...(later !== undefined && {
        due_ms: Number(later.next_at) - now,
        next: { at: Number(later.next_at), description: 'a throttled group' },
      }),
    };
  }
}
