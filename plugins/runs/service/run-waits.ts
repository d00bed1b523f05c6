import { type Clock, Errors, isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import { type Run, type RunStatus, TERMINAL } from '../contract.ts';
import type { RunWatch } from './run-watch.ts';

const MAX_WAIT_MS = 10 * 60_000;
/** Requests that wait at a time: of all callers, and for one project. Each holds a socket. */
export const MAX_WAITING = 10_000;
export const MAX_WAITING_IN_PROJECT = 2000;

const RETRY_MS = 1000;

/** `?wait=` in milliseconds; undefined without it. Throws `invalid_request`. */
export function waitOf({ wait }: Readonly<Record<string, string>>): number | undefined {
  if (wait === undefined) return undefined;
  try {
    const wait_ms = parseDuration(wait);
    if (wait_ms <= MAX_WAIT_MS) return wait_ms;
    throw badWait('must be at most 10m; ask again after that');
  } catch (error) {
    if (isServiceError(error, 'duration_invalid')) throw badWait('must be a duration of at most 10m: 500ms, 30s, 2m');
    throw error;
  }
}

const badWait = (message: string) =>
  Errors.invalidRequest(`wait ${message}`, { errors: [{ pointer: '/query/wait', message }] });

interface Scope {
  org_id: string;
  project_id: string;
}

interface Waiting {
  wait_ms: number;
  /** Aborts when the caller is gone, with a ServiceError when the server stops. */
  signal: AbortSignal;
  /** The status of the run, if it is known. */
  status?: RunStatus;
}

const isOver = (status: RunStatus): boolean => TERMINAL.includes(status);

export interface RunWaitsParts {
  watch: Pick<RunWatch, 'watch'>;
  clock: Clock;
  /** Throw `not_found`. */
  read(scope: Scope, run_id: string): Promise<Run>;
  status(run_id: string): Promise<RunStatus>;
}

/** Requests that wait for the end of a run. They are woken by the run's end, in this process or another server's. */
export class RunWaits {
  readonly #parts: RunWaitsParts;
  readonly #projects = new Map<string, number>();
  #waiting = 0;

  constructor(parts: RunWaitsParts) {
    this.#parts = parts;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#waiting;
  }

  /** Work that may wait. Throws `rate_limited` before it when too many requests wait already. */
  async holding<T>({ project_id }: Scope, work: () => Promise<T>): Promise<T> {
    const own = this.#projects.get(project_id) ?? 0;
    if (this.#waiting >= MAX_WAITING || own >= MAX_WAITING_IN_PROJECT)
      throw Errors.rateLimited('too many requests wait for runs; ask without wait, or later', {
        retryAfterMs: RETRY_MS,
      });
    this.#count(project_id, 1);
    try {
      return await work();
    } finally {
      this.#count(project_id, -1);
    }
  }

  /**
   * The record of a run as soon as it is over, or as it is after `wait_ms` or when the server stops. Throws `not_found`,
   * and the reason of `signal` when the caller is gone.
   */
  async until(scope: Scope, run_id: string, { wait_ms, signal, status }: Waiting): Promise<Run> {
    const { clock, read } = this.#parts;
    const last = clock.monotonic() + wait_ms;
    let run = status === undefined || isOver(status) ? await read(scope, run_id) : undefined;
    while (run === undefined || !isOver(run.status)) {
      const left_ms = signal.aborted ? 0 : last - clock.monotonic();
      if (run !== undefined && left_ms <= 0) return run;
      if (left_ms > 0) await this.#ended(run_id, left_ms, signal);
      if (signal.aborted && !isServiceError(signal.reason)) throw signal.reason;
      run = await read(scope, run_id);
    }
    return run;
  }

  /** Resolves when the run is over, after `wait_ms`, or when `signal` aborts. */
  #ended(run_id: string, wait_ms: number, signal: AbortSignal): Promise<void> {
    const { watch, clock, status } = this.#parts;
    return new Promise((resolve, reject) => {
      const close = () => {
        off();
        cancel();
        signal.removeEventListener('abort', done);
      };
      const done = () => {
        close();
        resolve();
      };
      const off = watch.watch(run_id, (over) => {
        if (over) done();
      });
      const cancel = clock.after(wait_ms, done);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
      // It may have ended before it was watched.
      status(run_id).then(
        (now) => {
          if (isOver(now)) done();
        },
        (error: unknown) => {
          close();
          reject(error);
        },
      );
    });
  }

  #count(project_id: string, change: 1 | -1): void {
    this.#waiting += change;
    const own = (this.#projects.get(project_id) ?? 0) + change;
    if (own === 0) this.#projects.delete(project_id);
    else this.#projects.set(project_id, own);
  }
}
