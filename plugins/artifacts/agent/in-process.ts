import type { FileContent, FileSender, FileWork } from '../../agents/contract.ts';
import type { RunGuard } from '../../runs/contract.ts';
import type { Library } from '../service/library.ts';
import type { Delivery } from '../service/receive.ts';

/** For an agent in the process of its server: the same store without a wire. */
export const inProcessSender = (library: () => Library, guard: () => RunGuard): FileSender => ({
  files: (work) => ({
    async put(path, content) {
      const stored = await library().store(await deliveryOf(guard(), work, path, content));
      if ('stored' in stored) throw incomplete(path);
      const { created_at: _, ...file } = stored.file;
      return file;
    },
    async stage(path, content) {
      const staged = await library().stage(await deliveryOf(guard(), work, path, content));
      if ('stored' in staged) throw incomplete(path);
      return { ...staged.file, upload_id: staged.upload_id };
    },
  }),
});

/** It became shorter while it was read. */
const incomplete = (path: string) => new Error(`the content of ${path} ended before its size`);

async function deliveryOf(guard: RunGuard, work: FileWork, path: string, content: FileContent): Promise<Delivery> {
  const { claim, signal } = work;
  const place = { ...(await guard.runOf(claim.activity_id)), claim };
  const given = { place, path, activity_id: claim.activity_id, from: 0 };
  if ('stream' in content) return { ...given, content: until(content.stream, signal), expected: undefined };
  const { digest, size } = content;
  return { ...given, content: until(content.read(0), signal), expected: { digest, size } };
}

async function* until(content: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  for await (const chunk of content) {
    signal.throwIfAborted();
    yield chunk;
  }
}
