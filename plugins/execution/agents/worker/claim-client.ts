import { type Clock, type Ids, isServiceError, type Log } from '../../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../../../engine/runs/contract.ts';
import type { AgentLink, ChannelOp, ChannelRequests } from '../contract.ts';
import { CHANNEL_CLOSED, leaseLost } from '../errors.ts';
import { Backoff, pause } from './backoff.ts';

export interface ClaimClientDeps {
  link: AgentLink;
  claim: ClaimRef;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Called when the server says that the claim is lost. */
  onLost(reason: string): void;
}

/** Attempts of one request before a server error is accepted as final. */
const MAX_ATTEMPTS = 6;

/**
 * Sends requests under one claim. A request that the server cannot answer now is retried until it succeeds or the
 * claim is lost. Then every waiting request is rejected with `lease_lost`, whether or not the server can be reached.
 */
export class ClaimClient {
  readonly #deps: ClaimClientDeps;
  readonly #lost = new AbortController();
  readonly #waiting = new Set<(error: Error) => void>();

  constructor(deps: ClaimClientDeps) {
    this.#deps = deps;
  }

  get isLost(): boolean {
    return this.#lost.signal.aborted;
  }

  /** Rejects waiting and future requests. Safe to call twice. */
  reject(): void {
    this.#lost.abort();
    for (const rejectRequest of this.#waiting) rejectRequest(this.#leaseLost());
    this.#waiting.clear();
  }

  async request<Op extends ChannelOp>(
    op: Op,
    body: ChannelRequests[Op]['body'],
  ): Promise<ChannelRequests[Op]['reply']> {
    const { clock, ids, link, log } = this.#deps;
    const backoff = new Backoff({ min_ms: 50, max_ms: 2000 }, ids);
    for (let attempt = 1; ; attempt += 1) {
      if (this.isLost) throw this.#leaseLost();
      try {
        return await this.#rejectIfLost(link.request(op, body));
      } catch (error) {
        if (isServiceError(error, 'lease_lost')) this.#deps.onLost(error.message);
        if (!isRetryable(error, attempt)) throw error;
        log.debug(
          { ...this.#deps.claim, op, tries: attempt, reason: (error as Error).message },
          'a request to the server failed; retrying',
        );
      }
      await pause(clock, backoff.next(), this.#lost.signal);
    }
  }

  /** Attempts a request once. */
  async requestOnce<Op extends ChannelOp>(
    op: Op,
    body: ChannelRequests[Op]['body'],
  ): Promise<ChannelRequests[Op]['reply']> {
    if (this.isLost) throw this.#leaseLost();
    return await this.#rejectIfLost(this.#deps.link.request(op, body));
  }

  #leaseLost(): Error {
    const { activity_id, epoch } = this.#deps.claim;
    return leaseLost(`claim ${epoch} of activity ${activity_id} is lost`);
  }

  #rejectIfLost<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      const thenSettle = <A extends unknown[]>(settle: (...args: A) => void) => {
        return (...args: A) => {
          this.#waiting.delete(reject);
          settle(...args);
        };
      };
      work.then(thenSettle(resolve), thenSettle(reject));
    });
  }
}

function isRetryable(error: unknown, attempt: number): boolean {
  if (!isServiceError(error) || error.code === CHANNEL_CLOSED) return false;
  if (error.status === 500) return attempt < MAX_ATTEMPTS;
  return error.status > 500 || error.status === 429;
}
