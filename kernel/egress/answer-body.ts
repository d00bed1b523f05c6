import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isServiceError } from '../contracts/index.ts';
import { EgressErrors } from './errors.ts';

/** What is asked for and understood. */
export const ENCODINGS = 'gzip, deflate, br';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const PLAIN = ['', 'identity'];

/**
 * The decoded body. Bytes are counted before and after decompression: a few of them can decode to gigabytes, and
 * endlessly many to none. Throws `egress_failed`; the stream is destroyed then.
 */
export async function readAnswer(
  body: Readable,
  encoding: string,
  { max_bytes, shown }: { max_bytes: number; shown: string },
): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (!PLAIN.includes(name) && !Object.hasOwn(DECODERS, name)) {
    // What a body says on being given up has been answered by then.
    body.on('error', () => undefined).destroy();
    throw EgressErrors.egressFailed(`${shown}: the answer has a Content-Encoding that was not asked for`);
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
    throw EgressErrors.egressFailed(`${shown}: the answer does not decompress by its Content-Encoding`);
  }
  return Buffer.concat(chunks);
}

/** Hands chunks on until there are too many bytes of them. */
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
