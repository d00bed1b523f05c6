import { type Clock, eachOf, inPages, type Log, WorkLoop } from '../../../../kernel/contracts/index.ts';
import type { Wakeups } from './engine.ts';
import { startWoken } from './woken-loop.ts';

const PAGE = 64;
/** The server that recorded an item comes first; the others take what it left. */
const OTHERS_MS = 50;

export interface RecordedWorkDeps<Item> {
  clock: Clock;
  log: Log;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  /** Name of the wake-up between servers. */
  topic: string;
  /** Log messages when rounds fail (once for each cause) and when they succeed again. */
  says: { failing: string; recovered: string };
  /** Recorded items in a fixed order: those after an item, at most as many as the limit says. */
  due(after: Item | undefined, limit: number): Promise<readonly Item[]>;
  /** Carries out one item and removes its record. */
  readonly carryOut: (item: Item) => Promise<void>;
}

/** Carries out what transactions recorded because they must not touch other runs. Any server does it for any other. */
export class RecordedWork<Item> {
  readonly #deps: RecordedWorkDeps<Item>;
  readonly #loop: WorkLoop;

  constructor(deps: RecordedWorkDeps<Item>) {
    const { clock, log, says, carryOut } = deps;
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock,
      log,
      messages: says,
      poll: { min_ms: 200, max_ms: 1000 },
      iterate: () => eachOf(inPages(PAGE, this.#due), carryOut),
    });
  }

  /** Works until the returned function is called; that resolves when the last round is over. */
  start(): () => Promise<void> {
    const { wakeups, topic } = this.#deps;
    return startWoken(this.#loop, { wakeups, topic, delay_ms: OTHERS_MS });
  }

  /** An item that takes long is given up when the server stops: its record stays for another one. */
  get stopped(): boolean {
    return this.#loop.stopped;
  }

  /** After a commit that recorded an item. */
  wake(): void {
    this.#loop.wake();
    this.#deps.wakeups.topic(this.#deps.topic);
  }

  /** A page; none once the server stops, so that a long list does not hold up its end. */
  readonly #due = async (after: Item | undefined, limit: number): Promise<readonly Item[]> =>
    this.#loop.stopped ? [] : this.#deps.due(after, limit);
}
