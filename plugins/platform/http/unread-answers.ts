import type { ServerResponse } from 'node:http';
import { Errors } from '../../../kernel/contracts/index.ts';
import { callerKey, shareKey } from './callers.ts';
import type { RequestContext } from './request-context.ts';

/** Smaller answers fit into socket buffers and are not counted. */
const COUNTED_BYTES = 64 * 1024;
const RETRY_MS = 1000;

/**
 * Counts the bytes of answers that wait to be read. An answer stays in memory until it is read, so a caller that requests many
 * large ones and reads none would fill the memory. Its further requests are rejected until it has read.
 */
export class UnreadAnswers {
  readonly #max_bytes: number;
  readonly #max_org_bytes: number;
  readonly #bytes = new Map<string, number>();

  /** `max_bytes` is the limit for each caller, `max_org_bytes` that for all callers of answers about one org. */
  constructor(max_bytes: number, max_org_bytes: number) {
    this.#max_bytes = max_bytes;
    this.#max_org_bytes = max_org_bytes;
  }

  /** Returns the number of bytes that wait for this caller. */
  bytesOf(context: RequestContext): number {
    return this.#bytes.get(callerKey(context)) ?? 0;
  }

  /** Throws `rate_limited`. */
  check(context: RequestContext): void {
    const bytes = this.bytesOf(context);
    if (bytes > this.#max_bytes) throw toLimitError(bytes, `a caller is ${this.#max_bytes}`);
    const org = orgKey(context);
    const all = org === undefined ? 0 : (this.#bytes.get(org) ?? 0);
    if (all > this.#max_org_bytes) throw toLimitError(all, `an org is ${this.#max_org_bytes}`);
  }

  /** Counts an answer until its caller has read it or disconnected. */
  track(context: RequestContext, response: ServerResponse, bytes: number): void {
    if (bytes < COUNTED_BYTES || response.writableFinished || response.destroyed) return;
    const keys = [callerKey(context), orgKey(context)].filter((key) => key !== undefined);
    for (const key of keys) this.#count(key, bytes);
    response.once('close', () => {
      for (const key of keys) this.#count(key, -bytes);
    });
  }

  #count(key: string, by: number): void {
    const now = (this.#bytes.get(key) ?? 0) + by;
    if (now > 0) this.#bytes.set(key, now);
    else this.#bytes.delete(key);
  }
}

/** Unauthenticated callers have little time to read, and must not lock each other out, so they have no shared limit. */
const orgKey = (context: RequestContext): string | undefined =>
  context.principal === undefined ? undefined : `share of ${shareKey(context)}`;

const toLimitError = (bytes: number, limit: string) =>
  Errors.rateLimited(`${bytes} bytes of responses have not been read; the limit for ${limit}. Read them first.`, {
    retryAfterMs: RETRY_MS,
  });
