import { type Cancel, type Clock, type Log, WorkLoop } from '../../../../kernel/contracts/index.ts';
import type { LiveFeed, LiveMessage, LiveStop } from './topics.ts';

/** How long a reader waits after a hint, so that changes in quick succession are read together. */
export const GATHER_MS = 50;
/** Without hints, changes of other servers are found within a second. */
const POLL = { min_ms: 250, max_ms: 1000 };

/** The result of one poll. */
export interface PollResult<Cursor> {
  cursor: Cursor;
  messages: readonly LiveMessage[];
  /** True when there is more to read at once. */
  more?: boolean;
}

export interface PolledFeedOptions<Cursor> {
  clock: Clock;
  log: Log;
  /** What is read, as the log names it: `events`. */
  name: string;
  /** Returns the position from which changes are read. */
  readCursor(): Promise<Cursor>;
  /** Reads what changed since the cursor. It is called after each hint, and regularly without hints. */
  poll(cursor: Cursor): Promise<PollResult<Cursor>>;
  /** Calls `wake` when there may be something; the returned function ends that. */
  onHint(wake: () => void): Cancel;
}

/** Reads a topic. Hints make it fast, and polling makes it correct with any number of servers. */
export async function polledFeed<Cursor>(options: PolledFeedOptions<Cursor>, feed: LiveFeed): Promise<LiveStop> {
  const { clock, log, name } = options;
  let cursor: Cursor;
  const loop = new WorkLoop({
    clock,
    log,
    poll: POLL,
    messages: { failing: `reading live ${name} failed; retrying`, recovered: `live ${name} are read again` },
    async iterate() {
      const { messages, more, ...found } = await options.poll(cursor);
      ({ cursor } = found);
      if (messages.length > 0) feed.send(messages);
      return { processed: messages.length, hasMore: more };
    },
  });
  // Hints begin first, so that no change is missed between the two.
  const off = options.onHint(() => loop.wake(GATHER_MS));
  try {
    cursor = await options.readCursor();
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
