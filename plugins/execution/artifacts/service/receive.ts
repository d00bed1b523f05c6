import { createHash } from 'node:crypto';
import { Errors, failpoint, isServiceError } from '../../../../kernel/contracts/index.ts';
import { PartSplitter } from '../domain/part-splitter.ts';
import { PART_BYTES, partName } from '../domain/parts.ts';
import { ArtifactErrors } from '../errors.ts';
import type { Upload, UploadRequest } from '../store/upload-rows.ts';
import { computeDigest } from './content.ts';
import type { PartStores } from './part-stores.ts';
import { type OpenUpload, artifactTooLarge, type UploadScope, type Uploads } from './uploads.ts';

/** A request that brings content, or the next piece of it. */
export interface Delivery extends UploadRequest {
  scope: UploadScope;
  /** Offset in the file at which the content begins. */
  offset: number;
  content: AsyncIterable<Buffer>;
  /** SHA-256 in hex of just this content. */
  content_digest?: string | undefined;
  /** SHA-256 in hex of the file, if its size was not announced. */
  required?: string | undefined;
}

export interface ReceiverDeps {
  uploads: Uploads;
  stores: PartStores;
  limit_bytes: number;
  /** Counts stored bytes. */
  onReceived: (bytes: number) => void;
}

type Complete = Upload & { size: number; digest: string };

/** Receives content part by part. At most one part is in memory, however large the file is. */
export class Receiver {
  readonly #deps: ReceiverDeps;

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
  }

  /**
   * Stores what arrives. Returns the upload with its digest verified if it is complete, otherwise how far it is. What
   * a broken request brought stays if a later one can tell how to continue it; otherwise nothing stays.
   */
  async receive(delivery: Delivery): Promise<{ complete: Complete } | { stored: number }> {
    this.#assertSize(delivery);
    const opened = await this.#deps.uploads.open(delivery.scope, delivery, delivery.offset);
    failpoint('artifacts.upload-opened');
    const progress: Progress = { ...opened, hash: createHash('sha256') };
    try {
      await this.#storeParts(delivery, progress);
      return await this.#conclude(delivery, progress);
    } catch (error) {
      await this.#deps.uploads.abandon(progress.upload, error, { gives_up: !delivery.expected || isFinal(error) });
      throw error;
    }
  }

  #assertSize({ expected, offset }: Delivery): void {
    const { limit_bytes } = this.#deps;
    if (expected && expected.size > limit_bytes) throw artifactTooLarge(limit_bytes);
    if (expected && offset > expected.size) throw Errors.invalidRequest('the content starts after the end of the file');
  }

  async #storeParts({ content, expected }: Delivery, progress: Progress): Promise<void> {
    const { stores, limit_bytes, uploads, onReceived } = this.#deps;
    const store = await stores.get(progress.upload.store);
    const splitter = new PartSplitter(content, (chunk) => void progress.hash.update(chunk));
    while (await splitter.hasMore()) {
      const { upload } = progress;
      const { upload_id, epoch, parts, stored } = upload;
      const size = await store.write(upload_id, partName(epoch, parts.length), splitter.nextPart(PART_BYTES));
      progress.upload = { ...upload, parts: [...parts, [epoch, size]], stored: stored + size };
      onReceived(size);
      if (stored + size > (expected?.size ?? limit_bytes)) throw overlong(expected?.size, limit_bytes);
      if (stored + size > progress.capacity.bytes) throw progress.capacity.toError();
      const has_more = await splitter.hasMore();
      // The last part is recorded when the upload concludes.
      if (has_more || splitter.failure !== undefined) await uploads.record(progress.upload, progress.bounded);
      failpoint('artifacts.part-recorded');
    }
    if (splitter.failure !== undefined) throw splitter.failure;
  }

  async #conclude(
    { offset, content_digest, expected, required = expected?.digest }: Delivery,
    progress: Progress,
  ): Promise<{ complete: Complete } | { stored: number }> {
    const { upload, hash } = progress;
    const content_sha256 = hash.digest('hex');
    if (content_digest !== undefined && content_digest !== content_sha256)
      throw mismatch(content_digest, content_sha256);
    const { stored } = upload;
    if (expected && stored < expected.size) {
      await this.#deps.uploads.record(upload, progress.bounded);
      return { stored };
    }
    const stored_content = { blob_id: upload.upload_id, store: upload.store, parts: upload.parts };
    const digest = offset === 0 ? content_sha256 : await computeDigest(this.#deps.stores, stored_content);
    if (required !== undefined && required !== digest) throw mismatch(required, digest);
    return { complete: { ...upload, digest, size: stored } };
  }
}

interface Progress extends OpenUpload {
  hash: ReturnType<typeof createHash>;
}

/** True when no later request can complete the upload. */
export const isFinal = (error: unknown): boolean =>
  isServiceError(error) && error.status < 500 && !['request_timeout', 'artifact_upload_taken'].includes(error.code);

const mismatch = (expected: string, actual: string) =>
  ArtifactErrors.digestMismatch(`the content has the SHA-256 ${actual}, but ${expected} was sent with it`);

const overlong = (size: number | undefined, limit: number) =>
  size === undefined
    ? artifactTooLarge(limit)
    : Errors.invalidRequest(`the content has more than the ${size} bytes announced`);
