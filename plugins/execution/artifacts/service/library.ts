import {
  type Database,
  decodeCursor,
  Errors,
  failpoint,
  type Ids,
  MAX_ROWS_PER_STATEMENT,
  pageOf,
  retryUnknownCommit,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { RunGuard } from '../../../engine/runs/contract.ts';
import type { ArtifactMaker, Artifacts, ArtifactScope, ArtifactWriter, StoredArtifact } from '../contract.ts';
import { formatDigest } from '../domain/digests.ts';
import { validatePath } from '../domain/paths.ts';
import type { ByteRange } from '../domain/ranges.ts';
import { ArtifactErrors } from '../errors.ts';
import { type ArtifactFile, countFiles, insertFiles, listEntries, listFiles, readFile } from '../store/file-rows.ts';
import { publish, removeUploads, removeFiles } from '../store/publish.ts';
import { countCopied } from '../store/usage.ts';
import { type Upload, writeUpload } from '../store/upload-rows.ts';
import { readContent } from './content.ts';
import type { PartStores } from './part-stores.ts';
import { type Delivery, isFinal, type Receiver } from './receive.ts';
import { CONTINUED, type UploadScope, type Uploads } from './uploads.ts';

/** Maximum artifacts of one run. */
export const MAX_ARTIFACTS = 10_000;

export interface LibraryDeps {
  database: Database;
  ids: Ids;
  guard: RunGuard;
  audit: Audit;
  stores: PartStores;
  uploads: Uploads;
  receiver: Receiver;
}

/** The result of a request to store something: how far the upload is, or the artifact. */
export type StoreResult = { stored: number } | { file: StoredArtifact & { created_at: number }; replaced: boolean };

/** Returns the path if it is valid. Throws `invalid_request`. */
export function assertPath(path: string): string {
  const problem = validatePath(path);
  if (problem === undefined) return path;
  throw Errors.invalidRequest(`the artifact path ${problem}`, {
    errors: [{ pointer: '/path/path', message: problem }],
  });
}

export const noArtifact = (path: string) => Errors.notFound(`the run has no artifact ${path}`);

/** The artifacts of runs. */
export class ArtifactLibrary implements Artifacts {
  readonly #deps: LibraryDeps;

  constructor(deps: LibraryDeps) {
    this.#deps = deps;
  }

  /** Stores content under a path; the artifact exists from the commit on. `by` is the person, for the audit. */
  async store(delivery: Delivery, by?: AuditSource): Promise<StoreResult> {
    assertPath(delivery.path);
    const received = await this.#deps.receiver.receive(delivery);
    if ('stored' in received) return received;
    const { complete } = received;
    try {
      return await this.#publish(delivery.scope, complete, by);
    } catch (error) {
      // It would only wait to be swept, unless somebody can continue it.
      await this.#deps.uploads.abandon(complete, error, { gives_up: !delivery.expected || isFinal(error) });
      throw error;
    }
  }

  /**
   * Stores content without publishing it, and returns the id of its upload. The call of a script publishes all of its
   * files at once.
   */
  async stage(delivery: Delivery): Promise<{ stored: number } | { upload_id: string; file: StoredArtifact }> {
    assertPath(delivery.path);
    const received = await this.#deps.receiver.receive(delivery);
    if ('stored' in received) return received;
    const { complete } = received;
    const { database, uploads } = this.#deps;
    const stage = () =>
      database.transaction(async (tx) => {
        const bounded = await uploads.lockOwner(tx, delivery.scope);
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
    return { upload_id: complete.upload_id, file: toStoredArtifact(complete) };
  }

  async #publish(place: UploadScope, upload: Upload & { size: number; digest: string }, by: AuditSource | undefined) {
    const { database, ids, uploads, audit } = this.#deps;
    const { org_id, project_id, run_id } = place;
    return retryUnknownCommit((is_retry) =>
      database.transaction(async (tx): Promise<StoreResult> => {
        const bounded = await uploads.lockOwner(tx, place);
        const now = database.now();
        if (!(await removeUploads(tx, [upload]))) {
          const existing = is_retry ? await readFile(tx, place, upload.path) : undefined;
          if (existing?.blob_id === upload.upload_id) return { file: toView(existing), replaced: false };
          throw ArtifactErrors.uploadTaken(CONTINUED);
        }
        const replaced = await publish(tx, place, [upload], { ids, now, position: null, bounded });
        await assertWithinCount(tx, run_id);
        const entry = { org_id, project_id, action: 'artifact.put', subject: `${run_id}/${upload.path}` };
        if (by) await audit.record(tx, { ...by, ...entry });
        failpoint('artifacts.published');
        return { file: { ...toStoredArtifact(upload), created_at: now }, replaced: replaced.length > 0 };
      }),
    );
  }

  async put(
    scope: ArtifactScope,
    path: string,
    content: AsyncIterable<Buffer>,
    writer: ArtifactWriter = {},
  ): Promise<StoredArtifact> {
    const { org_id, project_id, run_id } = scope;
    const place = { org_id, project_id, run_id, claim: writer.claim };
    const activity_id = writer.claim?.activity_id ?? null;
    const stored = await this.store(
      { scope: place, path, content, offset: 0, expected: undefined, activity_id },
      writer.audit_source,
    );
    if ('stored' in stored) throw new Error('content without an announced size is complete at its end');
    const { created_at: _, ...file } = stored.file;
    return file;
  }

  async find(scope: ArtifactScope, path: string): Promise<ArtifactFile> {
    const file = validatePath(path) === undefined ? await readFile(this.#deps.database, scope, path) : undefined;
    if (!file) throw noArtifact(path);
    return file;
  }

  /** Throws `lease_lost` unless the claim holds: an activity reads what its run has as long as it works. */
  async assertClaim(scope: UploadScope): Promise<void> {
    const { claim } = scope;
    const { database, guard } = this.#deps;
    if (claim) await database.transaction((tx) => guard.holdClaim(tx, scope, claim));
  }

  read(file: ArtifactFile, range: ByteRange): AsyncIterable<Buffer> {
    return readContent(this.#deps.stores, file, range);
  }

  async open(scope: ArtifactScope, path: string): Promise<StoredArtifact & { content: AsyncIterable<Buffer> }> {
    const file = await this.find(scope, path);
    return { ...toStoredArtifact(file), content: this.read(file, { from: 0, to: file.size }) };
  }

  /** Lists artifacts in the order of their paths. The list is empty if the run does not exist. */
  async list(
    scope: ArtifactScope,
    { limit, cursor, prefix }: { limit: number; cursor: string | undefined; prefix: string | undefined },
  ) {
    const after = decodeCursor(cursor, 'text')?.[0];
    const rows = await listEntries(this.#deps.database, scope, { after, prefix, limit: limit + 1 });
    const { items, ...rest } = pageOf(rows, limit, ({ path }) => path);
    return { items: items.map(toView), ...rest };
  }

  /** Removes the row; its parts are removed later. Throws `not_found`. */
  async remove(scope: ArtifactScope, path: string, by: AuditSource): Promise<void> {
    const { database, guard, ids, audit } = this.#deps;
    const { org_id, project_id, run_id } = scope;
    await retryUnknownCommit((again) =>
      database.transaction(async (tx) => {
        await guard.holdRun(tx, scope);
        const file = await readFile(tx, scope, path);
        if (!file && again) return;
        if (!file) throw noArtifact(path);
        await removeFiles(tx, scope, [path], { ids, now: database.now() });
        await audit.record(tx, { ...by, org_id, project_id, action: 'artifact.delete', subject: `${run_id}/${path}` });
        failpoint('artifacts.removed');
      }),
    );
  }

  async copy(
    tx: Transaction,
    from: ArtifactScope,
    to: ArtifactScope,
    selectOwners: (makers: readonly ArtifactMaker[]) => Promise<readonly ({ activity_id: string } | undefined)[]>,
  ): Promise<void> {
    const limit = MAX_ROWS_PER_STATEMENT;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: ArtifactFile[] = await listFiles(tx, from, { after, limit });
      // What a person put belongs to no activity.
      const owned = rows.flatMap((row) => (row.activity_id === null ? [] : [{ ...row, activity_id: row.activity_id }]));
      const owners = owned.length === 0 ? [] : await selectOwners(owned);
      const copied = owned.flatMap((row, i) => (owners[i] ? [{ ...row, activity_id: owners[i].activity_id }] : []));
      await insertFiles(tx, to, copied);
      const bytes = copied.reduce((sum, { size }) => sum + size, 0);
      if (copied.length > 0) await countCopied(tx, from, to, bytes);
      after = rows.length < limit ? undefined : rows.at(-1)?.path;
    }
  }
}

export const toStoredArtifact = ({
  path,
  size,
  digest,
}: {
  path: string;
  size: number;
  digest: string;
}): StoredArtifact => ({
  path,
  size,
  digest: formatDigest(digest),
});

export const toView = (file: Omit<ArtifactFile, 'parts'>): StoredArtifact & { created_at: number } => ({
  ...toStoredArtifact(file),
  created_at: file.created_at,
});

/** Throws `artifacts_full` if a transaction has created too many. */
export async function assertWithinCount(tx: Pick<Transaction, 'read'>, run_id: string): Promise<void> {
  if ((await countFiles(tx, run_id, MAX_ARTIFACTS + 1)) > MAX_ARTIFACTS)
    throw ArtifactErrors.full(`the run already has ${MAX_ARTIFACTS} artifacts`);
}
