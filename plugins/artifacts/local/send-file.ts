import type { FileContent } from './walk.ts';

/** Larger files are asked for before they are sent: an earlier call may have stored a part. */
const ASK_BYTES = 8 * 1024 * 1024;

/** The server, for one file. */
export interface FileServer<T> {
  /** How much of the file is stored. */
  offset(): Promise<number>;
  /** Sends the bytes from `from` on. Answers the result, or how much is stored when something is missing. */
  send(from: number): Promise<{ done: T } | { offset: number }>;
  /** Whether another try makes sense after so many failures in a row without a byte of progress. */
  again(error: unknown, failures: number): boolean;
  /** Waits before the next try. */
  pause(failures: number): Promise<void>;
}

/** The headers of a request that brings a file from `from` on; at its end there is nothing left to bring. */
export function uploadHeaders(
  { size, digest }: Pick<FileContent, 'size' | 'digest'>,
  from: number,
): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    'content-length': String(size - from),
    'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
    ...(from === 0 ? {} : { 'content-range': `bytes ${from === size ? '*' : `${from}-${size - 1}`}/${size}` }),
  };
}

/** Sends a file, and goes on where the stored part ends when the connection breaks. */
export async function sendFile<T>({ size }: Pick<FileContent, 'size'>, server: FileServer<T>): Promise<T> {
  let from = 0;
  let best = 0;
  for (let failures = 0; ; ) {
    try {
      if (failures > 0 || size > ASK_BYTES) from = Math.min(await server.offset(), size);
      if (from > best) failures = 0;
      best = Math.max(best, from);
      const answer = await server.send(from);
      if ('done' in answer) return answer.done;
      from = answer.offset;
    } catch (error) {
      failures += 1;
      if (!server.again(error, failures)) throw error;
      await server.pause(failures);
    }
  }
}
