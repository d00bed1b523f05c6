import { callerOf, type HttpRequest } from '../../../../kernel/contracts/index.ts';
import { type Run, type RunStatus, TERMINAL, WaitingRequests } from '../contract.ts';
import { RunWaiters, type RunWaitersDeps, type WaitCaller, type WaitScope } from './run-waiters.ts';

/** Requests that wait at a time: of all callers, for one project, and of one user. Each holds a socket. */
export const MAX_WAITING = 20_000;
export const MAX_WAITING_IN_PROJECT = 10_000;
export const MAX_WAITING_OF_A_USER = 2000;

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
  readonly #requests = new WaitingRequests({
    ...{ what: 'runs', max: MAX_WAITING },
    ...{ max_in_project: MAX_WAITING_IN_PROJECT, max_of_a_user: MAX_WAITING_OF_A_USER },
  });
  readonly #waiters: RunWaiters;

  constructor(deps: RunWaitersDeps) {
    this.#deps = deps;
    this.#waiters = new RunWaiters(deps);
  }

  /** Requests that wait. */
  get size(): number {
    return this.#requests.size;
  }

  /** Work that may wait. Throws `rate_limited` before it when too many requests wait already. */
  holding<T>({ project_id }: WaitScope, { user_id }: WaitCaller, work: () => Promise<T>): Promise<T> {
    return this.#requests.holding({ project_id, user_id }, work);
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
