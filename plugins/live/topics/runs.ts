import {
  BoundedMap,
  type Clock,
  type Database,
  iso,
  type Log,
  type Scope,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import type { Run, RunFeed, RunPart, Wakeups } from '../../runs/contract.ts';
import {
  type ChangedRuns,
  type LiveFeed,
  type LiveMessage,
  type LiveTopic,
  type Look,
  polledFeed,
} from '../contract.ts';
import { runMessage, shownOf } from './run-record.ts';

/** Runs of one look. */
const PAGE = 128;
/** Unfinished runs of each status that are compared with those of the look before. */
const OPEN = 500;
/** Changes that may wait to be read. More are more than anybody can look at: who looks reads again. */
const MAX_CHANGED = 10_000;
/** Between two looks at what other servers did. */
const OTHERS_MS = 500;
const RECORDED = 500;
const MAX_SHOWN = 5000;

export interface RunsTopicParts {
  clock: Clock;
  log: Log;
  database: Pick<Database, 'now'>;
  wakeups: Pick<Wakeups, 'onRuns'>;
  feed: RunFeed;
  records(): readonly ChangedRuns[];
}

export const runsTopic = (parts: RunsTopicParts): LiveTopic => ({
  name: 'runs',
  about: '`run` messages: records of runs that changed, as lists show them, without outputs',
  access: VIEWER,
  open: (scope, _, feed) => new RunsReader(parts, scope, feed).open(),
});

/**
 * Follows the runs of a project: those that this server or a relay names, those that any server recorded as submitted,
 * started or ended, and those that are queued or running now and were not, or the other way round.
 */
class RunsReader {
  readonly #parts: RunsTopicParts;
  readonly #scope: Scope;
  readonly #feed: LiveFeed;
  /** Runs to read, the longest known first. */
  readonly #changed = new Set<string>();
  /** What was sent last of a run: a run that changed in nothing that lists show is not sent. */
  readonly #shown = new BoundedMap<string, string>(MAX_SHOWN);
  readonly #positions = new Map<ChangedRuns, number>();
  #open = new Map<string, string>();
  #others_at = 0;

  constructor(parts: RunsTopicParts, scope: Scope, feed: LiveFeed) {
    this.#parts = parts;
    this.#scope = scope;
    this.#feed = feed;
  }

  async open() {
    const { clock, log, wakeups } = this.#parts;
    const { project_id } = this.#scope;
    return polledFeed<undefined>(
      {
        ...{ clock, log, name: 'runs' },
        begin: () => this.#begin(),
        look: () => this.#look(),
        hints: (wake) =>
          wakeups.onRuns(project_id, (run_id, part) => {
            if (this.#note(run_id, part)) wake();
          }),
      },
      this.#feed,
    );
  }

  async #begin(): Promise<undefined> {
    const { records, feed } = this.#parts;
    const { project_id } = this.#scope;
    for (const record of records()) this.#positions.set(record, await record.end(project_id));
    this.#open = statuses(await feed.open(project_id, OPEN));
    return undefined;
  }

  /** False for what no list shows. */
  #note(run_id: string, part: RunPart | undefined): boolean {
    if (part === 'log' || part === 'steps') return false;
    this.#changed.add(run_id);
    return true;
  }

  async #look(): Promise<Look<undefined>> {
    const { clock } = this.#parts;
    const others = clock.monotonic() - this.#others_at >= OTHERS_MS;
    const behind = others && (await this.#lookAtOthers());
    if (others) this.#others_at = clock.monotonic();
    if (this.#changed.size > MAX_CHANGED) {
      this.#changed.clear();
      this.#feed.reset();
    }
    const ids = [...this.#changed].slice(0, PAGE);
    // A change during the read is noted anew.
    for (const run_id of ids) this.#changed.delete(run_id);
    try {
      const messages = await this.#messages(ids);
      return { cursor: undefined, messages, more: behind || this.#changed.size > 0 };
    } catch (error) {
      for (const run_id of ids) this.#changed.add(run_id);
      throw error;
    }
  }

  async #messages(ids: readonly string[]): Promise<LiveMessage[]> {
    if (ids.length === 0) return [];
    const { feed, database } = this.#parts;
    const at = iso(database.now());
    const runs = await feed.records(this.#scope, ids);
    return runs.filter((run) => this.#isNew(run)).map((run) => runMessage(run, at));
  }

  #isNew(run: Run): boolean {
    const shown = shownOf(run);
    if (this.#shown.get(run.run_id) === shown) return false;
    this.#shown.set(run.run_id, shown);
    return true;
  }

  /** True when there is more to read at once. */
  async #lookAtOthers(): Promise<boolean> {
    const { feed } = this.#parts;
    const { project_id } = this.#scope;
    let behind = false;
    for (const [record, from] of this.#positions) {
      const { run_ids, position, more } = await record.after(project_id, from, RECORDED);
      for (const run_id of run_ids) this.#changed.add(run_id);
      this.#positions.set(record, position);
      behind ||= more;
    }
    const open = statuses(await feed.open(project_id, OPEN));
    for (const [run_id, status] of open) if (this.#open.get(run_id) !== status) this.#changed.add(run_id);
    for (const run_id of this.#open.keys()) if (!open.has(run_id)) this.#changed.add(run_id);
    this.#open = open;
    return behind;
  }
}

const statuses = (runs: readonly { run_id: string; status: string }[]): Map<string, string> =>
  new Map(runs.map(({ run_id, status }) => [run_id, status]));
