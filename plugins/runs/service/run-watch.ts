import type { Cancel, Clock, Log } from '../../../kernel/contracts/index.ts';
import type { Wakeups } from '../contract.ts';
import type { RunVersion } from '../store/run-lists.ts';

const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
/** Run ids in one statement. */
const BATCH = 200;

export interface RunWatchParts {
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
}

/**
 * Notifies followers of changes: at once for a change in this process, within a second for a change by another server.
 * It polls with one statement for 200 runs, however many followers there are, and not at all without followers.
 */
export class RunWatch {
  readonly #parts: RunWatchParts;
  readonly #runs = new Map<string, Watched>();
  #cancel: Cancel | undefined;
  #polling = false;
  #poll_ms = POLL_MIN_MS;
  #failing = false;

  constructor(parts: RunWatchParts) {
    this.#parts = parts;
  }

  /** Runs that have followers. */
  get size(): number {
    return this.#runs.size;
  }

  watch(run_id: string, changed: Changed): Cancel {
    const watched = this.#runs.get(run_id) ?? this.#open(run_id);
    const place = { changed };
    watched.listeners.add(place);
    this.#poll_ms = POLL_MIN_MS;
    this.#arm();
    return () => {
      if (!watched.listeners.delete(place) || watched.listeners.size > 0) return;
      watched.off();
      this.#runs.delete(run_id);
      if (this.#runs.size > 0) return;
      this.#cancel?.();
      this.#cancel = undefined;
    };
  }

  #open(run_id: string): Watched {
    const watched: Watched = { listeners: new Set(), version: undefined, off: () => {} };
    watched.off = this.#parts.wakeups.onRun(run_id, (over) => tell(watched, over));
    this.#runs.set(run_id, watched);
    return watched;
  }

  #arm(): void {
    if (this.#cancel !== undefined || this.#polling || this.#runs.size === 0) return;
    this.#cancel = this.#parts.clock.after(this.#poll_ms, () => {
      this.#cancel = undefined;
      this.#polling = true;
      this.#poll().then(
        () => this.#again(),
        (error) => {
          if (!this.#failing) this.#parts.log.error({ err: error }, 'watching runs failed; retrying');
          this.#failing = true;
          this.#again();
        },
      );
    });
  }

  #again(): void {
    this.#polling = false;
    this.#arm();
  }

  async #poll(): Promise<void> {
    const ids = [...this.#runs.keys()];
    let changes = 0;
    for (let i = 0; i < ids.length; i += BATCH) {
      const versions = await this.#parts.versions(ids.slice(i, i + BATCH));
      for (const [run_id, version] of versions) changes += this.#note(run_id, version);
    }
    this.#failing = false;
    this.#poll_ms = changes > 0 ? POLL_MIN_MS : Math.min(this.#poll_ms * 1.5, POLL_MAX_MS);
  }

  #note(run_id: string, { text, over }: RunVersion): number {
    const watched = this.#runs.get(run_id);
    if (watched === undefined || watched.version === text) return 0;
    watched.version = text;
    tell(watched, over);
    return 1;
  }
}

/** Listeners may leave or join during a notification; new ones are not called in the same round. */
function tell(watched: Watched, over: boolean): void {
  const listeners = [...watched.listeners];
  for (const { changed } of listeners) changed(over);
}
