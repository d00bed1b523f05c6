import {
  type Clock,
  type Database,
  eachOf,
  type Log,
  type IterationResult,
  type Sealer,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { EventBus } from '../../../events/bus/contract.ts';
import { type Json, startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import { type AccountKey, dueAccounts, nextDue } from '../store/accounts.ts';
import { type AnnouncementRow, listAnnouncements, claimAnnouncement } from '../store/announcements.ts';
import type { Renewer } from './renewer.ts';

/** Something of an account changed: what is due next, or an event to announce. */
export const CHANGED = 'accounts.changed';

const POLL_MS = { min_ms: 1000, max_ms: 15_000 };
const PAGE = 64;
/** The number of renewals in parallel, so that a slow provider does not delay others. */
const MAX_CONCURRENT = 16;

export interface LoopDeps {
  renewer: Pick<Renewer, 'renewIfDue'>;
  database: Database;
  sealer: Sealer;
  bus: Pick<EventBus, 'record'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

/** Renews accounts when they are due and announces their changes. It is correct with any number of servers. */
export class AccountLoop {
  readonly #deps: LoopDeps;
  readonly #loop: WorkLoop;

  constructor(deps: LoopDeps) {
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: POLL_MS,
      messages: {
        failing: 'checking connected accounts failed; retrying',
        recovered: 'connected accounts are checked again',
      },
      iterate: () => this.runOnce(),
    });
  }

  start(): () => Promise<void> {
    return startWoken(this.#loop, { wakeups: this.#deps.wakeups, topic: CHANGED });
  }

  /** Handles everything that is due now. */
  async runOnce(): Promise<IterationResult> {
    const { database } = this.#deps;
    const announced = await this.#announce();
    const due = await dueAccounts(database, database.now(), PAGE);
    const failure = await this.#renewAll(due);
    const has_more = (await this.#announce()) > 0;
    const next = await nextDue(database, database.now());
    return {
      processed: due.length + announced,
      hasMore: has_more || due.length === PAGE,
      failure,
      due_ms: next === undefined ? undefined : Math.max(0, next - database.now()),
    };
  }

  async #renewAll(due: readonly AccountKey[]): Promise<unknown> {
    const queue = [...due];
    const runWorker = () =>
      eachOf(
        (function* () {
          for (let key = queue.shift(); key !== undefined; key = queue.shift()) yield key;
        })(),
        (key) => this.#deps.renewer.renewIfDue(key),
      );
    const results = await Promise.all(Array.from({ length: MAX_CONCURRENT }, runWorker));
    return results.find(({ failure }) => failure !== undefined)?.failure;
  }

  async #announce(): Promise<number> {
    const rows = await listAnnouncements(this.#deps.database, PAGE);
    const { failure } = await eachOf(rows, (row) => this.#publish(row));
    if (failure !== undefined) throw failure;
    return rows.length;
  }

  async #publish(row: AnnouncementRow): Promise<void> {
    const { database, sealer, bus } = this.#deps;
    const { announcement_id, org_id, project_id, type, name, payload } = row;
    await sealer.prepare(org_id);
    await database.transaction(async (tx) => {
      if (!(await claimAnnouncement(tx, announcement_id))) return;
      await bus.record(tx, [
        {
          org_id,
          project_id,
          type,
          key: null,
          payload: JSON.parse(payload) as Json,
          source: 'account',
          source_name: name,
          generation: 0,
          trusted: true,
          refusable: false,
          dedup: announcement_id,
        },
      ]);
    });
  }
}
