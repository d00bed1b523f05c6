import type { FileContent, FileSender, FileWork } from '../../agents/contract.ts';
import type { RunGuard } from '../../../engine/runs/contract.ts';
import type { ArtifactLibrary } from '../service/library.ts';
import type { Delivery } from '../service/receive.ts';

/** Stores files for an agent in the process of its server, without a wire. */
export const inProcessSender = (library: () => ArtifactLibrary, guard: () => RunGuard): FileSender => ({
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
  }),
});

/** The file became shorter while it was read. */
const incomplete = (path: string) => new Error(`the content of ${path} ended before its declared size`);

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
