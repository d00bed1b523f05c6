import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { HttpReply, HttpRequest } from '../../../../kernel/contracts/index.ts';
import { digestHeader } from '../domain/digests.ts';
import { parseRange } from '../domain/ranges.ts';
import type { ArtifactFile } from '../store/file-rows.ts';
import type { ArtifactLibrary } from './library.ts';

/** Bytes buffered for a slow reader. */
const BUFFERED_BYTES = 64 * 1024;
/** A file of a run may be anything, even a page with scripts. It must never run as a page of this service. */
const TYPE = 'application/octet-stream';

/** What the headers of a download mean. */
export const RANGE_HEADERS = {
  Range: '`bytes=<first>-<last>`: one range.',
  'If-Range': 'The `ETag` that the range belongs to.',
} as const;

export const DOWNLOAD_RESPONSES = {
  200: { description: 'The content, with `Repr-Digest` (RFC 9530).', type: TYPE },
  206: { description: 'The requested range.', type: TYPE },
  304: { description: 'The caller already has this content: `If-None-Match` contains its `ETag`.' },
} as const;

const quoted = (name: string) => `"${name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')}"`;
const escaped = (name: string) =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

/** Responds to a download with the whole content, one range of it, or nothing if the caller has it already. */
export async function download(
  library: Pick<ArtifactLibrary, 'read'>,
  file: ArtifactFile,
  { method, headers: request_headers }: Pick<HttpRequest, 'method' | 'headers'>,
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
  if (request_headers['if-none-match']?.split(',').some((tag_listed) => tag_listed.trim() === tag))
    return { status: 304, headers };
  const matches_tag = request_headers['if-range'] === undefined || request_headers['if-range'] === tag;
  const range = matches_tag ? parseRange(request_headers.range, file.size) : undefined;
  const { from, to } = range ?? { from: 0, to: file.size };
  const content_headers = {
    ...headers,
    'Content-Length': String(to - from),
    ...(range ? { 'Content-Range': `bytes ${from}-${to - 1}/${file.size}` } : {}),
  };
  const content = method === 'HEAD' ? Readable.from([]) : await startReading(library.read(file, { from, to }));
  return { status: range ? 206 : 200, stream: content, type: TYPE, headers: content_headers };
}

/** Reads the first bytes before the response begins, so that unreadable content still produces a proper error. */
async function startReading(content: AsyncIterable<Buffer>): Promise<Readable> {
  const source = content[Symbol.asyncIterator]();
  let first_chunk: Promise<IteratorResult<Buffer>> | undefined = Promise.resolve(await source.next());
  // Not a generator, because one that was never started would leave the source open.
  const chunks: AsyncIterableIterator<Buffer> = {
    next: async () => {
      const chunk = first_chunk ?? source.next();
      first_chunk = undefined;
      return chunk;
    },
    return: async () => (await source.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => chunks,
  };
  return Readable.from(chunks, { objectMode: false, highWaterMark: BUFFERED_BYTES });
}
