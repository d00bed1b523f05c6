import {
  type Clock,
  type Database,
  eachOf,
  inPages,
  type Log,
  retryUnknownCommit,
  type Round,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import { type GroupUse, readGroups, removeIdle } from '../store/idle-groups.ts';

const PAGE = 100;
const POLL = { min_ms: 5000, max_ms: 60_000 };

/**
 * Removes groups that nobody holds or waits for: their names are of runs, strangers' runs too, and each would leave a row for
 * ever. Any number of servers may do this at the same time.
 */
export class GroupSweeper {
  readonly #parts: { database: Database; clock: Clock; log: Log };

  constructor(parts: { database: Database; clock: Clock; log: Log }) {
    this.#parts = parts;
  }

  start(): () => Promise<void> {
    const { clock, log } = this.#parts;
    const says = { failing: 'removing unused locks failed; retrying', recovered: 'unused locks are removed again' };
    return new WorkLoop({ clock, log, poll: POLL, says, round: () => this.round() }).start();
  }

  /** One round over all groups. */
  async round(): Promise<Round> {
    const { database } = this.#parts;
    let removed = 0;
    const { failure } = await eachOf(this.#idle(), async ([project_id, group_keys]) => {
      removed += await retryUnknownCommit(() => database.transaction((tx) => removeIdle(tx, project_id, group_keys)));
    });
    return { found: removed, failure };
  }

  /** Of each page those of one project share a transaction. */
  async *#idle(): AsyncGenerator<[project_id: string, group_keys: string[]]> {
    let page: GroupUse[] = [];
    const groups = inPages<GroupUse>(PAGE, (after, limit) => readGroups(this.#parts.database, after, limit));
    for await (const group of groups) {
      if (page.length === PAGE || page.some(({ project_id }) => project_id !== group.project_id)) {
        yield [page[0]!.project_id, page.map(({ group_key }) => group_key)];
        page = [];
      }
      if (Number(group.idle) === 1) page.push(group);
    }
    if (page.length > 0) yield [page[0]!.project_id, page.map(({ group_key }) => group_key)];
  }
}
