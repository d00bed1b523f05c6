import {
  BoundedMap,
  type Clock,
  type Database,
  iso,
  type Log,
  type Scope,
  VIEWER,
} from '../../../../kernel/contracts/index.ts';
import type { Run, RunFeed, RunPart, Wakeups } from '../../runs/contract.ts';
import {
  type ChangedRuns,
  type LiveFeed,
  type LiveMessage,
  type LiveTopic,
  type PollResult,
  polledFeed,
} from '../contract.ts';
import { runMessage, runFingerprint } from './run-record.ts';

/** The number of runs that one poll reads. */
const PAGE = 128;
/** The number of unfinished runs of each status that are compared with the previous poll. */
const OPEN = 500;
/** The limit of changes that wait to be read. Beyond it, readers are told to reload. */
const MAX_CHANGED = 10_000;
/** The interval between two checks of what other servers changed. */
const REMOTE_POLL_MS = 500;
const RECORDED = 500;
const MAX_FINGERPRINTS = 5000;

export interface RunsTopicDeps {
  clock: Clock;
  log: Log;
  database: Pick<Database, 'now'>;
  wakeups: Pick<Wakeups, 'onRuns'>;
  feed: RunFeed;
  records(): readonly ChangedRuns[];
}

export const runsTopic = (deps: RunsTopicDeps): LiveTopic => ({
  name: 'runs',
  description: '`run` messages: records of changed runs, as in lists, without outputs',
  access: VIEWER,
  open: (scope, _, feed) => new RunsReader(deps, scope, feed).open(),
});

/**
 * Follows the runs of a project. It combines the runs that this server or a relay reports, those that any server
 * recorded as submitted, started or ended, and those that entered or left the queued and running states.
 */
class RunsReader {
  readonly #deps: RunsTopicDeps;
  readonly #scope: Scope;
  readonly #feed: LiveFeed;
  /** Runs to read, the longest known first. */
  readonly #changed = new Set<string>();
  /** The fingerprint of the last message of each run. A run is not sent when nothing that lists show has changed. */
  readonly #fingerprints = new BoundedMap<string, string>(MAX_FINGERPRINTS);
  readonly #positions = new Map<ChangedRuns, number>();
  #open = new Map<string, string>();
  #remote_polled_at = 0;

  constructor(deps: RunsTopicDeps, scope: Scope, feed: LiveFeed) {
    this.#deps = deps;
    this.#scope = scope;
    this.#feed = feed;
  }

  async open() {
    const { clock, log, wakeups } = this.#deps;
    const { project_id } = this.#scope;
    return polledFeed<undefined>(
      {
        clock,
        log,
        name: 'runs',
        readCursor: () => this.#readPositions(),
        poll: () => this.#poll(),
        onHint: (wake) =>
          wakeups.onRuns(project_id, (run_id, aspect) => {
            if (this.#addChanged(run_id, aspect)) wake();
          }),
      },
      this.#feed,
    );
  }

  async #readPositions(): Promise<undefined> {
    const { records, feed } = this.#deps;
    const { project_id } = this.#scope;
    for (const record of records()) this.#positions.set(record, await record.lastPosition(project_id));
    this.#open = toStatusMap(await feed.open(project_id, OPEN));
    return undefined;
  }

  /** Returns false for changes that no list shows. */
  #addChanged(run_id: string, aspect: RunPart | undefined): boolean {
    if (aspect === 'log' || aspect === 'steps') return false;
    this.#changed.add(run_id);
    return true;
  }

  async #poll(): Promise<PollResult<undefined>> {
    const { clock } = this.#deps;
    const polls_remote = clock.monotonic() - this.#remote_polled_at >= REMOTE_POLL_MS;
    const behind = polls_remote && (await this.#pollRemote());
    if (polls_remote) this.#remote_polled_at = clock.monotonic();
    if (this.#changed.size > MAX_CHANGED) {
      this.#changed.clear();
      this.#feed.reset();
    }
    const ids = [...this.#changed].slice(0, PAGE);
    // A change during the read is recorded again.
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
    const { feed, database } = this.#deps;
    const at = iso(database.now());
    const runs = await feed.records(this.#scope, ids);
    return runs.filter((run) => this.#isNew(run)).map((run) => runMessage(run, at));
  }

  #isNew(run: Run): boolean {
    const fingerprint = runFingerprint(run);
    if (this.#fingerprints.get(run.run_id) === fingerprint) return false;
    this.#fingerprints.set(run.run_id, fingerprint);
    return true;
  }

  /** Returns true when there is more to read at once. */
  async #pollRemote(): Promise<boolean> {
    const { feed } = this.#deps;
    const { project_id } = this.#scope;
    let behind = false;
    for (const [record, from] of this.#positions) {
      const { run_ids, position, more } = await record.readAfter(project_id, from, RECORDED);
      for (const run_id of run_ids) this.#changed.add(run_id);
      this.#positions.set(record, position);
      behind ||= more;
    }
    const open = toStatusMap(await feed.open(project_id, OPEN));
    for (const [run_id, status] of open) if (this.#open.get(run_id) !== status) this.#changed.add(run_id);
    for (const run_id of this.#open.keys()) if (!open.has(run_id)) this.#changed.add(run_id);
    this.#open = open;
    return behind;
  }
}

const toStatusMap = (runs: readonly { run_id: string; status: string }[]): Map<string, string> =>
  new Map(runs.map(({ run_id, status }) => [run_id, status]));
