import { type Clock, iso } from '../../../kernel/contracts/index.ts';
import { type RunStatus, type StoredLog, TERMINAL } from '../contract.ts';
import type { RunWatch } from './run-watch.ts';

/** Proxies close a silent connection after 30 s or more. */
const HEARTBEAT_MS = 15_000;
/** Chunks read at once; with chunks of 32 KiB a follower holds about 1 MiB. */
const READ_CHUNKS = 32;

export interface LogParts {
  watch: Pick<RunWatch, 'watch'>;
  clock: Clock;
  logs(run_id: string, after: string | undefined, limit: number): Promise<StoredLog[]>;
  status(run_id: string): Promise<RunStatus>;
}

/** The present log of a run: the bytes of all streams in stored order. */
export async function* wholeLog(parts: Pick<LogParts, 'logs'>, run_id: string): AsyncGenerator<Buffer> {
  let after: string | undefined;
  for (;;) {
    const chunks = await parts.logs(run_id, after, READ_CHUNKS);
    for (const chunk of chunks) yield chunk.data;
    if (chunks.length < READ_CHUNKS) return;
    after = chunks.at(-1)!.log_id;
  }
}

/**
 * Server-sent events: one `log` event for each chunk with its position as id, comments while nothing happens, and an
 * `end` event with the final status. The status is read before the log, so that everything stored before the end of the
 * run is sent before `end`. Stops without it when `signal` aborts.
 */
export async function* followLog(
  parts: LogParts,
  run_id: string,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const changes = new Changes(parts, run_id, signal);
  try {
    yield ': connected\n\n';
    let cursor = after;
    while (!signal.aborted) {
      changes.forget();
      const status = await parts.status(run_id);
      for (;;) {
        const chunks = await parts.logs(run_id, cursor, READ_CHUNKS);
        for (const chunk of chunks) yield logEvent(chunk);
        cursor = chunks.at(-1)?.log_id ?? cursor;
        if (signal.aborted) return;
        if (chunks.length < READ_CHUNKS) break;
      }
      if (TERMINAL.includes(status)) {
        yield `event: end\ndata: ${JSON.stringify({ status })}\n\n`;
        return;
      }
      while (!(await changes.next(HEARTBEAT_MS)) && !signal.aborted) yield ': still here\n\n';
    }
  } finally {
    changes.close();
  }
}

function logEvent({ log_id, activity_id, stream, at, data }: StoredLog): string {
  // base64, because a chunk may end in the middle of a character.
  const event = { stream, at: iso(at), activity_id, data: data.toString('base64') };
  return `id: ${log_id}\nevent: log\ndata: ${JSON.stringify(event)}\n\n`;
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
