import type { FileContent } from './walk.ts';

/**
 * The server is asked for the offset of larger files before they are sent, because an earlier call may have stored a
 * part.
 */
const MIN_RESUMABLE_BYTES = 8 * 1024 * 1024;

/** The server, for one file. */
export interface FileServer<T> {
  /** Returns how much of the file is stored. */
  offset(): Promise<number>;
  /** Sends the bytes from `from` on. Returns the result, or how much is stored if something is missing. */
  send(from: number): Promise<{ done: T } | { offset: number }>;
  /** Returns whether to retry after this many failures in a row without a byte of progress. */
  shouldRetry(error: unknown, failures: number): boolean;
  /** Waits before the next attempt. */
  pause(failures: number): Promise<void>;
}

/** Returns the headers of a request that uploads a file from `from` on; at its end there is nothing left to send. */
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

/** Sends a file, and continues where the stored part ends if the connection breaks. */
export async function sendFile<T>({ size }: Pick<FileContent, 'size'>, server: FileServer<T>): Promise<T> {
  let from = 0;
  let best = 0;
  for (let failures = 0; ; ) {
    try {
      if (failures > 0 || size > MIN_RESUMABLE_BYTES) from = Math.min(await server.offset(), size);
      if (from > best) failures = 0;
      best = Math.max(best, from);
      const result = await server.send(from);
      if ('done' in result) return result.done;
      from = result.offset;
    } catch (error) {
      failures += 1;
      if (!server.shouldRetry(error, failures)) throw error;
      await server.pause(failures);
    }
  }
}
