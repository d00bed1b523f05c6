import {
  type Clock,
  type Database,
  eachOf,
  type Log,
  type Round,
  type Sealer,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import type { EventBus } from '../../bus/contract.ts';
import { type Json, startWoken, type Wakeups } from '../../runs/contract.ts';
import { type AccountKey, dueAccounts, nextDue } from '../store/accounts.ts';
import { type AnnouncementRow, listAnnouncements, takeAnnouncement } from '../store/announcements.ts';
import type { Renewer } from './renewer.ts';

/** Something of an account changed: what is due next, or an event to announce. */
export const CHANGED = 'accounts.changed';

const POLL_MS = { min_ms: 1000, max_ms: 15_000 };
const PAGE = 64;
/** Renewals at once: a slow provider does not hold up others. */
const ABREAST = 16;

export interface LoopParts {
  renewer: Pick<Renewer, 'attend'>;
  database: Database;
  sealer: Sealer;
  bus: Pick<EventBus, 'record'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

/** Attends to accounts when they are due and announces what became of them. Correct with any number of servers. */
export class AccountLoop {
  readonly #parts: LoopParts;
  readonly #loop: WorkLoop;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: POLL_MS,
      says: {
        failing: 'attending to connected accounts failed; retrying',
        recovered: 'connected accounts are attended to again',
      },
      round: () => this.round(),
    });
  }

  start(): () => Promise<void> {
    return startWoken(this.#loop, { wakeups: this.#parts.wakeups, topic: CHANGED });
  }

  /** One look at everything that is due. */
  async round(): Promise<Round> {
    const { database } = this.#parts;
    const told = await this.#announce();
    const due = await dueAccounts(database, database.now(), PAGE);
    const failure = await this.#attendAll(due);
    const again = (await this.#announce()) > 0;
    const next = await nextDue(database, database.now());
    return {
      found: due.length + told,
      again: again || due.length === PAGE,
      failure,
      ...(next === undefined ? {} : { due_ms: Math.max(0, next - database.now()) }),
    };
  }

  async #attendAll(due: readonly AccountKey[]): Promise<unknown> {
    const left = [...due];
    const lane = () =>
      eachOf(
        (function* () {
          for (let key = left.shift(); key !== undefined; key = left.shift()) yield key;
        })(),
        (key) => this.#parts.renewer.attend(key),
      );
    const lanes = await Promise.all(Array.from({ length: ABREAST }, lane));
    return lanes.find(({ failure }) => failure !== undefined)?.failure;
  }

  async #announce(): Promise<number> {
    const rows = await listAnnouncements(this.#parts.database, PAGE);
    const { failure } = await eachOf(rows, (row) => this.#record(row));
    if (failure !== undefined) throw failure;
    return rows.length;
  }

  async #record(row: AnnouncementRow): Promise<void> {
    const { database, sealer, bus } = this.#parts;
    const { announcement_id, org_id, project_id, type, name, payload } = row;
    await sealer.prepare(org_id);
    await database.transaction(async (tx) => {
      if (!(await takeAnnouncement(tx, announcement_id))) return;
      await bus.record(tx, [
        {
          ...{ org_id, project_id, type, key: null, payload: JSON.parse(payload) as Json },
          ...{ source: 'account', source_name: name, generation: 0, trusted: true, refusable: false },
          dedup: announcement_id,
        },
      ]);
    });
  }
}
