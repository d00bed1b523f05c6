import type { ClaimRef } from '../../../engine/runs/contract.ts';

/** A content, identified by its digest. */
export interface ContentRef {
  /** Such as `sha256:<hex>`. */
  digest: string;
  /** Size in bytes. */
  size: number;
}

/** Reads and uploads the contents of included files under an activity's claim. */
export interface ActivityContents {
  /** Reads a content that the run has. Throws `include_not_stored` and `lease_lost`. */
  read(content: ContentRef): Promise<Buffer>;
  /** Uploads a content for runs that this one starts. Throws the server's rejections. */
  upload(content: ContentRef, data: Buffer): Promise<void>;
}

/** The activity that reads and uploads contents. */
export interface ContentWork {
  claim: ClaimRef;
  /** Aborts when the claim is lost or the work is stopped. */
  signal: AbortSignal;
  /** The agent's private folder, where contents may be cached for later passes. */
  runtime_dir: string;
}

/** Transfers contents between the server and an agent. The plugin `files` contributes it. */
export interface ContentTransfer {
  contents(work: ContentWork): ActivityContents;
}
