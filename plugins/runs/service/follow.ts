import { type Clock, iso } from '../../../kernel/contracts/index.ts';
import { type RunStatus, type StoredLog, TERMINAL } from '../contract.ts';
import { Admission } from './admission.ts';
import { LogPages } from './log-pages.ts';
import { fromStart } from './log-selection.ts';
import type { RunWatch } from './run-watch.ts';
import type { WholeLogParts } from './whole-log.ts';

/** Proxies close a silent connection after 30 s or more. */
const HEARTBEAT_MS = 15_000;
export interface LogParts extends Pick<WholeLogParts, 'logs' | 'names' | 'fits' | 'start'> {
  watch: Pick<RunWatch, 'watch'>;
  clock: Clock;
  turns: FollowTurns;
  status(run_id: string): Promise<RunStatus>;
}

/**
 * Server-sent events: one `log` event for each chunk with its position as id, comments while nothing happens, and an
 * `end` event with the final status. The status is read before the log, so that everything stored before the end of the
 * run is sent before `end`. Stops without it when `signal` aborts, and when its reader is not let in any more.
 */
export async function* followLog(
  parts: LogParts,
  run_id: string,
  after: string | undefined,
  signal: AbortSignal,
  admitted: () => Promise<void>,
): AsyncGenerator<string> {
  const admission = new Admission(parts.clock, admitted);
  const changes = new Changes(parts, run_id, signal);
  try {
    yield ': connected\n\n';
    const pages = new LogPages(parts.logs, run_id, after);
    while (!signal.aborted) {
      changes.forget();
      if (await admission.isOver()) return;
      const status = await parts.status(run_id);
      for (;;) {
        for (const shown of await parts.turns.take(TERMINAL.includes(status), () => readPage(parts, pages)))
          yield logEvent(shown);
        if (signal.aborted) return;
        if (!pages.more) break;
      }
      if (TERMINAL.includes(status)) {
        yield `event: end\ndata: ${JSON.stringify({ status })}\n\n`;
        return;
      }
      while (!(await changes.next(HEARTBEAT_MS)) && !signal.aborted) {
        if (await admission.isOver()) return;
        yield ': still here\n\n';
      }
    }
  } finally {
    changes.close();
  }
}

type Shown = StoredLog & { activity: string | undefined };

/** Each becomes text when its turn comes: texts in base64 are larger, and wait for the reader. */
async function readPage({ names, fits, start }: LogParts, pages: LogPages): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const stored of await pages.next()) {
    if (fits && !(await fits(stored))) continue;
    const chunk = start ? fromStart(stored, start) : stored;
    if (chunk.data.length > 0) shown.push({ ...chunk, activity: await names?.of(chunk.activity_id) });
  }
  return shown;
}

function logEvent({ log_id, activity_id, activity, stream, at, pass, site, data }: Shown): string {
  // base64, because a chunk may end in the middle of a character.
  const event = { stream, at: iso(at), activity_id, activity, pass, site, data: data.toString('base64') };
  return `id: ${log_id}\nevent: log\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A page of a log that is written is followed by a pause of so many times what it took. */
const REST = 2;

/**
 * Followers read one page after the other, with pauses while their runs go on: however many they are, most of the
 * server's time is left to those who write. A log that is complete is read without pauses.
 */
export class FollowTurns {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async take<T>(complete: boolean, read: () => Promise<T>): Promise<T> {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = over;
    await before;
    const since = this.#clock.monotonic();
    try {
      return await read();
    } finally {
      const rest_ms = complete ? 0 : Math.floor((this.#clock.monotonic() - since) * REST);
      if (rest_ms > 0) this.#clock.after(rest_ms, end);
      else end();
    }
  }
}

/** Records that the run changed, so that no change between a read and a wait is lost. */
class Changes {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #close: () => void;
  #changed = false;
  #wake: () => void = () => {};

  constructor(parts: Pick<LogParts, 'watch' | 'clock'>, run_id: string, signal: AbortSignal) {
    this.#clock = parts.clock;
    this.#signal = signal;
    const off = parts.watch.watch(run_id, () => {
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

  forget(): void {
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
