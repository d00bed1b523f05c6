import { yieldToEventLoop } from '../../../kernel/contracts/index.ts';

/** From this size on a document is parsed in a turn of the event loop of its own. */
const LARGE_BYTES = 64 * 1024;

let last: Promise<void> = Promise.resolve();

/** Before a document is parsed: large ones that arrived together are parsed one in each turn of the event loop. */
export function turnForLarge(bytes: number): Promise<void> | undefined {
  if (bytes <= LARGE_BYTES) return undefined;
  last = last.then(yieldToEventLoop);
  return last;
}
