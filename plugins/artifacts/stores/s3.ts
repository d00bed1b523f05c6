import { createHash } from 'node:crypto';
import {
  type Clock,
  type Egress,
  type EgressAnswer,
  failpoint,
  isServiceError,
} from '../../../kernel/contracts/index.ts';
import { ArtifactErrors } from '../errors.ts';
import type { PartStore } from './part-store.ts';
import { type S3Keys, signed } from './sigv4.ts';

export interface S3Place {
  /** `https://s3.eu-central-1.amazonaws.com`, `http://minio:9000`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Before every key; empty, or with a slash at its end. */
  prefix: string;
  keys: S3Keys;
}

export interface S3Parts {
  place: S3Place;
  egress: Egress;
  clock: Clock;
}

const TIMEOUT_MS = 60_000;
/** For an answer without a part: the document of an error. */
const ANSWER_BYTES = 64 * 1024;
/** What is asked for at once: it waits in memory for a slow reader of a download … */
const READ_BYTES = 1024 * 1024;
/** … and is handed over in pieces, so that buffers behind it hold no more of them. */
const PIECE_BYTES = 64 * 1024;
const TRIES = 4;
const FIRST_PAUSE_MS = 100;
/** Parts that are held for sending at the same time; others wait, and their callers with them. */
const MAX_HELD = 8;
const REMOVALS_AT_ONCE = 4;

const EMPTY = Buffer.alloc(0);
const FULL = /<Code>(XMinioStorageFull|QuotaExceeded|InsufficientStorage|EntityTooLarge)<\/Code>/;

/**
 * A bucket of any S3-compatible service. Each part is an object of its own, `<prefix><two letters>/<content>.<part>`; a
 * part is what is held in memory. The keys of the account are in no message.
 */
export class S3Store implements PartStore {
  readonly id: string;
  readonly #use: S3Parts;
  readonly #held = new Turns(MAX_HELD);

  constructor(use: S3Parts) {
    this.#use = use;
    const { endpoint, bucket, prefix } = use.place;
    const place = JSON.stringify([endpoint, bucket, prefix]);
    this.id = `s3_${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
  }

  async write(blob_id: string, name: string, content: AsyncIterable<Buffer>): Promise<number> {
    return this.#held.take(async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      await this.#ask('PUT', blob_id, name, { body });
      failpoint('artifacts.part-written');
      return body.length;
    });
  }

  async *read(blob_id: string, name: string, from: number, to: number): AsyncIterable<Buffer> {
    for (let at = from; at < to; at += READ_BYTES) {
      const end = Math.min(at + READ_BYTES, to);
      const { body } = await this.#ask('GET', blob_id, name, { headers: { range: `bytes=${at}-${end - 1}` } });
      if (body.length !== end - at)
        throw unavailable(`the bucket answered ${body.length} bytes of a part instead of ${end - at}`);
      for (let sent = 0; sent < body.length; sent += PIECE_BYTES) yield body.subarray(sent, sent + PIECE_BYTES);
    }
  }

  async remove(blob_id: string, names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += REMOVALS_AT_ONCE)
      await Promise.all(
        names.slice(at, at + REMOVALS_AT_ONCE).map((name) => this.#ask('DELETE', blob_id, name, { absent: true })),
      );
  }

  async #ask(
    method: 'PUT' | 'GET' | 'DELETE',
    blob_id: string,
    name: string,
    {
      body = EMPTY,
      headers = {},
      absent = false,
    }: { body?: Buffer; headers?: Record<string, string>; absent?: boolean },
  ): Promise<EgressAnswer> {
    const { endpoint, bucket, prefix } = this.#use.place;
    const url = new URL(`${endpoint}/${bucket}/${prefix}${blob_id.slice(-2).toLowerCase()}/${blob_id}.${name}`);
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#once(method, url, body, headers).catch((error: unknown) => {
        if (isServiceError(error, 'egress_failed')) return error;
        throw isServiceError(error) ? unavailable(error.message) : error;
      });
      if (!(answer instanceof Error)) {
        const { status } = answer;
        if ((status >= 200 && status < 300) || (absent && status === 404)) return answer;
        if ((status < 500 && status !== 429 && status !== 408) || status === 507) throw refusal(method, answer);
        if (tries >= TRIES) throw refusal(method, answer);
      } else if (tries >= TRIES) throw unavailable(answer.message);
      await this.#pause(FIRST_PAUSE_MS * 3 ** (tries - 1));
    }
  }

  async #once(method: string, url: URL, body: Buffer, headers: Record<string, string>): Promise<EgressAnswer> {
    const { egress, clock, place } = this.#use;
    const body_digest = createHash('sha256').update(body).digest('hex');
    const request = { method, url, headers, body_digest, region: place.region, at: clock.now() };
    return egress.request({
      method,
      url: url.href,
      headers: { ...signed(request, place.keys), 'accept-encoding': 'identity' },
      ...(method === 'PUT' ? { body } : {}),
      timeout_ms: TIMEOUT_MS,
      max_bytes: method === 'GET' ? READ_BYTES + ANSWER_BYTES : ANSWER_BYTES,
    });
  }

  #pause(delay_ms: number): Promise<void> {
    return new Promise((resolve) => void this.#use.clock.after(delay_ms, resolve));
  }
}

/** At most so many at a time; the others wait in order. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Only the code of the service's answer: its texts may quote the request. */
function refusal(method: string, { status, body }: EgressAnswer): Error {
  const text = body.subarray(0, ANSWER_BYTES).toString();
  if (status === 507 || FULL.test(text)) return ArtifactErrors.storeFull('the bucket of the artifacts takes no more');
  const [, code] = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text) ?? [];
  return unavailable(`the bucket of the artifacts answered ${method} with ${status}${code ? ` ${code}` : ''}`);
}

const unavailable = (detail: string) => ArtifactErrors.storeUnavailable(detail, { retryAfterMs: 5000 });
