import { Errors, isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import { type Run, type RunStatus, TERMINAL } from '../contract.ts';
import { RunWaiters, type RunWaitersParts, type WaitScope } from './run-waiters.ts';

const MAX_WAIT_MS = 10 * 60_000;
/** Requests that wait at a time: of all callers, and for one project. Each holds a socket. */
export const MAX_WAITING = 20_000;
export const MAX_WAITING_IN_PROJECT = 10_000;

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

interface Waiting {
  wait_ms: number;
  /** Aborts when the caller is gone, with a ServiceError when the server stops. */
  signal: AbortSignal;
  /** The status of a run that was made just now. */
  status?: RunStatus;
}

const isOver = (status: RunStatus): boolean => TERMINAL.includes(status);

/** Requests that wait for the end of a run. They are woken by the run's end, in this process or another server's. */
export class RunWaits {
  readonly #parts: RunWaitersParts;
  readonly #projects = new Map<string, number>();
  readonly #waiters: RunWaiters;
  #waiting = 0;

  constructor(parts: RunWaitersParts) {
    this.#parts = parts;
    this.#waiters = new RunWaiters(parts);
  }

  /** Requests that wait. */
  get size(): number {
    return this.#waiting;
  }

  /** Work that may wait. Throws `rate_limited` before it when too many requests wait already. */
  async holding<T>({ project_id }: WaitScope, work: () => Promise<T>): Promise<T> {
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
  async until(scope: WaitScope, run_id: string, { wait_ms, signal, status }: Waiting): Promise<Run> {
    const { read } = this.#parts;
    if (wait_ms <= 0 || (status !== undefined && isOver(status))) return read(scope, run_id);
    const waiter = this.#waiters.join(scope, run_id, wait_ms, signal);
    try {
      // Looked at after it is watched. One whose status is known was made just now, here: its end is still to be told.
      const run = status === undefined ? await read(scope, run_id) : undefined;
      return run !== undefined && isOver(run.status) ? run : await waiter.answer();
    } finally {
      waiter.leave();
    }
  }

  #count(project_id: string, change: 1 | -1): void {
    this.#waiting += change;
    const own = (this.#projects.get(project_id) ?? 0) + change;
    if (own === 0) this.#projects.delete(project_id);
    else this.#projects.set(project_id, own);
  }
}
