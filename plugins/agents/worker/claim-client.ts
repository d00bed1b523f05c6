import { type Clock, type Ids, isServiceError, type Log } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../../runs/contract.ts';
import type { AgentLink, ChannelOp, ChannelRequests } from '../contract.ts';
import { CHANNEL_CLOSED, leaseLost } from '../errors.ts';
import { Backoff, pause } from './backoff.ts';

export interface AskerParts {
  link: AgentLink;
  claim: ClaimRef;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** The server says that the claim is lost. */
  onLost(reason: string): void;
}

/** Tries of one request before a server error is accepted as final. */
const INTERNAL_TRIES = 6;

/**
 * Requests under one claim. A request that the server cannot answer now is repeated until it succeeds or the claim is
 * lost. Then every waiting request is refused with `lease_lost`, whether or not the server can be reached.
 */
export class ClaimClient {
  readonly #parts: AskerParts;
  readonly #lost = new AbortController();
  readonly #waiting = new Set<(error: Error) => void>();

  constructor(parts: AskerParts) {
    this.#parts = parts;
  }

  get lost(): boolean {
    return this.#lost.signal.aborted;
  }

  /** Refuses waiting and future requests. Safe to call twice. */
  lose(): void {
    this.#lost.abort();
    for (const refuse of this.#waiting) refuse(this.#refusal());
    this.#waiting.clear();
  }

  async ask<Op extends ChannelOp>(op: Op, body: ChannelRequests[Op]['body']): Promise<ChannelRequests[Op]['reply']> {
    const { clock, ids, link, log } = this.#parts;
    const backoff = new Backoff({ first_ms: 50, most_ms: 2000 }, ids);
    for (let tries = 1; ; tries += 1) {
      if (this.lost) throw this.#refusal();
      try {
        return await this.#orLost(link.request(op, body));
      } catch (error) {
        if (isServiceError(error, 'lease_lost')) this.#parts.onLost(error.message);
        if (!worthAsking(error, tries)) throw error;
        log.debug(
          { ...this.#parts.claim, op, tries, reason: (error as Error).message },
          'a request to the server failed; retrying',
        );
      }
      await pause(clock, backoff.next(), this.#lost.signal);
    }
  }

  /** One try of a request. */
  async once<Op extends ChannelOp>(op: Op, body: ChannelRequests[Op]['body']): Promise<ChannelRequests[Op]['reply']> {
    if (this.lost) throw this.#refusal();
    return await this.#orLost(this.#parts.link.request(op, body));
  }

  #refusal(): Error {
    const { activity_id, epoch } = this.#parts.claim;
    return leaseLost(`claim ${epoch} of activity ${activity_id} is lost`);
  }

  #orLost<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      const settled = <A extends unknown[]>(settle: (...args: A) => void) => {
        return (...args: A) => {
          this.#waiting.delete(reject);
          settle(...args);
        };
      };
      work.then(settled(resolve), settled(reject));
    });
  }
}

function worthAsking(error: unknown, tries: number): boolean {
  if (!isServiceError(error) || error.code === CHANNEL_CLOSED) return false;
  if (error.status === 500) return tries < INTERNAL_TRIES;
  return error.status > 500 || error.status === 429;
}
