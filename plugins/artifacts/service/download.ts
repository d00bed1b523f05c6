import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { HttpReply, HttpRequest } from '../../../kernel/contracts/index.ts';
import { digestHeader } from '../domain/digests.ts';
import { readRange } from '../domain/ranges.ts';
import type { ArtifactFile } from '../store/file-rows.ts';
import type { Library } from './library.ts';

/** Bytes that may wait for a slow reader. */
const BUFFERED_BYTES = 64 * 1024;
/** A file of a run may be anything, also a page with scripts; it must never run as a page of this service. */
const TYPE = 'application/octet-stream';

const quoted = (name: string) => `"${name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')}"`;
const escaped = (name: string) =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

/** The answer to a download: whole, one range of it, or nothing when the caller has it already. */
export async function download(
  library: Pick<Library, 'read'>,
  file: ArtifactFile,
  { method, headers: asked }: Pick<HttpRequest, 'method' | 'headers'>,
): Promise<HttpReply> {
  const tag = `"sha256-${file.digest}"`;
  const name = basename(file.path);
  const headers = {
    ETag: tag,
    'Accept-Ranges': 'bytes',
    'Repr-Digest': digestHeader(file.digest),
    'Content-Disposition': `attachment; filename=${quoted(name)}; filename*=UTF-8''${escaped(name)}`,
    'Content-Security-Policy': "sandbox; default-src 'none'",
  };
  if (asked['if-none-match']?.split(',').some((one) => one.trim() === tag)) return { status: 304, headers };
  const same = asked['if-range'] === undefined || asked['if-range'] === tag;
  const range = same ? readRange(asked.range, file.size) : undefined;
  const { from, to } = range ?? { from: 0, to: file.size };
  const sized = {
    ...headers,
    'Content-Length': String(to - from),
    ...(range ? { 'Content-Range': `bytes ${from}-${to - 1}/${file.size}` } : {}),
  };
  const content = method === 'HEAD' ? Readable.from([]) : await started(library.read(file, { from, to }));
  return { status: range ? 206 : 200, stream: content, type: TYPE, headers: sized };
}

/** The first bytes are read before the answer begins: what cannot be read at all is still an error of its own. */
async function started(content: AsyncIterable<Buffer>): Promise<Readable> {
  const source = content[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<Buffer>> | undefined = Promise.resolve(await source.next());
  // Not a generator: one that was never begun would leave the source open.
  const rest: AsyncIterableIterator<Buffer> = {
    next: async () => {
      const chunk = first ?? source.next();
      first = undefined;
      return chunk;
    },
    return: async () => (await source.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => rest,
  };
  return Readable.from(rest, { objectMode: false, highWaterMark: BUFFERED_BYTES });
}
