import type { FileContent, FileSender, FileWork } from '../../agents/contract.ts';
import type { RunGuard } from '../../../engine/runs/contract.ts';
import type { Caches } from '../service/caches.ts';
import type { ArtifactLibrary } from '../service/library.ts';
import type { Delivery } from '../service/receive.ts';
import { artifactChanged, LIST_LIMIT, orUndefined, receiveListed, toStoredCache, toStoredFile } from './listed.ts';

/** Stores and fetches files for an agent in the process of its server, without a wire. */
export const inProcessSender = (
  library: () => ArtifactLibrary,
  caches: () => Caches,
  guard: () => RunGuard,
): FileSender => ({
  files: (work) => ({
    async put(path, content) {
      const stored = await library().store(await toDelivery(guard(), work, path, content));
      if ('stored' in stored) throw incomplete(path);
      const { created_at: _, ...file } = stored.file;
      return file;
    },
    async stage(path, content) {
      const staged = await library().stage(await toDelivery(guard(), work, path, content));
      if ('stored' in staged) throw incomplete(path);
      return { ...staged.file, upload_id: staged.upload_id };
    },
    async list(prefix, cursor) {
      const scope = await readScope(guard(), library(), work);
      const page = { limit: LIST_LIMIT, cursor, prefix: prefix === '' ? undefined : prefix };
      const { items, next_cursor } = await library().list(scope, page);
      return { files: items.map(toStoredFile), next_cursor };
    },
    async fetch(file, target) {
      const scope = await readScope(guard(), library(), work);
      const { content, digest } = await library().open(scope, file.path);
      if (digest !== file.digest) throw artifactChanged(file.path);
      await receiveListed(target, file, async () => untilAborted(content, work.signal));
    },
    async findCache(key, prefix) {
      const scope = await readScope(guard(), library(), work);
      return orUndefined(async () => toStoredCache(await caches().find(scope, key, { prefix })));
    },
    async fetchCache(cache, target) {
      const scope = await readScope(guard(), library(), work);
      const row = await caches().find(scope, cache.key, { prefix: false });
      const content = library().read({ ...row, path: cache.key, activity_id: null, position: null }, fullRange(row));
      await receiveListed(target, { ...cache, path: cache.key }, async () => untilAborted(content, work.signal));
    },
    saveCache: async (key, upload_id) =>
      caches().save({ ...(await guard().runOf(work.claim.activity_id)), claim: work.claim }, key, upload_id),
  }),
});

const fullRange = ({ size }: { size: number }) => ({ from: 0, to: size });

async function readScope(guard: RunGuard, library: ArtifactLibrary, { claim }: FileWork) {
  const scope = { ...(await guard.runOf(claim.activity_id)), claim };
  await library.assertClaim(scope);
  return scope;
}

/** The file became shorter while it was read. */
const incomplete = (path: string) => new Error(`the content of ${path} is shorter than its declared size`);

async function toDelivery(guard: RunGuard, work: FileWork, path: string, content: FileContent): Promise<Delivery> {
  const { claim, signal } = work;
  return {
    scope: { ...(await guard.runOf(claim.activity_id)), claim },
    path,
    activity_id: claim.activity_id,
    offset: 0,
    content: untilAborted('stream' in content ? content.stream : content.read(0), signal),
    expected: 'stream' in content ? undefined : { digest: content.digest, size: content.size },
  };
}

async function* untilAborted(content: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  for await (const chunk of content) {
    signal.throwIfAborted();
    yield chunk;
  }
}
