import {
  type Database,
  decodeCursor,
  Errors,
  failpoint,
  type Ids,
  MAX_AT_ONCE,
  pageOf,
  retryUnknownCommit,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { RunGuard } from '../../runs/contract.ts';
import type { Artifacts, ArtifactScope, StoredArtifact } from '../contract.ts';
import { shownDigest } from '../domain/digests.ts';
import { pathFault } from '../domain/paths.ts';
import type { ByteRange } from '../domain/ranges.ts';
import { ArtifactErrors } from '../errors.ts';
import { type ArtifactFile, countFiles, insertFiles, listEntries, listFiles, readFile } from '../store/file-rows.ts';
import { publish, removeUploads, takeOut } from '../store/publish.ts';
import { countCopied } from '../store/usage.ts';
import { type Upload, writeUpload } from '../store/upload-rows.ts';
import { readContent } from './content.ts';
import type { PartStores } from './part-stores.ts';
import { type Delivery, isFinal, type Receiver } from './receive.ts';
import { CONTINUED, type UploadPlace, type Uploads } from './uploads.ts';

/** Artifacts of one run. */
export const MAX_ARTIFACTS = 10_000;

export interface LibraryParts {
  database: Database;
  ids: Ids;
  guard: RunGuard;
  audit: Audit;
  stores: PartStores;
  uploads: Uploads;
  receiver: Receiver;
}

/** What a request to store something came to: how far it is, or the artifact. */
export type Stored = { stored: number } | { file: StoredArtifact & { created_at: number }; replaced: boolean };

/** Throws `invalid_request` for a path that no artifact can have. */
export function checkPath(path: string): string {
  const fault = pathFault(path);
  if (fault === undefined) return path;
  throw Errors.invalidRequest(`the path of an artifact ${fault}`, {
    errors: [{ pointer: '/path/path', message: fault }],
  });
}

export const noArtifact = (path: string) => Errors.notFound(`the run has no artifact ${path}`);

/** The artifacts of runs. */
export class Library implements Artifacts {
  readonly #use: LibraryParts;

  constructor(use: LibraryParts) {
    this.#use = use;
  }

  /** Stores content under a path; the artifact exists from the commit. `by`: the person, for the audit. */
  async store(delivery: Delivery, by?: AuditSource): Promise<Stored> {
    checkPath(delivery.path);
    const received = await this.#use.receiver.receive(delivery);
    if ('stored' in received) return received;
    const { complete } = received;
    try {
      return await this.#publish(delivery.place, complete, by);
    } catch (error) {
      // Unless somebody can go on with it, it would only wait for its time.
      await this.#use.uploads.abandon(complete, error, { gives_up: !delivery.expected || isFinal(error) });
      throw error;
    }
  }

  /** The same without publishing: a script's call does that for all its files at once. Answers the upload's id. */
  async stage(delivery: Delivery): Promise<{ stored: number } | { upload_id: string; file: StoredArtifact }> {
    checkPath(delivery.path);
    const received = await this.#use.receiver.receive(delivery);
    if ('stored' in received) return received;
    const { complete } = received;
    const { database, uploads } = this.#use;
    const stage = () =>
      database.transaction(async (tx) => {
        const bounded = await uploads.hold(tx, delivery.place);
        const state = { ...complete, complete: true };
        if (!(await writeUpload(tx, complete, state, { now: database.now(), bounded })))
          throw ArtifactErrors.uploadTaken(CONTINUED);
      });
    try {
      await retryUnknownCommit(stage);
    } catch (error) {
      await uploads.abandon(complete, error, { gives_up: !delivery.expected });
      throw error;
    }
    return { upload_id: complete.upload_id, file: shownOf(complete) };
  }

  async #publish(place: UploadPlace, upload: Upload & { size: number; digest: string }, by: AuditSource | undefined) {
    const { database, ids, uploads, audit } = this.#use;
    const { org_id, project_id, run_id } = place;
    return retryUnknownCommit((again) =>
      database.transaction(async (tx): Promise<Stored> => {
        const bounded = await uploads.hold(tx, place);
        const now = database.now();
        if (!(await removeUploads(tx, [upload]))) {
          const made = again ? await readFile(tx, place, upload.path) : undefined;
          if (made?.blob_id === upload.upload_id) return { file: viewOf(made), replaced: false };
          throw ArtifactErrors.uploadTaken(CONTINUED);
        }
        const replaced = await publish(tx, place, [upload], { ids, now, position: null, bounded });
        await checkCount(tx, run_id);
        const entry = { org_id, project_id, action: 'artifact.put', subject: `${run_id}/${upload.path}` };
        if (by) await audit.record(tx, { ...by, ...entry });
        failpoint('artifacts.published');
        return { file: { ...shownOf(upload), created_at: now }, replaced: replaced.length > 0 };
      }),
    );
  }

  async put(...[scope, path, content, writer = {}]: Parameters<Artifacts['put']>): Promise<StoredArtifact> {
    const { org_id, project_id, run_id } = scope;
    const place = { org_id, project_id, run_id, claim: writer.claim };
    const activity_id = writer.claim?.activity_id ?? null;
    const made = await this.store({ place, path, content, from: 0, expected: undefined, activity_id }, writer.by);
    if ('stored' in made) throw new Error('a content without an announced size is complete at its end');
    const { created_at: _, ...file } = made.file;
    return file;
  }

  /** Throws `not_found`. */
  async find(scope: ArtifactScope, path: string): Promise<ArtifactFile> {
    const file = pathFault(path) === undefined ? await readFile(this.#use.database, scope, path) : undefined;
    if (!file) throw noArtifact(path);
    return file;
  }

  read(file: ArtifactFile, range: ByteRange): AsyncIterable<Buffer> {
    return readContent(this.#use.stores, file, range);
  }

  async open(scope: ArtifactScope, path: string): Promise<StoredArtifact & { content: AsyncIterable<Buffer> }> {
    const file = await this.find(scope, path);
    return { ...shownOf(file), content: this.read(file, { from: 0, to: file.size }) };
  }

  /** In order of their paths. Empty for a run that is not there. */
  async list(
    scope: ArtifactScope,
    { limit, cursor, prefix }: { limit: number; cursor: string | undefined; prefix: string | undefined },
  ) {
    const after = decodeCursor(cursor, 'text')?.[0];
    const rows = await listEntries(this.#use.database, scope, { after, prefix, limit: limit + 1 });
    const { items, ...rest } = pageOf(rows, limit, ({ path }) => path);
    return { items: items.map(viewOf), ...rest };
  }

  /** Removes the row; what it named is removed later. Throws `not_found`. */
  async remove(scope: ArtifactScope, path: string, by: AuditSource): Promise<void> {
    const { database, guard, ids, audit } = this.#use;
    const { org_id, project_id, run_id } = scope;
    await retryUnknownCommit((again) =>
      database.transaction(async (tx) => {
        await guard.holdRun(tx, scope);
        const file = await readFile(tx, scope, path);
        if (!file && again) return;
        if (!file) throw noArtifact(path);
        await takeOut(tx, scope, [path], { ids, now: database.now() });
        await audit.record(tx, { ...by, org_id, project_id, action: 'artifact.delete', subject: `${run_id}/${path}` });
        failpoint('artifacts.removed');
      }),
    );
  }

  async copy(...[tx, from, to, keeps]: Parameters<Artifacts['copy']>): Promise<void> {
    const limit = MAX_AT_ONCE;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: ArtifactFile[] = await listFiles(tx, from, { after, limit });
      // What a person has put is nobody's result.
      const made = rows.flatMap((row) => (row.activity_id === null ? [] : [{ ...row, activity_id: row.activity_id }]));
      const owners = made.length === 0 ? [] : await keeps(made);
      const copied = made.flatMap((row, i) => (owners[i] ? [{ ...row, activity_id: owners[i].activity_id }] : []));
      await insertFiles(tx, to, copied);
      const bytes = copied.reduce((sum, { size }) => sum + size, 0);
      if (copied.length > 0) await countCopied(tx, from, to, bytes);
      after = rows.length < limit ? undefined : rows.at(-1)?.path;
    }
  }
}

export const shownOf = ({ path, size, digest }: { path: string; size: number; digest: string }): StoredArtifact => ({
  path,
  size,
  digest: shownDigest(digest),
});

export const viewOf = (file: Omit<ArtifactFile, 'parts'>): StoredArtifact & { created_at: number } => ({
  ...shownOf(file),
  created_at: file.created_at,
});

/** Throws `artifacts_full` when a transaction has made too many. */
export async function checkCount(tx: Pick<Transaction, 'read'>, run_id: string): Promise<void> {
  if ((await countFiles(tx, run_id, MAX_ARTIFACTS + 1)) > MAX_ARTIFACTS)
    throw ArtifactErrors.full(`the run has ${MAX_ARTIFACTS} artifacts already`);
}
