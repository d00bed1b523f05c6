import { type Clock, iso, FairSemaphore } from '../../../../kernel/contracts/index.ts';
import { type RunStatus, type RunWatcher, type StoredLog, TERMINAL } from '../../../engine/runs/contract.ts';
import { Admission } from './admission.ts';
import { LogPages } from './log-pages.ts';
import { cutBeforeStart } from './log-selection.ts';
import type { WholeLogDeps } from './whole-log.ts';

/** Proxies close a silent connection after 30 s or more. */
const HEARTBEAT_MS = 15_000;

export interface FollowDeps extends Pick<WholeLogDeps, 'logs' | 'names' | 'matches' | 'start'> {
  watcher: RunWatcher;
  clock: Clock;
  throttle: FollowThrottle;
  /** The principal that reads: callers alternate. */
  caller?: string;
  status(run_id: string): Promise<RunStatus>;
}

/**
 * Server-sent events: one `log` event for each chunk with its position as id, comments while nothing happens, and an
 * `end` event with the final status. The status is read before the log, so that everything stored before the end of the
 * run is sent before `end`. Stops without it when `signal` aborts, and when its reader is not admitted any more.
 */
export async function* followLog(
  deps: FollowDeps,
  run_id: string,
  after: string | undefined,
  signal: AbortSignal,
  admitted: () => Promise<void>,
): AsyncGenerator<string> {
  const admission = new Admission(deps.clock, admitted);
  const changes = new Changes(deps, run_id, signal);
  try {
    yield ': connected\n\n';
    const pages = new LogPages(deps.logs, run_id, after);
    while (!signal.aborted) {
      changes.clear();
      if (await admission.hasEnded()) return;
      const status = await deps.status(run_id);
      for (;;) {
        const read = () => readPage(deps, pages);
        for (const chunk of await deps.throttle.run(TERMINAL.includes(status), read, deps.caller))
          yield renderLogEvent(chunk);
        if (signal.aborted) return;
        if (!pages.hasMore) break;
      }
      if (TERMINAL.includes(status)) {
        yield `event: end\ndata: ${JSON.stringify({ status })}\n\n`;
        return;
      }
      while (!(await changes.next(HEARTBEAT_MS)) && !signal.aborted) {
        if (await admission.hasEnded()) return;
        yield ': still here\n\n';
      }
    }
  } finally {
    changes.close();
  }
}

type NamedChunk = StoredLog & { activity: string | undefined };

/** Chunks become text one by one, because texts in base64 are larger and wait for the reader. */
async function readPage({ names, matches, start }: FollowDeps, pages: LogPages): Promise<NamedChunk[]> {
  const found: NamedChunk[] = [];
  for (const stored of await pages.next()) {
    if (matches && !(await matches(stored))) continue;
    const chunk = start ? cutBeforeStart(stored, start) : stored;
    if (chunk.data.length > 0) found.push({ ...chunk, activity: await names?.find(chunk.activity_id) });
  }
  return found;
}

function renderLogEvent({ log_id, activity_id, activity, stream, at, pass, site, data }: NamedChunk): string {
  // base64, because a chunk may end in the middle of a character.
  const event = { stream, at: iso(at), activity_id, activity, pass, site, data: data.toString('base64') };
  return `id: ${log_id}\nevent: log\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The pause after a page of a log that is still written, as a multiple of the time that the page took. */
const PAUSE_FACTOR = 2;

/**
 * Followers read one page after the other, with pauses while their runs go on: however many they are, most of the
 * server's time is left to those who write. A log that is complete is read without pauses. Callers take turns, however many logs
 * one of them follows, and what is read here waits for nothing else: each page would hold up all other followers.
 */
export class FollowThrottle {
  readonly #clock: Clock;
  readonly #turns = new FairSemaphore(1);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves before the pause. */
  run<T>(complete: boolean, read: () => Promise<T>, caller = ''): Promise<T> {
    return new Promise((resolve, reject) => {
      const page = async () => {
        const since = this.#clock.monotonic();
        await read().then(resolve, reject);
        const pause_ms = complete ? 0 : Math.floor((this.#clock.monotonic() - since) * PAUSE_FACTOR);
        if (pause_ms > 0) await new Promise<void>((end) => void this.#clock.after(pause_ms, end));
      };
      void this.#turns.run(page, caller);
    });
  }
}

/** Records that the run changed, so that no change between a read and a wait is lost. */
class Changes {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #close: () => void;
  #changed = false;
  #wake: () => void = () => {};

  constructor(deps: Pick<FollowDeps, 'watcher' | 'clock'>, run_id: string, signal: AbortSignal) {
    this.#clock = deps.clock;
    this.#signal = signal;
    const off = deps.watcher.watch(run_id, () => {
      this.#changed = true;
      this.#wake();
    });
    const aborted = () => this.#wake();
    signal.addEventListener('abort', aborted);
    this.#close = () => {
      off();
      signal.removeEventListener('abort', aborted);
    };
  }

  clear(): void {
    this.#changed = false;
  }

  /** True when the run changed since `forget`; false after `wait_ms` or an abort. */
  async next(wait_ms: number): Promise<boolean> {
    if (this.#changed || this.#signal.aborted) return this.#changed;
    let cancel: () => void = () => {};
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      cancel = this.#clock.after(wait_ms, resolve);
    });
    cancel();
    this.#wake = () => {};
    return this.#changed;
  }

  close(): void {
    this.#close();
  }
}
