import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hash } from 'node:crypto';
import { type IncludedFile, MAX_INCLUDED_BYTES, MAX_INCLUDED_FILES } from '../../runs/contract.ts';
import { openWithin, OutsideFault, rootOf } from '../contract/workflow-root.ts';
import { includeInvalid, includeMissing, includeOutside } from '../errors.ts';
import { findIncluded, type FoundFile, type Wanted } from './collect.ts';
import { tooLarge, tooMany } from './too-large.ts';

/** The files beside a script, and their contents by digest. */
export interface Included {
  files: IncludedFile[];
  contents: Map<string, Buffer>;
}

/** Finds and reads what a script includes. Throws as `findIncluded` does. */
export async function readIncluded(wanted: Wanted): Promise<Included> {
  const root = wanted.root ?? (await rootOf(resolve(wanted.cwd, wanted.script)));
  const found = await findIncluded({ ...wanted, root });
  if (found.length > MAX_INCLUDED_FILES) throw tooMany(found.map(({ path }) => path));
  const size = found.reduce((sum, file) => sum + file.size, 0);
  if (size > MAX_INCLUDED_BYTES) throw tooLarge(size, found);
  const files: IncludedFile[] = [];
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  for (const file of found) {
    const data = await read(file, (flags) =>
      wanted.room ? wanted.room.open(file.place, flags) : openWithin(root, file.place, file.path),
    );
    const digest = `sha256:${hash('sha256', data, 'hex')}`;
    contents.set(digest, data);
    files.push({ path: file.path, digest, size: data.length, ...(file.executable && { executable: true }) });
    // It may have grown since it was found.
    bytes += data.length;
    if (bytes > MAX_INCLUDED_BYTES) throw tooLarge(bytes, files);
  }
  return { files, contents };
}

/** Nothing but a regular file is opened for long: a pipe in its place would hold the reader up. */
async function read({ path }: FoundFile, open: (flags: number) => Promise<FileHandle>): Promise<Buffer> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(flags).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof OutsideFault) throw includeOutside(error.message);
    throw includeMissing(`${path} cannot be read: ${error.message}`);
  });
  try {
    if (!(await file.stat()).isFile()) throw includeInvalid(`${path} is no regular file`);
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
