import { createHash } from 'node:crypto';
import { Errors, failpoint, isServiceError } from '../../../kernel/contracts/index.ts';
import { PartCutter } from '../domain/part-cutter.ts';
import { PART_BYTES, partName } from '../domain/parts.ts';
import { ArtifactErrors } from '../errors.ts';
import type { Upload, UploadWish } from '../store/upload-rows.ts';
import { digestOf } from './content.ts';
import type { PartStores } from './part-stores.ts';
import { type OpenUpload, tooLarge, type UploadPlace, type Uploads } from './uploads.ts';

/** A request that brings content, or the next piece of it. */
export interface Delivery extends UploadWish {
  place: UploadPlace;
  /** Where in the file the content begins. */
  from: number;
  content: AsyncIterable<Buffer>;
  /** SHA-256 in hex of just this content. */
  content_digest?: string | undefined;
  /** SHA-256 in hex of the file, when its size was not announced. */
  required?: string | undefined;
}

export interface ReceiverParts {
  uploads: Uploads;
  stores: PartStores;
  limit_bytes: number;
  /** Counts bytes that were stored. */
  received: (bytes: number) => void;
}

type Complete = Upload & { size: number; digest: string };

/** Takes in content part by part. Holds at most one part in memory, however large the file is. */
export class Receiver {
  readonly #use: ReceiverParts;

  constructor(use: ReceiverParts) {
    this.#use = use;
  }

  /**
   * Stores what arrives. Answers the upload, checked by its digest, when it is complete; else how far it is. What a broken
   * request brought stays, if a later one can say how it continues; otherwise nothing stays.
   */
  async receive(delivery: Delivery): Promise<{ complete: Complete } | { stored: number }> {
    this.#checkSize(delivery);
    const opened = await this.#use.uploads.open(delivery.place, delivery, delivery.from);
    failpoint('artifacts.upload-opened');
    const progress: Progress = { ...opened, hash: createHash('sha256') };
    try {
      await this.#take(delivery, progress);
      return await this.#conclude(delivery, progress);
    } catch (error) {
      await this.#use.uploads.abandon(progress.upload, error, { gives_up: !delivery.expected || isFinal(error) });
      throw error;
    }
  }

  #checkSize({ expected, from }: Delivery): void {
    const { limit_bytes } = this.#use;
    if (expected && expected.size > limit_bytes) throw tooLarge(limit_bytes);
    if (expected && from > expected.size) throw Errors.invalidRequest('the content begins behind the end of the file');
  }

  async #take({ content, expected }: Delivery, progress: Progress): Promise<void> {
    const { stores, limit_bytes, uploads, received } = this.#use;
    const store = await stores.get(progress.upload.store);
    const cutter = new PartCutter(content, (chunk) => void progress.hash.update(chunk));
    while (await cutter.more()) {
      const { upload } = progress;
      const { upload_id, epoch, parts, stored } = upload;
      const size = await store.write(upload_id, partName(epoch, parts.length), cutter.part(PART_BYTES));
      progress.upload = { ...upload, parts: [...parts, [epoch, size]], stored: stored + size };
      received(size);
      if (stored + size > (expected?.size ?? limit_bytes)) throw overlong(expected?.size, limit_bytes);
      if (stored + size > progress.room.bytes) throw progress.room.refusal();
      const more = await cutter.more();
      // The last part is recorded by what the upload comes to.
      if (more || cutter.failure !== undefined) await uploads.record(progress.upload, progress.bounded);
      failpoint('artifacts.part-recorded');
    }
    if (cutter.failure !== undefined) throw cutter.failure;
  }

  async #conclude(
    { from, content_digest, expected, required = expected?.digest }: Delivery,
    progress: Progress,
  ): Promise<{ complete: Complete } | { stored: number }> {
    const { upload, hash } = progress;
    const own = hash.digest('hex');
    if (content_digest !== undefined && content_digest !== own) throw mismatch(content_digest, own);
    const { stored } = upload;
    if (expected && stored < expected.size) {
      await this.#use.uploads.record(upload, progress.bounded);
      return { stored };
    }
    const whole = { blob_id: upload.upload_id, store: upload.store, parts: upload.parts };
    const digest = from === 0 ? own : await digestOf(this.#use.stores, whole);
    if (required !== undefined && required !== digest) throw mismatch(required, digest);
    return { complete: { ...upload, digest, size: stored } };
  }
}

interface Progress extends OpenUpload {
  hash: ReturnType<typeof createHash>;
}

/** Nothing that follows can complete the upload. */
export const isFinal = (error: unknown): boolean =>
  isServiceError(error) && error.status < 500 && !['request_timeout', 'artifact_upload_taken'].includes(error.code);

const mismatch = (expected: string, found: string) =>
  ArtifactErrors.digestMismatch(`the content has the SHA-256 ${found}, and ${expected} was sent with it`);

const overlong = (size: number | undefined, limit: number) =>
  size === undefined ? tooLarge(limit) : Errors.invalidRequest(`the content has more than the ${size} bytes announced`);
