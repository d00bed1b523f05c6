import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isServiceError } from '../../kernel/contracts/index.ts';
import { EgressErrors } from './errors.ts';

/** The content encodings that are requested and decoded. */
export const ENCODINGS = 'gzip, deflate, br';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const PLAIN = ['', 'identity'];

export interface AnswerLimits {
  max_bytes: number;
  /** A body over the limit is cut instead of refused. */
  may_cut: boolean;
  /** Takes a body over the limit whole, instead. */
  spill?: ((content: AsyncIterable<Buffer>) => Promise<void>) | undefined;
  /** How many times as long as its compressed bytes a body that is handed on may be. */
  ratio: number;
  shown: string;
}

/** Bytes on the way that nobody keeps: those of a compressed body that is handed on. */
const MAX_PACKED_BYTES = 16 * 1024 ** 3;

/**
 * Returns the decoded body. Counts bytes before and after decompression: a few bytes can decode to gigabytes, and very
 * many to none. Throws `egress_failed`, `answer_ratio_exceeded`; the stream is destroyed then.
 */
export async function readAnswer(
  body: Readable,
  encoding: string,
  { max_bytes, may_cut, spill, ratio, shown }: AnswerLimits,
): Promise<{ body: Buffer; cut?: true }> {
  const name = encoding.trim().toLowerCase();
  if (!PLAIN.includes(name) && !Object.hasOwn(DECODERS, name)) {
    // The error of a destroyed body is expected here and already reported.
    body.on('error', () => undefined).destroy();
    throw EgressErrors.egressFailed(`${shown}: the answer has a Content-Encoding that was not requested`);
  }
  const decoder = PLAIN.includes(name) ? undefined : DECODERS[name]!();
  const chunks: Buffer[] = [];
  let full: Error | undefined;
  const refuse = () => (full = EgressErrors.egressFailed(`${shown}: the answer has more than ${max_bytes} bytes`));
  let arrived = 0;
  const packed = counted(spill ? MAX_PACKED_BYTES : max_bytes, refuse, (bytes) => (arrived += bytes));
  const inflated = () =>
    EgressErrors.answerRatioExceeded(
      `${shown}: the answer becomes more than ${ratio} times as long as what was sent (SVC_DECOMPRESSION_RATIO)`,
    );
  const keep = async (source: AsyncIterable<Buffer>) => {
    const usual = (size: number) => decoder === undefined || size <= max_bytes || size <= arrived * ratio;
    if (spill) return keepOrSpill(checked(source, usual, inflated), chunks, max_bytes, spill);
    for await (const chunk of counted(max_bytes, refuse)(source)) chunks.push(chunk);
    return false;
  };
  let spilled = false;
  const kept = async (source: AsyncIterable<Buffer>) => {
    spilled = await keep(source);
  };
  try {
    if (decoder) await pipeline(body, packed, decoder, kept);
    else await pipeline(body, packed, kept);
  } catch (error) {
    if (full !== undefined && may_cut) return { body: Buffer.concat(chunks).subarray(0, max_bytes), cut: true };
    if (decoder === undefined || isServiceError(error) || decoder.errored !== error) throw error;
    throw EgressErrors.egressFailed(`${shown}: the answer cannot be decompressed by its Content-Encoding`);
  }
  return spilled ? { body: Buffer.alloc(0), cut: true } : { body: Buffer.concat(chunks) };
}

/** True when the body was larger than the limit, and all of it went to `spill`. */
async function keepOrSpill(
  source: AsyncIterable<Buffer>,
  chunks: Buffer[],
  max_bytes: number,
  spill: (content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<boolean> {
  const rest = source[Symbol.asyncIterator]();
  let size = 0;
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size <= max_bytes) continue;
    await spill(whole(chunks.splice(0), rest));
    return true;
  }
  return false;
}

/** The beginning that was read, and what follows it. */
async function* whole(begun: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  yield* begun;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Passes chunks on while their total size is usual, and throws before one with which it is not. */
async function* checked(
  source: AsyncIterable<Buffer>,
  usual: (size: number) => boolean,
  refusal: () => Error,
): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (!usual(size)) throw refusal();
    yield chunk;
  }
}

/** Passes chunks on until their total size is over the limit, and then throws. */
function counted(most: number, full: () => Error, passed: (bytes: number) => void = () => undefined) {
  return async function* count(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      passed(chunk.length);
      if (size > most) {
        yield chunk.subarray(0, chunk.length - (size - most));
        throw full();
      }
      yield chunk;
    }
  };
}
