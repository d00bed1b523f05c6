import {
  type Database,
  Errors,
  type Ids,
  isServiceError,
  retryUnknownCommit,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ClaimRef, RunGuard, RunLimits } from '../../../engine/runs/contract.ts';
import { MAX_PARTS, partName, partNames } from '../domain/parts.ts';
import { ArtifactErrors } from '../errors.ts';
import { readParts, type RunScope } from '../store/file-rows.ts';
import { discard, scheduleOldParts } from '../store/publish.ts';
import {
  findUpload,
  insertUpload,
  readUploads,
  type Upload,
  type UploadRequest,
  writeUpload,
} from '../store/upload-rows.ts';
import { type UsageLimits, type Capacity, readCapacity } from '../store/usage.ts';
import type { PartStores } from './part-stores.ts';

export interface UploadDeps {
  database: Database;
  ids: Ids;
  guard: RunGuard;
  stores: PartStores;
  limits: RunLimits;
}

/** An upload that a request may write to, and the capacity that it has. */
export interface OpenUpload {
  upload: Upload;
  bounded: UsageLimits;
  capacity: Capacity;
}

export interface UploadScope extends RunScope {
  /** Set if the upload belongs to an activity; only the activity's current claim may continue it. */
  claim: ClaimRef | undefined;
}

export const CONTINUED = 'the upload continues elsewhere';

/** The rows of uploads: who may write, and how much is stored. */
export class Uploads {
  readonly #deps: UploadDeps;

  constructor(deps: UploadDeps) {
    this.#deps = deps;
  }

  /** Returns how many bytes of an upload are stored. Throws `not_found`, `lease_lost`. */
  async readOffset(scope: UploadScope, request: UploadRequest): Promise<number> {
    return this.#deps.database.transaction(async (tx) => {
      await this.lockOwner(tx, scope);
      return (await findUpload(tx, scope, request))?.stored ?? 0;
    });
  }

  /** Locks the run or the claim that the upload depends on. */
  async lockOwner(tx: Transaction, { claim, ...run }: UploadScope): Promise<UsageLimits> {
    const { guard, limits } = this.#deps;
    const { trusted } = claim ? await guard.holdClaim(tx, run, claim) : await guard.holdRun(tx, run);
    return { trusted, limits };
  }

  /**
   * Begins an upload or takes over an existing one; from its commit on, a request that wrote to it before can record
   * nothing. Throws `artifact_offset_wrong` unless it continues where the stored part ends or starts over, and
   * `artifact_quota_exceeded` if it is already clear that there is not enough capacity.
   */
  async open(scope: UploadScope, request: UploadRequest, from: number): Promise<OpenUpload> {
    const { database, ids } = this.#deps;
    const { id: store } = await this.#deps.stores.mainStore();
    const upload_id = ids.next('art');
    try {
      return await retryUnknownCommit(() =>
        database.transaction(async (tx) => {
          const bounded = await this.lockOwner(tx, scope);
          const now = database.now();
          const existing = await findUpload(tx, scope, request);
          const withCapacity = async (upload: Upload): Promise<OpenUpload> => {
            const remaining = await readCapacity(tx, scope, bounded);
            // The bytes of this upload that are already stored count.
            const capacity = { ...remaining, bytes: remaining.bytes + upload.stored };
            if ((request.expected?.size ?? 1) > capacity.bytes) throw remaining.toError();
            return { upload, bounded, capacity: capacity };
          };
          // The response to the commit was lost.
          if (existing?.upload_id === upload_id) return withCapacity(existing);
          const is_resumable = existing && existing.store === store && existing.parts.length < MAX_PARTS;
          const stored = is_resumable ? existing.stored : 0;
          if (from !== 0 && from !== stored)
            throw ArtifactErrors.offsetWrong(`${stored} bytes are stored, but the content starts at byte ${from}`, {
              data: { offset: stored },
            });
          if (is_resumable) return withCapacity(await this.#takeOver(tx, existing, from, { now, bounded }));
          if (existing) await discard(tx, existing, ids, now);
          return withCapacity(await insertUpload(tx, scope, request, { upload_id, store, now }));
        }),
      );
    } catch (error) {
      if (isServiceError(error, 'row_exists')) throw ArtifactErrors.uploadTaken(CONTINUED, { cause: error });
      throw error;
    }
  }

  async #takeOver(
    tx: Transaction,
    existing: Upload,
    from: number,
    context: { now: number; bounded: UsageLimits },
  ): Promise<Upload> {
    // The part that the previous request may still be writing.
    const current_part = existing.complete ? [] : [partName(existing.epoch, existing.parts.length)];
    const taken_over: Upload = {
      ...existing,
      epoch: existing.epoch + 1,
      garbage: [...existing.garbage, ...current_part],
      complete: false,
      parts: from === 0 ? [] : existing.parts,
      stored: from === 0 ? 0 : existing.stored,
    };
    if (!(await writeUpload(tx, existing, taken_over, context))) throw ArtifactErrors.uploadTaken(CONTINUED);
    if (existing.parts.length > taken_over.parts.length)
      await scheduleOldParts(tx, existing, { ids: this.#deps.ids, now: context.now });
    return taken_over;
  }

  /** Records how far the upload is. Throws `artifact_upload_taken`, `artifact_quota_exceeded`. */
  async record(upload: Upload, bounded: UsageLimits): Promise<void> {
    const { database } = this.#deps;
    const written = await retryUnknownCommit(() =>
      database.transaction((tx) => writeUpload(tx, upload, upload, { now: database.now(), bounded })),
    );
    if (!written) throw ArtifactErrors.uploadTaken(CONTINUED);
  }

  /**
   * Cleans up after a request failed. If it was rejected, the part that it stored last is removed at once unless a
   * row names it, because it is counted nowhere and nobody reads it. With `gives_up` the upload goes too, unless
   * another request continues it.
   */
  async abandon(upload: Upload, failure: unknown, { gives_up: discards }: { gives_up: boolean }): Promise<void> {
    const { database, ids, stores } = this.#deps;
    // After any other failure, a commit that names the part may still be in flight.
    const is_rejected = isServiceError(failure) && failure.status < 500;
    const wrote_last = upload.parts.at(-1)?.[0] === upload.epoch;
    const last_part = is_rejected && wrote_last ? partNames(upload.parts).at(-1) : undefined;
    if (last_part === undefined && !discards) return;
    const unnamed = await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        const parts = (await readUploads(tx, [upload.upload_id])).get(upload.upload_id)?.parts;
        const named = partNames(parts ?? (await readParts(tx, upload.upload_id)) ?? []);
        if (discards) await discard(tx, upload, ids, database.now());
        return last_part === undefined || named.includes(last_part) ? [] : [last_part];
      }),
    );
    if (unnamed.length === 0) return;
    // If this fails, the part goes with the upload: its row or a removal names everything that its writers may have
    // stored.
    await stores
      .get(upload.store)
      .then((store) => store.remove(upload.upload_id, unnamed))
      .catch(() => undefined);
  }
}

export const artifactTooLarge = (limit: number) =>
  Errors.payloadTooLarge(`an artifact can be ${limit} bytes long, but this one is longer (SVC_ARTIFACT_LIMIT)`, {
    data: { limit_bytes: limit },
  });
