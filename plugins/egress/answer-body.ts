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

/**
 * Returns the decoded body. Counts bytes before and after decompression: a few bytes can decode to gigabytes, and very
 * many to none. Throws `egress_failed`; the stream is destroyed then.
 */
export async function readAnswer(
  body: Readable,
  encoding: string,
  { max_bytes, shown }: { max_bytes: number; shown: string },
): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (!PLAIN.includes(name) && !Object.hasOwn(DECODERS, name)) {
    // The error of a destroyed body is expected here and already reported.
    body.on('error', () => undefined).destroy();
    throw EgressErrors.egressFailed(`${shown}: the answer has a Content-Encoding that was not requested`);
  }
  const decoder = PLAIN.includes(name) ? undefined : DECODERS[name]!();
  const chunks: Buffer[] = [];
  const bounded = () => counted(max_bytes, shown);
  const keep = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) chunks.push(chunk);
  };
  try {
    if (decoder) await pipeline(body, bounded(), decoder, bounded(), keep);
    else await pipeline(body, bounded(), keep);
  } catch (error) {
    if (decoder === undefined || isServiceError(error) || decoder.errored !== error) throw error;
    throw EgressErrors.egressFailed(`${shown}: the answer cannot be decompressed by its Content-Encoding`);
  }
  return Buffer.concat(chunks);
}

/** Passes chunks on until their total size is over the limit. */
function counted(most: number, shown: string) {
  return async function* count(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > most) throw EgressErrors.egressFailed(`${shown}: the answer has more than ${most} bytes`);
      yield chunk;
    }
  };
}
