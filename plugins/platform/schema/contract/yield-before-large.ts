import { yieldToEventLoop } from '../../../../kernel/contracts/index.ts';

/** Documents of at least this size are parsed one in each turn of the event loop. */
const LARGE_BYTES = 64 * 1024;

let last: Promise<void> = Promise.resolve();

/** Call it before parsing a document, so that large documents that arrive together do not block the event loop. */
export function yieldBeforeLarge(bytes: number): Promise<void> | undefined {
  if (bytes <= LARGE_BYTES) return undefined;
  last = last.then(yieldToEventLoop);
  return last;
}
