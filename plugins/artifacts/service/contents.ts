import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { ArtifactContents, StoredContent } from '../contract.ts';
import { partName, partNames } from '../domain/parts.ts';
import { contentsAfter, partsOf } from '../store/file-rows.ts';
import { digestOf, readContent } from './content.ts';
import type { PartStores } from './part-stores.ts';

/** Contents without their runs, for backups. */
export const artifactContents = (stores: () => PartStores): ArtifactContents => ({
  async *list(on) {
    let after = '';
    for (;;) {
      const some = await contentsAfter(on, after);
      if (some.length === 0) return;
      for (const content of some) {
        if (content.blob_id === after) continue;
        after = content.blob_id;
        yield content;
      }
    }
  },
  isNamed: async (on, { blob_id }) => (await partsOf(on, blob_id)) !== undefined,
  read: (content) => readContent(stores(), content, { from: 0, to: content.size }),
  place: async () => (await stores().writing()).id,
  async has(content) {
    const here = { ...content, store: (await stores().writing()).id };
    try {
      return (await digestOf(stores(), here)) === content.digest;
    } catch (error) {
      if (isServiceError(error, 'artifact_store_unavailable')) return false;
      throw error;
    }
  },
  async write({ blob_id, parts }: StoredContent, take) {
    const store = await stores().writing();
    // Of a restore that was killed here, perhaps only a beginning.
    await store.remove(blob_id, partNames(parts));
    for (const [n, [epoch, size]] of parts.entries()) await store.write(blob_id, partName(epoch, n), take(size));
  },
});
