import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { ArtifactContents, StoredContent } from '../contract.ts';
import { partName, partNames } from '../domain/parts.ts';
import { listContentsAfter, readParts } from '../store/file-rows.ts';
import { computeDigest, readContent } from './content.ts';
import type { PartStores } from './part-stores.ts';

/** Contents without their runs, for backups. */
export const artifactContents = (stores: () => PartStores): ArtifactContents => ({
  async *list(on) {
    let after = '';
    for (;;) {
      const page = await listContentsAfter(on, after);
      if (page.length === 0) return;
      for (const content of page) {
        if (content.blob_id === after) continue;
        after = content.blob_id;
        yield content;
      }
    }
  },
  isNamed: async (on, { blob_id }) => (await readParts(on, blob_id)) !== undefined,
  read: (content) => readContent(stores(), content, { from: 0, to: content.size }),
  storeId: async () => (await stores().mainStore()).id,
  async has(content) {
    const in_store = { ...content, store: (await stores().mainStore()).id };
    try {
      return (await computeDigest(stores(), in_store)) === content.digest;
    } catch (error) {
      if (isServiceError(error, 'artifact_store_unavailable')) return false;
      throw error;
    }
  },
  async write({ blob_id, parts }: StoredContent, readNext) {
    const store = await stores().mainStore();
    // A restore that was killed here may have left the first parts.
    await store.remove(blob_id, partNames(parts));
    for (const [n, [epoch, size]] of parts.entries()) await store.write(blob_id, partName(epoch, n), readNext(size));
  },
});
