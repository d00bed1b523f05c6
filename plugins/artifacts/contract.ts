import { type Queries, token, type Transaction } from '../../kernel/contracts/index.ts';
import type { AuditSource } from '../audit/contract.ts';
import type { ClaimRef } from '../runs/contract.ts';

/** An artifact: a file that belongs to a run. */
export interface StoredArtifact {
  /** Names with `/` between them; compared byte by byte. */
  path: string;
  /** Bytes. */
  size: number;
  /** `sha256:<hex>`. */
  digest: string;
}

export interface ArtifactScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** Who stores an artifact. */
export interface ArtifactWriter {
  /** The claim of the activity for which it is stored. A lost one is refused with `lease_lost`, before and after. */
  claim?: ClaimRef;
  /** The person who asked for it, for the audit entry. */
  by?: AuditSource;
}

/** Artifacts for server code of other plugins. Agents use `ActivityHost.files`. */
/** What has put an artifact into a run. */
export interface ArtifactMaker {
  activity_id: string;
  /** Of the call of a script. */
  position: number | null;
}

export interface Artifacts {
  /**
   * Stores a stream as an artifact; one of that path is replaced. It exists when this resolves and not before, and is
   * never whole in memory. Throws `invalid_request` for a path that cannot be one, `payload_too_large`, `artifacts_full`,
   * `artifact_store_full`, `artifact_store_unavailable`, `not_found`, `lease_lost`, and whatever the stream throws; then
   * nothing is stored.
   */
  put(
    scope: ArtifactScope,
    path: string,
    content: AsyncIterable<Buffer>,
    writer?: ArtifactWriter,
  ): Promise<StoredArtifact>;
  /** Throws `not_found`. The content is read as it is iterated over. */
  open(scope: ArtifactScope, path: string): Promise<StoredArtifact & { content: AsyncIterable<Buffer> }>;
  /**
   * Gives the artifacts of activities of a run to another run, in the transaction that creates it as a rerun; the
   * contents are shared. `keeps` decides of at most 128 at once by activity, and by the position of the call that put it:
   * one answer for each, in order. The row of the first run must be locked.
   */
  copy(
    tx: Transaction,
    from: ArtifactScope,
    to: ArtifactScope,
    keeps: (makers: readonly ArtifactMaker[]) => Promise<readonly ({ activity_id: string } | undefined)[]>,
  ): Promise<void>;
}

export const Artifacts = token<Artifacts>('artifacts.Artifacts');

/** A content and its parts, as rows name them; several artifacts may share one. */
export interface StoredContent {
  blob_id: string;
  /** The place where it is. */
  store: string;
  parts: readonly (readonly [epoch: number, size: number])[];
  size: number;
  /** SHA-256 in hex. */
  digest: string;
}

/** The contents themselves, for those who copy a whole database: without runs, roles and rows. */
export interface ArtifactContents {
  /** Every content of a database once. */
  list(on: Pick<Queries, 'read'>): AsyncIterable<StoredContent>;
  /** Does a row still name it? What is deleted may be gone. */
  isNamed(on: Pick<Queries, 'read'>, content: StoredContent): Promise<boolean>;
  /** Throws `artifact_store_unavailable`, also when a part is gone. */
  read(content: StoredContent): AsyncIterable<Buffer>;
  /** The id of the store for new content. */
  place(): Promise<string>;
  /** Is it there whole, in the store for new content? */
  has(content: StoredContent): Promise<boolean>;
  /** Stores it there in the same parts; `take` gives the next bytes. */
  write(content: StoredContent, take: (bytes: number) => AsyncIterable<Buffer>): Promise<void>;
}

export const ArtifactContents = token<ArtifactContents>('artifacts.Contents');

/** Where rows name the store of a content. */
export const CONTENT_ROWS = { table: 'artifacts_files', column: 'store' } as const;

/** Uploads that are not artifacts yet: whoever sends them begins again. */
export const UPLOAD_ROWS = 'artifacts_uploads';
