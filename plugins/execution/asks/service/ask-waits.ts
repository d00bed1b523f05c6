import { type Cancel, type Clock, isServiceError } from '../../../../kernel/contracts/index.ts';
import { ADMISSION_INTERVAL_MS, checkAdmission, WaitingRequests, type Wakeups } from '../../../engine/runs/contract.ts';
import type { Ask } from '../generated/ask.ts';
import type { AskScope } from '../store/asks.ts';

/** Requests that wait for an answer at a time. Each holds a socket. */
export const MAX_WAITING = 2000;
export const MAX_WAITING_IN_PROJECT = 500;

/** The pauses between two reads, for answers that another server has recorded. */
const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
const SLOWER = 1.5;

export interface AskWaitsDeps {
  clock: Clock;
  wakeups: Pick<Wakeups, 'onRun'>;
  read(scope: AskScope, ask_id: string): Promise<Ask>;
}

export interface WaitingRequest {
  wait_ms: number;
  /** Aborts when the caller is gone, with a ServiceError when the server stops. */
  signal: AbortSignal;
  /** Throws what a new request of the caller would be refused with. */
  admitted(): Promise<void>;
}

/** Requests that wait for the answer to an ask. They are woken by changes of its run. */
export class AskWaits {
  readonly #deps: AskWaitsDeps;
  readonly #requests = new WaitingRequests({
    ...{ what: 'answers', max: MAX_WAITING },
    max_in_project: MAX_WAITING_IN_PROJECT,
  });

  constructor(deps: AskWaitsDeps) {
    this.#deps = deps;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#requests.size;
  }

  /** Work that may wait. Throws `rate_limited` before it if too many requests wait already. */
  holding<T>({ project_id }: AskScope, work: () => Promise<T>): Promise<T> {
    return this.#requests.holding({ project_id }, work);
  }

  /**
   * The ask as soon as it is no longer open, or as it is after `wait_ms` or when the server stops. Throws `not_found`, the
   * reason of `signal` when the caller is gone, and what the caller would be refused with by now.
   */
  async until(scope: AskScope, ask_id: string, { wait_ms, signal, admitted }: WaitingRequest): Promise<Ask> {
    const { clock, wakeups, read } = this.#deps;
    const change = new Change(clock);
    // Before the first read, so that no change after it is missed.
    const off = wakeups.onRun(scope.run_id, () => change.notify());
    const abort = () => change.notify();
    signal.addEventListener('abort', abort);
    const began = clock.monotonic();
    let checked = began;
    try {
      for (let poll_ms = POLL_MIN_MS; ; poll_ms = Math.min(poll_ms * SLOWER, POLL_MAX_MS)) {
        const stops = signal.aborted && isServiceError(signal.reason);
        if (signal.aborted && !stops) throw signal.reason;
        const ask = await read(scope, ask_id);
        const now = clock.monotonic();
        const left_ms = began + wait_ms - now;
        const ends = ask.state !== 'open' || left_ms <= 0 || stops;
        if (checked !== now && (ends || now - checked >= ADMISSION_INTERVAL_MS)) {
          await checkAdmission(admitted);
          checked = now;
        }
        if (ends) return ask;
        await change.next(Math.min(left_ms, poll_ms, ADMISSION_INTERVAL_MS));
      }
    } finally {
      signal.removeEventListener('abort', abort);
      change.close();
      off();
    }
  }
}

/** Something that may have changed since it was last looked at. */
class Change {
  readonly #clock: Clock;
  #changed = false;
  #wake: (() => void) | undefined;
  #timer: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#changed = true;
    this.#wake?.();
  }

  /** Resolves at the next change, at once if there was one since the last call, or after a time. */
  async next(after_ms: number): Promise<void> {
    if (!this.#changed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#timer = this.#clock.after(after_ms, resolve);
      });
    this.close();
    this.#changed = false;
  }

  close(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#wake = undefined;
  }
}
