import { createHash } from 'node:crypto';
import { type Part, sliceParts, totalBytes } from '../domain/parts.ts';
import type { ByteRange } from '../domain/ranges.ts';
import type { PartStores } from './part-stores.ts';

/** Content that is stored entirely or in part. */
interface StoredParts {
  blob_id: string;
  store: string;
  parts: readonly Part[];
}

/** Reads the bytes of a range while they are iterated over. */
export async function* readContent(
  stores: PartStores,
  content: StoredParts,
  range: ByteRange,
): AsyncGenerator<Buffer, void> {
  const store = await stores.get(content.store);
  for (const { name, from, to } of sliceParts(content.parts, range)) yield* store.read(content.blob_id, name, from, to);
}

/** Returns the SHA-256 in hex of what is stored. */
export async function computeDigest(stores: PartStores, content: StoredParts): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readContent(stores, content, { from: 0, to: totalBytes(content.parts) }))
    hash.update(chunk);
  return hash.digest('hex');
}
