/**
 * Where contents are stored: the local disk, or a bucket. A content (`blob_id`) has parts with names; each is at most
 * `PART_BYTES`, is written once and never changes.
 */
export interface PartStore {
  /** Identifies the place. Rows name it, so that a server without this place never answers with other bytes. */
  readonly id: string;
  /**
   * Stores a part durably, or nothing. Answers its bytes. Throws `artifact_store_full`, `artifact_store_unavailable`.
   */
  write(blob_id: string, name: string, content: AsyncIterable<Buffer>): Promise<number>;
  /** Bytes `from` to `to` (without `to`) of a part. Throws `artifact_store_unavailable`, also when the part is missing. */
  read(blob_id: string, name: string, from: number, to: number): AsyncIterable<Buffer>;
  /** Removes parts; those that are not there are removed already. */
  remove(blob_id: string, names: readonly string[]): Promise<void>;
}
