import type { ServerResponse } from 'node:http';
import { Errors } from '../../kernel/contracts/index.ts';
import { callerOf } from './callers.ts';
import type { Exchange } from './exchange.ts';

/** Smaller answers fit into the buffers of their sockets. */
const COUNTED_BYTES = 64 * 1024;
const RETRY_MS = 1000;

/**
 * The bytes of answers that wait for their readers. An answer is whole in memory until it is read, so somebody who asks for many
 * large ones and reads none would fill it: they are refused further ones until they have read.
 */
export class UnreadAnswers {
  readonly #most: number;
  readonly #bytes = new Map<string, number>();

  /** `most`: bytes for each caller. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that wait for this caller. */
  of(exchange: Exchange): number {
    return this.#bytes.get(callerOf(exchange)) ?? 0;
  }

  /** Throws `rate_limited`. */
  check(exchange: Exchange): void {
    const bytes = this.of(exchange);
    if (bytes <= this.#most) return;
    const message = `${bytes} bytes of answers wait to be read; the limit for a caller is ${this.#most}. Read them first.`;
    throw Errors.rateLimited(message, { retryAfterMs: RETRY_MS });
  }

  /** Counts an answer until its reader has it or is gone. */
  note(exchange: Exchange, response: ServerResponse, bytes: number): void {
    if (bytes < COUNTED_BYTES || response.writableFinished || response.destroyed) return;
    const caller = callerOf(exchange);
    this.#bytes.set(caller, this.of(exchange) + bytes);
    response.once('close', () => {
      const left = (this.#bytes.get(caller) ?? 0) - bytes;
      if (left > 0) this.#bytes.set(caller, left);
      else this.#bytes.delete(caller);
    });
  }
}
