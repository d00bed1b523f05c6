import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { type IncludedFile, MAX_INCLUDED_BYTES, MAX_INCLUDED_FILES } from '../../../engine/runs/contract.ts';
import { openWithin, OutsideFault } from '../contract/workflow-root.ts';
import { includeInvalid, includeMissing, includeOutside } from '../errors.ts';
import { findIncluded, type IncludeCandidate, type IncludeRequest } from './collect.ts';
import { tooLarge, tooManyFiles } from './too-large.ts';

/** The files included with a script, and their contents by digest. */
export interface Included {
  files: IncludedFile[];
  contents: Map<string, Buffer>;
  /** Says which private files in included folders were left out; undefined if there are none. */
  note: string | undefined;
}

/** How many files a note names. */
const MAX_NAMED = 5;

function noteLeftOut(left_out: readonly string[]): string | undefined {
  if (left_out.length === 0) return undefined;
  const more = left_out.length > MAX_NAMED ? `; and ${left_out.length - MAX_NAMED} more` : '';
  return `not included: ${left_out.slice(0, MAX_NAMED).join('; ')}${more}`;
}

/** Finds and reads what a script includes. Throws like `findIncluded`. */
export async function readIncluded(request: IncludeRequest): Promise<Included> {
  const { root } = request;
  const { candidates, left_out } = await findIncluded(request);
  if (candidates.length > MAX_INCLUDED_FILES) throw tooManyFiles(candidates.map(({ path }) => path));
  const size = candidates.reduce((sum, file) => sum + file.size, 0);
  if (size > MAX_INCLUDED_BYTES) throw tooLarge(size, candidates);
  const files: IncludedFile[] = [];
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  for (const file of candidates) {
    const data = await read(file, (flags) =>
      request.disk_view ? request.disk_view.open(file.real_path, flags) : openWithin(root, file.real_path, file.path),
    );
    const digest = `sha256:${hash('sha256', data, 'hex')}`;
    contents.set(digest, data);
    files.push({ path: file.path, digest, size: data.length, ...(file.executable && { executable: true }) });
    // It may have grown since it was found.
    bytes += data.length;
    if (bytes > MAX_INCLUDED_BYTES) throw tooLarge(bytes, files);
  }
  return { files, contents, note: noteLeftOut(left_out) };
}

/** Opens nothing but a regular file for long, because a pipe in its place would block the reader. */
async function read({ path }: IncludeCandidate, open: (flags: number) => Promise<FileHandle>): Promise<Buffer> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(flags).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof OutsideFault) throw includeOutside(error.message);
    throw includeMissing(`${path} cannot be read: ${error.message}`);
  });
  try {
    if (!(await file.stat()).isFile()) throw includeInvalid(`${path} is not a regular file`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_INCLUDED_BYTES) throw tooLarge(size, [{ path, size }]);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}
