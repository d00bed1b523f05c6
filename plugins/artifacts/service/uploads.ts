import {
  type Database,
  Errors,
  type Ids,
  isServiceError,
  retryUnknownCommit,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { ClaimRef, RunGuard, RunLimits } from '../../runs/contract.ts';
import { MAX_PARTS, partName, partNames } from '../domain/parts.ts';
import { ArtifactErrors } from '../errors.ts';
import { partsOf, type RunPlace } from '../store/file-rows.ts';
import { discard, leaveParts } from '../store/publish.ts';
import {
  findUpload,
  insertUpload,
  readUploads,
  type Upload,
  type UploadWish,
  writeUpload,
} from '../store/upload-rows.ts';
import { type Bounded, type Room, roomFor } from '../store/usage.ts';
import type { PartStores } from './part-stores.ts';

export interface UploadParts {
  database: Database;
  ids: Ids;
  guard: RunGuard;
  stores: PartStores;
  limits: RunLimits;
}

/** An upload that a request may write to, and the room that it has. */
export interface OpenUpload {
  upload: Upload;
  bounded: Bounded;
  room: Room;
}

export interface UploadPlace extends RunPlace {
  /** Present: the upload is for an activity, and only its present claim may go on with it. */
  claim: ClaimRef | undefined;
}

export const CONTINUED = 'the upload continues elsewhere';

/** The rows of uploads: who may write, and how much is stored. */
export class Uploads {
  readonly #use: UploadParts;

  constructor(use: UploadParts) {
    this.#use = use;
  }

  /** How many bytes of an upload are stored. Throws `not_found`, `lease_lost`. */
  async stored(place: UploadPlace, wish: UploadWish): Promise<number> {
    return this.#use.database.transaction(async (tx) => {
      await this.hold(tx, place);
      return (await findUpload(tx, place, wish))?.stored ?? 0;
    });
  }

  /** The run or the claim that the upload depends on. */
  async hold(tx: Transaction, { claim, ...run }: UploadPlace): Promise<Bounded> {
    const { guard, limits } = this.#use;
    const { trusted } = claim ? await guard.holdClaim(tx, run, claim) : await guard.holdRun(tx, run);
    return { trusted, limits };
  }

  /**
   * Begins an upload, or takes over one that was begun: from its commit on, a request that has written to it before can
   * record nothing. Throws `artifact_offset_wrong` unless it goes on where the stored part ends, or at the beginning;
   * `artifact_quota_exceeded` when it is known already that there is no room.
   */
  async open(place: UploadPlace, wish: UploadWish, from: number): Promise<OpenUpload> {
    const { database, ids } = this.#use;
    const { id: store } = await this.#use.stores.writing();
    const upload_id = ids.next('art');
    try {
      return await retryUnknownCommit(() =>
        database.transaction(async (tx) => {
          const bounded = await this.hold(tx, place);
          const now = database.now();
          const known = await findUpload(tx, place, wish);
          const room = async (upload: Upload): Promise<OpenUpload> => {
            const left = await roomFor(tx, place, bounded);
            // What is stored of it counts already.
            const all = { ...left, bytes: left.bytes + upload.stored };
            if ((wish.expected?.size ?? 1) > all.bytes) throw left.refusal();
            return { upload, bounded, room: all };
          };
          // The answer to the commit was lost.
          if (known?.upload_id === upload_id) return room(known);
          const usable = known && known.store === store && known.parts.length < MAX_PARTS;
          const stored = usable ? known.stored : 0;
          if (from !== 0 && from !== stored)
            throw ArtifactErrors.offsetWrong(`${stored} bytes are stored, and the content begins at byte ${from}`, {
              data: { offset: stored },
            });
          if (usable) return room(await this.#takeOver(tx, known, from, { now, bounded }));
          if (known) await discard(tx, known, ids, now);
          return room(await insertUpload(tx, place, wish, { upload_id, store, now }));
        }),
      );
    } catch (error) {
      if (isServiceError(error, 'row_exists')) throw ArtifactErrors.uploadTaken(CONTINUED, { cause: error });
      throw error;
    }
  }

  async #takeOver(
    tx: Transaction,
    known: Upload,
    from: number,
    given: { now: number; bounded: Bounded },
  ): Promise<Upload> {
    // The part that the request before may be writing.
    const present = known.complete ? [] : [partName(known.epoch, known.parts.length)];
    const taken: Upload = {
      ...known,
      epoch: known.epoch + 1,
      garbage: [...known.garbage, ...present],
      complete: false,
      ...(from === 0 ? { parts: [], stored: 0 } : {}),
    };
    if (!(await writeUpload(tx, known, taken, given))) throw ArtifactErrors.uploadTaken(CONTINUED);
    if (known.parts.length > taken.parts.length) await leaveParts(tx, known, { ids: this.#use.ids, now: given.now });
    return taken;
  }

  /** Records how far the upload is. Throws `artifact_upload_taken`, `artifact_quota_exceeded`. */
  async record(upload: Upload, bounded: Bounded): Promise<void> {
    const { database } = this.#use;
    const written = await retryUnknownCommit(() =>
      database.transaction((tx) => writeUpload(tx, upload, upload, { now: database.now(), bounded })),
    );
    if (!written) throw ArtifactErrors.uploadTaken(CONTINUED);
  }

  /**
   * After a request has failed. When it was refused, the part that it stored last goes at once unless a row names it: it is
   * counted nowhere, and nobody reads it. With `gives_up` the upload goes too, unless another request goes on with it.
   */
  async abandon(upload: Upload, failure: unknown, { gives_up }: { gives_up: boolean }): Promise<void> {
    const { database, ids, stores } = this.#use;
    // After any other failure a commit may still be on its way that names the part.
    const refused = isServiceError(failure) && failure.status < 500;
    const own = upload.parts.at(-1)?.[0] === upload.epoch;
    const last = refused && own ? partNames(upload.parts).at(-1) : undefined;
    if (last === undefined && !gives_up) return;
    const unnamed = await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        const parts = (await readUploads(tx, [upload.upload_id])).get(upload.upload_id)?.parts;
        const named = partNames(parts ?? (await partsOf(tx, upload.upload_id)) ?? []);
        if (gives_up) await discard(tx, upload, ids, database.now());
        return last === undefined || named.includes(last) ? [] : [last];
      }),
    );
    if (unnamed.length === 0) return;
    // When this fails, the part goes with the upload: the row, or a removal, names what its writers may have stored.
    await stores
      .get(upload.store)
      .then((store) => store.remove(upload.upload_id, unnamed))
      .catch(() => undefined);
  }
}

export const tooLarge = (limit: number) =>
  Errors.payloadTooLarge(`an artifact may have ${limit} bytes, and this one has more (SVC_ARTIFACT_LIMIT)`, {
    data: { limit_bytes: limit },
  });
