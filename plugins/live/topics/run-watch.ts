import { type Cancel, type Clock, eachOf, type Log, type Round, WorkLoop } from '../../../kernel/contracts/index.ts';
import type { RunFeed, RunPart, RunVersions, Wakeups } from '../../runs/contract.ts';
import { GATHER_MS, type LiveStop } from '../contract.ts';

const PARTS = ['run', 'steps', 'log'] as const;
const POLL = { min_ms: 250, max_ms: 1000 };
/** Between two looks at what other servers did. */
const OTHERS_MS = 500;

export interface RunWatchParts {
  clock: Clock;
  log: Log;
  wakeups: Pick<Wakeups, 'onRun'>;
  feed: Pick<RunFeed, 'versions'>;
}

interface Watched {
  changed: Set<RunPart>;
  versions: RunVersions | undefined;
  tell(parts: ReadonlySet<RunPart>): Promise<void>;
  off: Cancel;
}

/** Follows single runs: few statements for all of them, however many they are, and none while nobody looks. */
export class RunWatch {
  readonly #parts: RunWatchParts;
  readonly #runs = new Map<string, Watched>();
  #loop: WorkLoop | undefined;
  #stop: LiveStop | undefined;
  #others_at = 0;

  constructor(parts: RunWatchParts) {
    this.#parts = parts;
  }

  /** Runs that somebody looks at. */
  get size(): number {
    return this.#runs.size;
  }

  /** Tells what changed after it has resolved. A run is watched by one at a time. */
  async watch(project_id: string, run_id: string, tell: Watched['tell']): Promise<LiveStop> {
    const watched: Watched = { changed: new Set(), versions: undefined, tell, off: () => {} };
    watched.off = this.#parts.wakeups.onRun(run_id, (_, part) => {
      for (const one of part === undefined ? PARTS : [part]) watched.changed.add(one);
      this.#loop?.wake(GATHER_MS);
    });
    try {
      watched.versions = (await this.#parts.feed.versions([run_id])).get(run_id);
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
    const { clock, log } = this.#parts;
    const says = { failing: 'reading live runs failed; retrying', recovered: 'live runs are read again' };
    this.#loop = new WorkLoop({ clock, log, poll: POLL, says, round: () => this.#round() });
    this.#stop = this.#loop.start();
  }

  async #round(): Promise<Round> {
    const { clock } = this.#parts;
    if (clock.monotonic() - this.#others_at >= OTHERS_MS) {
      await this.#lookAtOthers();
      this.#others_at = clock.monotonic();
    }
    const changed = [...this.#runs.values()].filter((watched) => watched.changed.size > 0);
    return eachOf(changed, async (watched) => {
      const parts = new Set(watched.changed);
      watched.changed.clear();
      try {
        await watched.tell(parts);
      } catch (error) {
        for (const part of parts) watched.changed.add(part);
        throw error;
      }
    });
  }

  async #lookAtOthers(): Promise<void> {
    const ids = [...this.#runs.keys()].map((key) => key.split(' ')[1]!);
    const versions = await this.#parts.feed.versions(ids);
    for (const [key, watched] of this.#runs) {
      const seen = versions.get(key.split(' ')[1]!);
      if (seen === undefined) continue;
      for (const part of PARTS) if (watched.versions?.[part] !== seen[part]) watched.changed.add(part);
      watched.versions = seen;
    }
  }
}
