import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { BytePieces, isServiceError } from '../../../kernel/contracts/index.ts';
import { EgressErrors } from './errors.ts';

/** The content encodings that are requested and decoded. */
export const ENCODINGS = 'gzip, deflate, br';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const NO_ENCODING = ['', 'identity'];

export interface AnswerLimits {
  max_bytes: number;
  /** Truncates a body above the limit instead of failing. */
  may_truncate: boolean;
  /** Consumes the whole of a body above the limit instead. */
  spill?: ((content: AsyncIterable<Buffer>) => Promise<void>) | undefined;
  /** How many times as long as its compressed bytes a spilled body may be. */
  ratio: number;
  redacted_url: string;
}

/** The limit of the compressed bytes of a spilled body, which are not kept in memory. */
const MAX_COMPRESSED_BYTES = 16 * 1024 ** 3;

/**
 * Reads and decodes a body. It counts bytes before and after decompression, because a few bytes can decode to gigabytes, and
 * gigabytes to none. Throws `egress_failed` or `answer_ratio_exceeded`, and destroys the stream then.
 */
export async function readAnswer(
  body: Readable,
  encoding: string,
  { max_bytes, may_truncate, spill, ratio, redacted_url }: AnswerLimits,
): Promise<{ body: Buffer; truncated?: true }> {
  const name = encoding.trim().toLowerCase();
  if (!NO_ENCODING.includes(name) && !Object.hasOwn(DECODERS, name)) {
    // A destroyed body emits an error, which is expected here.
    body.on('error', () => undefined).destroy();
    throw EgressErrors.egressFailed(`${redacted_url}: the response has a Content-Encoding that was not requested`);
  }
  const decoder = NO_ENCODING.includes(name) ? undefined : DECODERS[name]!();
  const pieces = new BytePieces();
  let limit_error: Error | undefined;
  const limitReached = () =>
    (limit_error = EgressErrors.egressFailed(`${redacted_url}: the response has more than ${max_bytes} bytes`));
  let received = 0;
  const counted_body = limitBytes(
    spill ? MAX_COMPRESSED_BYTES : max_bytes,
    limitReached,
    (bytes) => (received += bytes),
  );
  const ratioExceeded = () =>
    EgressErrors.answerRatioExceeded(
      `${redacted_url}: the response decompresses to more than ${ratio} times its size (SVC_DECOMPRESSION_RATIO)`,
    );
  const readBody = async (source: AsyncIterable<Buffer>) => {
    const isAcceptable = (size: number) => decoder === undefined || size <= max_bytes || size <= received * ratio;
    if (spill) return bufferOrSpill(limitRatio(source, isAcceptable, ratioExceeded), pieces, max_bytes, spill);
    for await (const chunk of limitBytes(max_bytes, limitReached)(source)) pieces.add(chunk);
    return false;
  };
  let spilled = false;
  const consumeBody = async (source: AsyncIterable<Buffer>) => {
    spilled = await readBody(source);
  };
  try {
    if (decoder) await pipeline(body, counted_body, decoder, consumeBody);
    else await pipeline(body, counted_body, consumeBody);
  } catch (error) {
    if (limit_error !== undefined && may_truncate)
      return { body: pieces.concat().subarray(0, max_bytes), truncated: true };
    if (decoder === undefined || isServiceError(error) || decoder.errored !== error) throw error;
    throw EgressErrors.egressFailed(
      `${redacted_url}: the response cannot be decompressed according to its Content-Encoding`,
    );
  }
  return spilled ? { body: Buffer.alloc(0), truncated: true } : { body: pieces.concat() };
}

/** Collects a body into `pieces`, or passes all of it to `spill` when it is above the limit. Returns true if it spilled. */
async function bufferOrSpill(
  source: AsyncIterable<Buffer>,
  pieces: BytePieces,
  max_bytes: number,
  spill: (content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<boolean> {
  const rest = source[Symbol.asyncIterator]();
  let size = 0;
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    pieces.add(next.value);
    size += next.value.length;
    if (size <= max_bytes) continue;
    const buffered = pieces.concat();
    pieces.clear();
    await spill(concatenate(buffered, rest));
    return true;
  }
  return false;
}

/** Yields the chunks that were read already, and then the rest. */
async function* concatenate(buffered: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  yield buffered;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Passes chunks on while `usual` accepts their total size, and throws before the chunk with which it does not. */
async function* limitRatio(
  source: AsyncIterable<Buffer>,
  isAcceptable: (size: number) => boolean,
  ratioError: () => Error,
): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (!isAcceptable(size)) throw ratioError();
    yield chunk;
  }
}

/** Passes chunks on until their total size exceeds the limit, and then throws. */
function limitBytes(max_bytes: number, full: () => Error, passed: (bytes: number) => void = () => undefined) {
  return async function* count(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      passed(chunk.length);
      if (size > max_bytes) {
        yield chunk.subarray(0, chunk.length - (size - max_bytes));
        throw full();
      }
      yield chunk;
    }
  };
}
