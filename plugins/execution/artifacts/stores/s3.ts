import { createHash } from 'node:crypto';
import {
  type Clock,
  type Egress,
  type EgressAnswer,
  failpoint,
  isServiceError,
} from '../../../../kernel/contracts/index.ts';
import { ArtifactErrors } from '../errors.ts';
import type { PartStore } from './part-store.ts';
import { type AwsKeys, signHeaders } from '../../../platform/egress/contract.ts';

export interface S3Location {
  /** Such as `https://s3.eu-central-1.amazonaws.com` or `http://minio:9000`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Prepended to every key: empty, or with a slash at its end. */
  prefix: string;
  keys: AwsKeys;
}

export interface S3Deps {
  location: S3Location;
  egress: Egress;
  clock: Clock;
}

const TIMEOUT_MS = 60_000;
/** Maximum bytes of a response without a part, such as an error document. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Bytes of one request, which wait in memory for the slow reader of a download. */
const READ_BYTES = 1024 * 1024;
/** Bytes yielded at once, so that buffers downstream hold no more of them. */
const PIECE_BYTES = 64 * 1024;
const MAX_ATTEMPTS = 4;
const MIN_PAUSE_MS = 100;
/** Maximum parts held in memory for sending. Others wait, and so do their callers. */
const MAX_BUFFERED_PARTS = 8;
const CONCURRENT_REMOVALS = 4;

const EMPTY = Buffer.alloc(0);
const FULL = /<Code>(XMinioStorageFull|QuotaExceeded|InsufficientStorage|EntityTooLarge)<\/Code>/;

/**
 * A bucket of any S3-compatible service. Each part is an object, `<prefix><two letters>/<content>.<part>`, and is
 * held in memory while it is transferred. No message contains the keys of the account.
 */
export class S3Store implements PartStore {
  readonly id: string;
  readonly #deps: S3Deps;
  readonly #writes = new Semaphore(MAX_BUFFERED_PARTS);

  constructor(deps: S3Deps) {
    this.#deps = deps;
    const { endpoint, bucket, prefix } = deps.location;
    const place = JSON.stringify([endpoint, bucket, prefix]);
    this.id = `s3_${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
  }

  async write(blob_id: string, name: string, content: AsyncIterable<Buffer>): Promise<number> {
    return this.#writes.run(async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      await this.#sendRequest('PUT', blob_id, name, { body });
      failpoint('artifacts.part-written');
      return body.length;
    });
  }

  async *read(blob_id: string, name: string, from: number, to: number): AsyncIterable<Buffer> {
    for (let at = from; at < to; at += READ_BYTES) {
      const end = Math.min(at + READ_BYTES, to);
      const { body } = await this.#sendRequest('GET', blob_id, name, { headers: { range: `bytes=${at}-${end - 1}` } });
      if (body.length !== end - at)
        throw unavailable(`the bucket returned ${body.length} bytes of a part instead of ${end - at}`);
      for (let sent = 0; sent < body.length; sent += PIECE_BYTES) yield body.subarray(sent, sent + PIECE_BYTES);
    }
  }

  async remove(blob_id: string, names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += CONCURRENT_REMOVALS)
      await Promise.all(
        names
          .slice(at, at + CONCURRENT_REMOVALS)
          .map((name) => this.#sendRequest('DELETE', blob_id, name, { absent: true })),
      );
  }

  async #sendRequest(
    method: 'PUT' | 'GET' | 'DELETE',
    blob_id: string,
    name: string,
    {
      body = EMPTY,
      headers = {},
      absent = false,
    }: { body?: Buffer; headers?: Record<string, string>; absent?: boolean },
  ): Promise<EgressAnswer> {
    const { endpoint, bucket, prefix } = this.#deps.location;
    const url = new URL(`${endpoint}/${bucket}/${prefix}${blob_id.slice(-2).toLowerCase()}/${blob_id}.${name}`);
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#sendOnce(method, url, body, headers).catch((error: unknown) => {
        if (isServiceError(error, 'egress_failed')) return error;
        throw isServiceError(error) ? unavailable(error.message) : error;
      });
      if (!(response instanceof Error)) {
        const { status } = response;
        if ((status >= 200 && status < 300) || (absent && status === 404)) return response;
        if ((status < 500 && status !== 429 && status !== 408) || status === 507) throw toStoreError(method, response);
        if (attempt >= MAX_ATTEMPTS) throw toStoreError(method, response);
      } else if (attempt >= MAX_ATTEMPTS) throw unavailable(response.message);
      await this.#pause(MIN_PAUSE_MS * 3 ** (attempt - 1));
    }
  }

  async #sendOnce(method: string, url: URL, body: Buffer, headers: Record<string, string>): Promise<EgressAnswer> {
    const { egress, clock, location: place } = this.#deps;
    const body_digest = createHash('sha256').update(body).digest('hex');
    const request = { method, url, headers, body_digest, region: place.region, service: 's3', at: clock.now() };
    return egress.request({
      method,
      url: url.href,
      headers: { ...signHeaders(request, place.keys), 'accept-encoding': 'identity' },
      body: method === 'PUT' ? body : undefined,
      timeout_ms: TIMEOUT_MS,
      max_bytes: method === 'GET' ? READ_BYTES + MAX_ERROR_BYTES : MAX_ERROR_BYTES,
    });
  }

  #pause(delay_ms: number): Promise<void> {
    return new Promise((resolve) => void this.#deps.clock.after(delay_ms, resolve));
  }
}

/** Runs at most `most` pieces of work at a time; the others wait in order. */
class Semaphore {
  #permits: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#permits = permits;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#permits > 0) this.#permits -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#permits += 1;
    }
  }
}

/** Reports only the code of the service's response, because its texts may quote the request. */
function toStoreError(method: string, { status, body }: EgressAnswer): Error {
  const text = body.subarray(0, MAX_ERROR_BYTES).toString();
  if (status === 507 || FULL.test(text)) return ArtifactErrors.storeFull('the artifact bucket is full');
  const [, code] = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text) ?? [];
  return unavailable(`the artifact bucket answered ${method} with ${status}${code ? ` ${code}` : ''}`);
}

const unavailable = (detail: string) => ArtifactErrors.storeUnavailable(detail, { retryAfterMs: 5000 });
