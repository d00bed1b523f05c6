import { callerOf, Errors, type HttpRequest } from '../../../../kernel/contracts/index.ts';
import { type Run, type RunStatus, TERMINAL } from '../contract.ts';
import { RunWaiters, type RunWaitersDeps, type WaitCaller, type WaitScope } from './run-waiters.ts';

/** Requests that wait at a time: of all callers, for one project, and of one user. Each holds a socket. */
export const MAX_WAITING = 20_000;
export const MAX_WAITING_IN_PROJECT = 10_000;
export const MAX_WAITING_OF_A_USER = 2000;

const RETRY_MS = 1000;

/** Which caller a request that waits is of. A session counts apart from the token that it was made from: either may end. */
export function waitCaller(request: HttpRequest): WaitCaller {
  const { id, token_id, session_id = '' } = callerOf(request);
  const { org_id, project_id } = request.scope;
  // What a method requires differs.
  const key = [request.method, org_id, project_id, id, token_id, session_id].join(' ');
  return { key, user_id: id, admitted: () => request.admitted() };
}

interface Waiting {
  caller: WaitCaller;
  wait_ms: number;
  /** Aborts when the caller is gone, with a ServiceError when the server stops. */
  signal: AbortSignal;
  /** The status of a run that was made just now. */
  status?: RunStatus | undefined;
  /** The record of a run that has ended in the transaction that created it. */
  ended?: Run | undefined;
}

const isOver = (status: RunStatus): boolean => TERMINAL.includes(status);

/** Requests that wait for the end of a run. They are woken by the run's end, in this process or another server's. */
export class RunWaits {
  readonly #deps: RunWaitersDeps;
  readonly #projects = new Map<string, number>();
  readonly #users = new Map<string, number>();
  readonly #waiters: RunWaiters;
  #waiting = 0;

  constructor(deps: RunWaitersDeps) {
    this.#deps = deps;
    this.#waiters = new RunWaiters(deps);
  }

  /** Requests that wait. */
  get size(): number {
    return this.#waiting;
  }

  /** Work that may wait. Throws `rate_limited` before it when too many requests wait already. */
  async holding<T>({ project_id }: WaitScope, { user_id }: WaitCaller, work: () => Promise<T>): Promise<T> {
    const own = this.#users.get(user_id) ?? 0;
    if (own >= MAX_WAITING_OF_A_USER)
      throw refused(`${own} of your requests are waiting for runs, which is the limit; omit wait, or try again later`);
    if (this.#waiting >= MAX_WAITING || (this.#projects.get(project_id) ?? 0) >= MAX_WAITING_IN_PROJECT)
      throw refused('too many requests are waiting for runs; omit wait, or try again later');
    const change = (by: 1 | -1) => {
      this.#waiting += by;
      count(this.#projects, project_id, by);
      count(this.#users, user_id, by);
    };
    change(1);
    try {
      return await work();
    } finally {
      change(-1);
    }
  }

  /**
   * The record of a run as soon as it is over, or as it is after `wait_ms` or when the server stops. Throws `not_found`,
   * the reason of `signal` when the caller is gone, and what it would be refused with by now when it has waited.
   */
  async until(scope: WaitScope, run_id: string, { status, ended, ...joining }: Waiting): Promise<Run> {
    const { read, present } = this.#deps;
    if (ended !== undefined) return present(ended);
    if (joining.wait_ms <= 0 || (status !== undefined && isOver(status))) return read(scope, run_id);
    const waiter = this.#waiters.join(scope, run_id, joining);
    try {
      // Looked at after it is watched. One whose status is known was made just now, here: its end is still to be told.
      const run = status === undefined ? await read(scope, run_id) : undefined;
      return run !== undefined && isOver(run.status) ? run : await waiter.answer();
    } finally {
      waiter.leave();
    }
  }
}

function count(held: Map<string, number>, id: string, by: 1 | -1): void {
  const now = (held.get(id) ?? 0) + by;
  if (now > 0) held.set(id, now);
  else held.delete(id);
}

const refused = (detail: string) => Errors.rateLimited(detail, { retryAfterMs: RETRY_MS });
