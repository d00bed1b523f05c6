import { type Queries, token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../platform/audit/contract.ts';
import type { ClaimRef } from '../../engine/runs/contract.ts';

/** An artifact: a file that belongs to a run. */
export interface StoredArtifact {
  /** Names separated by `/`; compared byte by byte. */
  path: string;
  /** Size in bytes. */
  size: number;
  /** Such as `sha256:<hex>`. */
  digest: string;
}

export interface ArtifactScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** Who stores an artifact. */
export interface ArtifactWriter {
  /**
   * The claim of the activity for which it is stored. A lost claim is rejected with `lease_lost`, before and after
   * the upload.
   */
  claim?: ClaimRef;
  /** The person who requested it, for the audit entry. */
  audit_source?: AuditSource;
}

/** The call that put an artifact into a run. */
export interface ArtifactMaker {
  activity_id: string;
  /** Position of the call in a script's journal. */
  position: number | null;
}

export interface Artifacts {
  /**
   * Stores a stream as an artifact, replacing any with that path. The artifact exists when this resolves and not
   * before, and is never entirely in memory. Throws `invalid_request` for an invalid path, `payload_too_large`,
   * `artifacts_full`, `artifact_store_full`, `artifact_store_unavailable`, `not_found`, `lease_lost`, and whatever
   * the stream throws; nothing is stored then.
   */
  put(
    scope: ArtifactScope,
    path: string,
    content: AsyncIterable<Buffer>,
    writer?: ArtifactWriter,
  ): Promise<StoredArtifact>;
  /** Opens an artifact, whose content is read while it is iterated over. Throws `not_found`. */
  open(scope: ArtifactScope, path: string): Promise<StoredArtifact & { content: AsyncIterable<Buffer> }>;
  /**
   * Copies the artifacts of a run's activities to another run, in the transaction that creates it as a rerun; the
   * contents are shared. `keeps` decides about at most 128 at once by activity and by position of the call that put
   * them, returning one answer for each, in order. The row of the first run must be locked.
   */
  copy(
    tx: Transaction,
    from: ArtifactScope,
    to: ArtifactScope,
    selectOwners: (makers: readonly ArtifactMaker[]) => Promise<readonly ({ activity_id: string } | undefined)[]>,
  ): Promise<void>;
}

export const Artifacts = token<Artifacts>('artifacts.Artifacts');

/** A content and its parts, as rows name them. Several artifacts may share one. */
export interface StoredContent {
  blob_id: string;
  /** The id of the store that has it. */
  store: string;
  parts: readonly (readonly [epoch: number, size: number])[];
  size: number;
  /** SHA-256 in hex. */
  digest: string;
}

/** The contents alone, without runs, roles and rows, for copying an entire database. */
export interface ArtifactContents {
  /** Yields every content of a database once. */
  list(on: Pick<Queries, 'read'>): AsyncIterable<StoredContent>;
  /** Returns whether a row still names the content; otherwise it may be removed. */
  isNamed(on: Pick<Queries, 'read'>, content: StoredContent): Promise<boolean>;
  /** Reads a content. Throws `artifact_store_unavailable`, also when a part is missing. */
  read(content: StoredContent): AsyncIterable<Buffer>;
  /** Returns the id of the store for new content. */
  storeId(): Promise<string>;
  /** Returns whether the store for new content has it completely. */
  has(content: StoredContent): Promise<boolean>;
  /** Writes it to the store for new content, in the same parts; `take` returns the next bytes. */
  write(content: StoredContent, readNext: (bytes: number) => AsyncIterable<Buffer>): Promise<void>;
}

export const ArtifactContents = token<ArtifactContents>('artifacts.Contents');

/** Where rows name the store of a content. */
export const CONTENT_ROWS = { table: 'artifacts_files', column: 'store' } as const;

/**
 * Tables that are not in a backup: uploads that are not artifacts yet, whose senders start over, and caches, which runs
 * make again.
 */
export const TRANSIENT_TABLES: readonly string[] = ['artifacts_uploads', 'artifacts_caches'];
