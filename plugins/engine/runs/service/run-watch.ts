import type { Cancel, Clock, Log } from '../../../../kernel/contracts/index.ts';
import type { Wakeups } from '../contract.ts';
import type { RunVersion } from '../store/read/run-lookups.ts';

const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
const SLOWER = 1.5;
/** Run ids in one statement. */
const BATCH = 200;

export interface RunWatchDeps {
  wakeups: Pick<Wakeups, 'onRun'>;
  clock: Clock;
  log: Log;
  /** Missing runs are left out. */
  versions(run_ids: readonly string[]): Promise<Map<string, RunVersion>>;
}

/** With `over` the run has ended. */
type Changed = (over: boolean) => void;

interface Watched {
  listeners: Set<{ changed: Changed }>;
  version: string | undefined;
  off: Cancel;
  /** The pause after its next poll, and when that is. */
  poll_ms: number;
  due: number;
}

/**
 * Notifies followers of changes: at once for a change in this process, within a second for a change by another server.
 * It polls with one statement for 200 runs, however many followers there are, and not at all without followers. A run that
 * does not change is polled less often, whatever the others do.
 */
export class RunWatch {
  readonly #deps: RunWatchDeps;
  readonly #runs = new Map<string, Watched>();
  #timer: { at: number; cancel: Cancel } | undefined;
  #polling = false;
  #failing = false;

  constructor(deps: RunWatchDeps) {
    this.#deps = deps;
  }

  /** Runs that have followers. */
  get size(): number {
    return this.#runs.size;
  }

  watch(run_id: string, changed: Changed): Cancel {
    const watched = this.#runs.get(run_id) ?? this.#open(run_id);
    const place = { changed };
    watched.listeners.add(place);
    this.#soon(watched);
    return () => {
      if (!watched.listeners.delete(place) || watched.listeners.size > 0) return;
      watched.off();
      this.#runs.delete(run_id);
      if (this.#runs.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  #open(run_id: string): Watched {
    const watched: Watched = { listeners: new Set(), version: undefined, off: () => {}, poll_ms: 0, due: Infinity };
    watched.off = this.#deps.wakeups.onRun(run_id, (over) => tell(watched, over));
    this.#runs.set(run_id, watched);
    return watched;
  }

  #soon(watched: Watched): void {
    this.#postpone(watched, POLL_MIN_MS);
    if (!this.#polling) this.#arm(watched.due);
  }

  /** Runs are polled at the same moments, to share statements. */
  #postpone(watched: Watched, ms: number): void {
    watched.poll_ms = ms;
    watched.due = Math.floor((this.#deps.clock.monotonic() + ms) / POLL_MIN_MS) * POLL_MIN_MS;
  }

  #arm(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.#deps.clock.after(at - this.#deps.clock.monotonic(), () => {
      this.#timer = undefined;
      this.#polling = true;
      this.#poll().then(
        () => this.#again(),
        (error) => {
          if (!this.#failing) this.#deps.log.error({ err: error }, 'watching runs failed; retrying');
          this.#failing = true;
          this.#again();
        },
      );
    });
    this.#timer = { at, cancel };
  }

  #again(): void {
    this.#polling = false;
    let first = Infinity;
    for (const { due } of this.#runs.values()) first = Math.min(first, due);
    if (first < Infinity) this.#arm(first);
  }

  async #poll(): Promise<void> {
    const now = this.#deps.clock.monotonic();
    const ids: string[] = [];
    for (const [run_id, watched] of this.#runs) {
      if (watched.due > now) continue;
      ids.push(run_id);
      this.#postpone(watched, Math.min(watched.poll_ms * SLOWER, POLL_MAX_MS));
    }
    for (let i = 0; i < ids.length; i += BATCH) {
      const versions = await this.#deps.versions(ids.slice(i, i + BATCH));
      for (const [run_id, version] of versions) this.#note(run_id, version);
    }
    this.#failing = false;
  }

  #note(run_id: string, { text, over }: RunVersion): void {
    const watched = this.#runs.get(run_id);
    if (watched === undefined || watched.version === text) return;
    watched.version = text;
    this.#postpone(watched, POLL_MIN_MS);
    tell(watched, over);
  }
}

/** Listeners may leave or join during a notification; new ones are not called in the same round. */
function tell(watched: Watched, over: boolean): void {
  const listeners = [...watched.listeners];
  for (const { changed } of listeners) changed(over);
}
