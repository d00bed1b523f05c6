import { createHash } from 'node:crypto';
import { type Part, piecesOf, sizeOf } from '../domain/parts.ts';
import type { ByteRange } from '../domain/ranges.ts';
import type { PartStores } from './part-stores.ts';

/** Content that is stored whole or in part. */
interface Stored {
  blob_id: string;
  store: string;
  parts: readonly Part[];
}

/** The bytes of a range, read as they are iterated over. */
export async function* readContent(
  stores: PartStores,
  content: Stored,
  range: ByteRange,
): AsyncGenerator<Buffer, void> {
  const store = await stores.get(content.store);
  for (const { name, from, to } of piecesOf(content.parts, range)) yield* store.read(content.blob_id, name, from, to);
}

/** SHA-256 in hex of what is stored. */
export async function digestOf(stores: PartStores, content: Stored): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readContent(stores, content, { from: 0, to: sizeOf(content.parts) })) hash.update(chunk);
  return hash.digest('hex');
}
