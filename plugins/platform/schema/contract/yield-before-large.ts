import { yieldToEventLoop } from '../../../../kernel/contracts/index.ts';

/** Documents of at least this size are parsed one in each turn of the event loop. */
const LARGE_BYTES = 64 * 1024;

let last: Promise<void> = Promise.resolve();

/** Call it before parsing a document, so that large documents that arrive together do not block the event loop. */
export function yieldBeforeLarge(bytes: number): Promise<void> | undefined {
  if (bytes <= LARGE_BYTES) return undefined;
  return yieldBeforePiece();
}

/**
 * Call it before each piece of long work. A turn of the event loop runs one such piece, no matter how many requests have long
 * work at the same time.
 */
export function yieldBeforePiece(): Promise<void> {
  last = last.then(yieldToEventLoop);
  return last;
}

/** Runs `work` in pieces, one in each turn of the event loop, until it returns a result. */
export async function runInPieces<T>(work: () => T | undefined): Promise<T> {
  let result = work();
  while (result === undefined) {
    await yieldBeforePiece();
    result = work();
  }
  return result;
}
