import {
  type Clock,
  type Database,
  eachOf,
  inPages,
  type Log,
  MAX_ROWS_PER_STATEMENT,
  retryUnknownCommit,
  type IterationResult,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import { type GroupUse, readGroups, removeIdle } from '../store/idle-groups.ts';
import { removeExpiredStarts } from '../store/starts.ts';

const PAGE = 100;
const POLL = { min_ms: 5000, max_ms: 60_000 };

/**
 * Removes groups that nobody holds or waits for, and starts that no throttle counts any more. Runs choose the names of groups,
 * even runs of strangers, and each would leave a row forever. Any number of servers may do this at the same time.
 */
export class GroupSweeper {
  readonly #deps: { database: Database; clock: Clock; log: Log };

  constructor(deps: { database: Database; clock: Clock; log: Log }) {
    this.#deps = deps;
  }

  start(): () => Promise<void> {
    const { clock, log } = this.#deps;
    const messages = { failing: 'removing unused locks failed; retrying', recovered: 'unused locks are removed again' };
    return new WorkLoop({ clock, log, poll: POLL, messages, iterate: () => this.sweep() }).start();
  }

  /** Runs one round over all groups. */
  async sweep(): Promise<IterationResult> {
    const { database } = this.#deps;
    let removed = 0;
    const { failure } = await eachOf(this.#idle(), async ([project_id, group_keys]) => {
      removed += await retryUnknownCommit(() => database.transaction((tx) => removeIdle(tx, project_id, group_keys)));
    });
    const expired = await removeExpiredStarts(database, database.now(), MAX_ROWS_PER_STATEMENT);
    return { processed: removed + expired, hasMore: expired === MAX_ROWS_PER_STATEMENT, failure };
  }

  /** Yields the idle groups of a page by project, because those of one project share a transaction. */
  async *#idle(): AsyncGenerator<[project_id: string, group_keys: string[]]> {
    let page: GroupUse[] = [];
    const groups = inPages<GroupUse>(PAGE, (after, limit) => readGroups(this.#deps.database, after, limit));
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
