/**
 * Where contents are stored: the local disk or a bucket. A content (`blob_id`) has named parts; each has at most
 * `PART_BYTES`, is written once and never changes.
 */
export interface PartStore {
  /** Identifies the store. Rows name it, so that a server without access to it never responds with other bytes. */
  readonly id: string;
  /**
   * Stores a part durably or not at all, and returns its size. Throws `artifact_store_full`,
   * `artifact_store_unavailable`.
   */
  write(blob_id: string, name: string, content: AsyncIterable<Buffer>): Promise<number>;
  /**
   * Reads a part from `from` up to, but not including, `to`. Throws `artifact_store_unavailable`, also when the part
   * is missing.
   */
  read(blob_id: string, name: string, from: number, to: number): AsyncIterable<Buffer>;
  /** Removes parts; missing ones count as removed. */
  remove(blob_id: string, names: readonly string[]): Promise<void>;
}
