import { type Cancel, type Clock, type Log, WorkLoop } from '../../../kernel/contracts/index.ts';
import type { LiveFeed, LiveMessage, LiveStop } from './topics.ts';

/** So long a reader waits after a hint: changes that come close together are read at once. */
export const GATHER_MS = 50;
/** While nobody hints, changes of other servers are found within a second. */
const POLL = { min_ms: 250, max_ms: 1000 };

/** What a look at the changes found. */
export interface Look<Cursor> {
  cursor: Cursor;
  messages: readonly LiveMessage[];
  /** There is more to read at once. */
  more?: boolean;
}

export interface PolledFeedParts<Cursor> {
  clock: Clock;
  log: Log;
  /** What is read, for the log: `events`. */
  name: string;
  /** The position from which changes are wanted. */
  begin(): Promise<Cursor>;
  /** What changed since. It is called again after each hint, and by and by without one. */
  look(cursor: Cursor): Promise<Look<Cursor>>;
  /** Calls `wake` when there may be something; the returned function ends that. */
  hints(wake: () => void): Cancel;
}

/** The reader of a topic: hints make it fast, and polling makes it correct with any number of servers. */
export async function polledFeed<Cursor>(parts: PolledFeedParts<Cursor>, feed: LiveFeed): Promise<LiveStop> {
  const { clock, log, name } = parts;
  let cursor: Cursor;
  const loop = new WorkLoop({
    clock,
    log,
    poll: POLL,
    says: { failing: `reading live ${name} failed; retrying`, recovered: `live ${name} are read again` },
    async round() {
      const { messages, more, ...found } = await parts.look(cursor);
      ({ cursor } = found);
      if (messages.length > 0) feed.send(messages);
      return { found: messages.length, again: more };
    },
  });
  // Before the beginning, so that nothing falls between the two.
  const off = parts.hints(() => loop.wake(GATHER_MS));
  try {
    cursor = await parts.begin();
  } catch (error) {
    off();
    throw error;
  }
  const stop = loop.start();
  return () => {
    off();
    return stop();
  };
}
