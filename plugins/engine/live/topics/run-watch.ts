import {
  type Cancel,
  type Clock,
  eachOf,
  type Log,
  type IterationResult,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { RunFeed, RunPart, RunVersions, Wakeups } from '../../runs/contract.ts';
import { GATHER_MS, type LiveStop } from '../contract.ts';

const ASPECTS = ['run', 'steps', 'log'] as const;
const POLL = { min_ms: 250, max_ms: 1000 };
/** The interval between two checks of what other servers changed. */
const REMOTE_POLL_MS = 500;

export interface RunWatchDeps {
  clock: Clock;
  log: Log;
  wakeups: Pick<Wakeups, 'onRun'>;
  feed: Pick<RunFeed, 'versions'>;
}

interface WatchedRun {
  changed: Set<RunPart>;
  versions: RunVersions | undefined;
  notify(aspects: ReadonlySet<RunPart>): Promise<void>;
  off: Cancel;
}

/** Follows single runs with few statements for all of them, and none while there are no viewers. */
export class RunWatch {
  readonly #deps: RunWatchDeps;
  readonly #runs = new Map<string, WatchedRun>();
  #loop: WorkLoop | undefined;
  #stop: LiveStop | undefined;
  #remote_polled_at = 0;

  constructor(deps: RunWatchDeps) {
    this.#deps = deps;
  }

  /** The number of runs with viewers. */
  get size(): number {
    return this.#runs.size;
  }

  /** Reports changes from the moment it resolves. A run has one watcher at a time. */
  async watch(project_id: string, run_id: string, notify: WatchedRun['notify']): Promise<LiveStop> {
    const watched: WatchedRun = { changed: new Set(), versions: undefined, notify, off: () => {} };
    watched.off = this.#deps.wakeups.onRun(run_id, (_, aspect) => {
      for (const changed_aspect of aspect === undefined ? ASPECTS : [aspect]) watched.changed.add(changed_aspect);
      this.#loop?.wake(GATHER_MS);
    });
    try {
      watched.versions = (await this.#deps.feed.versions([run_id])).get(run_id);
    } catch (error) {
      watched.off();
      throw error;
    }
    const key = `${project_id} ${run_id}`;
    this.#runs.set(key, watched);
    this.#start();
    return async () => {
      watched.off();
      if (this.#runs.get(key) === watched) this.#runs.delete(key);
      if (this.#runs.size > 0) return;
      const stop = this.#stop;
      this.#stop = undefined;
      this.#loop = undefined;
      await stop?.();
    };
  }

  #start(): void {
    if (this.#loop) return;
    const { clock, log } = this.#deps;
    const messages = { failing: 'reading live runs failed; retrying', recovered: 'live runs are read again' };
    this.#loop = new WorkLoop({ clock, log, poll: POLL, messages, iterate: () => this.#notifyChanged() });
    this.#stop = this.#loop.start();
  }

  async #notifyChanged(): Promise<IterationResult> {
    const { clock } = this.#deps;
    if (clock.monotonic() - this.#remote_polled_at >= REMOTE_POLL_MS) {
      await this.#pollRemote();
      this.#remote_polled_at = clock.monotonic();
    }
    const changed = [...this.#runs.values()].filter((watched) => watched.changed.size > 0);
    return eachOf(changed, async (watched) => {
      const aspects = new Set(watched.changed);
      watched.changed.clear();
      try {
        await watched.notify(aspects);
      } catch (error) {
        for (const aspect of aspects) watched.changed.add(aspect);
        throw error;
      }
    });
  }

  async #pollRemote(): Promise<void> {
    const ids = [...this.#runs.keys()].map((key) => key.split(' ')[1]!);
    const versions = await this.#deps.feed.versions(ids);
    for (const [key, watched] of this.#runs) {
      const current = versions.get(key.split(' ')[1]!);
      if (current === undefined) continue;
      for (const aspect of ASPECTS) if (watched.versions?.[aspect] !== current[aspect]) watched.changed.add(aspect);
      watched.versions = current;
    }
  }
}
