import { hash } from 'node:crypto';
import { type Client, CliError, Exit, type IncludedFile } from '../../../../../cli/contract.ts';
import { pathOf } from './kinds.ts';
import { inParallel, isRejection } from './live.ts';
import type { Exporting } from './workflow-files.ts';

/** Reads what objects include. A content that several of them include is read once. */
export function exportingFrom(api: Client, note: Exporting['note']): Exporting {
  const read = new Map<string, Buffer>();
  return {
    note,
    async contents(folder, name, files) {
      const digests = [...new Set(files.map(({ digest }) => digest))].filter((digest) => !read.has(digest));
      try {
        await inParallel(digests, async (digest) => {
          const size = files.find((file) => file.digest === digest)!.size;
          read.set(digest, await download(api, { folder, name, digest, size }));
        });
      } catch (error) {
        // A token that may only view, and a content that is gone.
        if (!isRejection(error) || error.code === 'unexpected_answer') throw error;
        note(`the files of ${pathOf({ folder }, name).slice(1)} cannot be read: ${error.message}`);
        return undefined;
      }
      return read;
    },
  };
}

type ContentRequest = Pick<IncludedFile, 'digest' | 'size'> & { folder: string; name: string };

/** Throws `unexpected_answer` for a content that is not what its digest says. */
async function download(api: Client, { folder, name, digest, size }: ContentRequest): Promise<Buffer> {
  const call = { path: api.scoped(`/files/${digest}`), query: { kind: folder, name } };
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of api.chunks(call)) {
    bytes += piece.length;
    if (bytes > size) break;
    pieces.push(piece);
  }
  const data = Buffer.concat(pieces);
  if (bytes === size && `sha256:${hash('sha256', data, 'hex')}` === digest) return data;
  throw new CliError(
    Exit.failed,
    'unexpected_answer',
    `the server sent content with a different digest than ${digest}`,
    'export again; if it happens again, check the server with `svc doctor`',
  );
}
