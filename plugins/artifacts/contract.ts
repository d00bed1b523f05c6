import { token, type Transaction } from '../../kernel/contracts/index.ts';
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
