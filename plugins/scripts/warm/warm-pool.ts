import type { Clock, Log } from '../../../kernel/contracts/index.ts';

/** What no pass used for so long goes. */
const IDLE_MS = 5 * 60_000;
/** Kinds that are remembered: where each pass has a name of its own, all of them would be looked through for each. */
const MAX_KINDS = 64;

/** What waits for a pass: one program, one name of a file. */
export interface Kind {
  key: string;
  /** For the log. */
  program: string;
  filename: string;
}

/** A process as the pool sees it: `PreparedProcess`. */
export interface Waiting {
  /** True when it has come to wait, false when it has ended before. */
  readonly ready: Promise<boolean>;
  readonly ended: Promise<unknown>;
  readonly usable: boolean;
  readonly noise: string;
  discard(): Promise<void>;
}

interface Shelf<K extends Kind, P extends Waiting> {
  kind: K;
  waiting: P[];
  /** Passes that run now, and the most that ran at once since the last look. */
  running: number;
  peak: number;
  used_at: number;
  /** Passes so far. */
  uses: number;
  /** What could not be prepared is not tried again before. */
  rests_until: number;
  cancel(): void;
}

export interface PoolParts<K extends Kind, P extends Waiting> {
  clock: Clock;
  log: Log;
  /** How many may wait in all. */
  limit: number;
  /** And of one kind. As many wait as passes of the kind ran at once. */
  limit_each: number;
  /** From the start of a pass until the next process is prepared, unless the pass ends before: it has the machine first. */
  refill_ms: number;
  /** And from its end. */
  end_ms: number;
  /** While more passes run than this, none is prepared: they have the machine. */
  most_running: number;
  prepare(kind: K): Promise<P>;
}

/** Prepared processes of the kinds used lately. Each goes to one pass or away. */
export class WarmPool<K extends Kind, P extends Waiting> {
  readonly #parts: PoolParts<K, P>;
  /** The one used last is the last. */
  readonly #shelves = new Map<string, Shelf<K, P>>();
  readonly #leaving = new Set<Promise<void>>();
  #cancel = (): void => {};
  /** When it looks whether one is to be prepared (monotonic ms). */
  #due = Number.POSITIVE_INFINITY;
  /** While one is being prepared the next one waits. */
  #preparing: Promise<void> | undefined;
  #open = true;

  constructor(parts: PoolParts<K, P>) {
    this.#parts = parts;
  }

  /** A process for a pass of this kind, which may not wait yet but will before another could. The pass owns it from here on. */
  take(kind: K): P | undefined {
    if (!this.#open) return undefined;
    const shelf = this.#shelf(kind);
    for (let process = shelf.waiting.shift(); process; process = shelf.waiting.shift()) {
      if (process.usable) return process;
      this.#leave(process);
    }
    return undefined;
  }

  /** A pass of this kind runs until `ended`. */
  use(kind: K, ended: Promise<unknown>): void {
    if (!this.#open) return;
    const shelf = this.#shelf(kind);
    shelf.uses += 1;
    shelf.running += 1;
    shelf.peak = Math.max(shelf.peak, shelf.running);
    const over = () => {
      shelf.running -= 1;
      this.#schedule(this.#parts.end_ms);
    };
    void ended.then(over, over);
    this.#schedule(this.#parts.refill_ms);
  }

  /** Throws away all that waits, and prepares no more. Resolves when nothing is left of them. Safe to call twice. */
  async close(): Promise<void> {
    this.#open = false;
    this.#cancel();
    for (const shelf of this.#shelves.values()) this.#forget(shelf);
    await this.#preparing;
    await Promise.all(this.#leaving);
  }

  #shelf(kind: K): Shelf<K, P> {
    const used_at = this.#parts.clock.monotonic();
    const known = this.#shelves.get(kind.key);
    if (known) {
      known.used_at = used_at;
      this.#shelves.delete(kind.key);
      this.#shelves.set(kind.key, known);
      return known;
    }
    if (this.#shelves.size >= MAX_KINDS) this.#forgetOne();
    const made: Shelf<K, P> = { kind, waiting: [], running: 0, peak: 0, used_at, uses: 0, rests_until: 0, cancel() {} };
    this.#shelves.set(kind.key, made);
    this.#lookAgain(made);
    return made;
  }

  #lookAgain(shelf: Shelf<K, P>): void {
    shelf.cancel = this.#parts.clock.after(IDLE_MS, () => {
      const idle_ms = this.#parts.clock.monotonic() - shelf.used_at;
      if (idle_ms >= IDLE_MS && shelf.running === 0) return this.#forget(shelf);
      shelf.peak = Math.max(1, shelf.running);
      for (const process of shelf.waiting.splice(shelf.peak)) this.#leave(process);
      this.#lookAgain(shelf);
    });
  }

  /** What waits stays: another kind takes its place only when it came twice. */
  #forgetOne(): void {
    const oldest = [...this.#shelves.values()].find(({ waiting }) => waiting.length === 0);
    if (oldest) this.#forget(oldest);
  }

  #forget(shelf: Shelf<K, P>): void {
    shelf.cancel();
    this.#shelves.delete(shelf.kind.key);
    for (const process of shelf.waiting.splice(0)) this.#leave(process);
  }

  #leave(process: P): void {
    const left = process.discard().catch((error: Error) => {
      this.#parts.log.warn({ reason: error.message }, 'removing the folder of a prepared interpreter failed');
    });
    this.#leaving.add(left);
    void left.then(() => this.#leaving.delete(left));
  }

  #schedule(delay_ms: number): void {
    if (this.#preparing || !this.#open) return;
    const at = this.#parts.clock.monotonic() + delay_ms;
    if (at >= this.#due) return;
    this.#cancel();
    this.#due = at;
    this.#cancel = this.#parts.clock.after(delay_ms, () => this.#refill());
  }

  #refill(): void {
    this.#due = Number.POSITIVE_INFINITY;
    const shelf = this.#needy();
    if (!shelf) return;
    this.#preparing = this.#fill(shelf).finally(() => {
      this.#preparing = undefined;
      this.#schedule(this.#parts.refill_ms);
    });
  }

  /**
   * The shelf used last that lacks one, when there is room or when another makes room. None does for a name that came once:
   * where each pass has a name of its own, interpreters would be prepared without end, and for nothing.
   */
  #needy(): Shelf<K, P> | undefined {
    const shelves = [...this.#shelves.values()].reverse();
    const [latest, ...older] = shelves;
    const now = this.#parts.clock.monotonic();
    if (shelves.reduce((sum, { running }) => sum + running, 0) > this.#parts.most_running) return undefined;
    const has_room = shelves.reduce((sum, { waiting }) => sum + waiting.length, 0) < this.#parts.limit;
    const lacks = ({ waiting, peak, uses, rests_until }: Shelf<K, P>) =>
      rests_until <= now && waiting.length < Math.min(peak, this.#parts.limit_each) && (has_room || uses > 1);
    const shelf = latest && lacks(latest) ? latest : older.find(lacks);
    if (!shelf || has_room) return shelf;
    const spare = older.findLast((one) => one.waiting.length > 0 && one.used_at < shelf.used_at);
    const process = spare?.waiting.pop();
    if (!process) return undefined;
    this.#leave(process);
    return shelf;
  }

  async #fill(shelf: Shelf<K, P>): Promise<void> {
    const { clock, log, prepare } = this.#parts;
    const { program, filename } = shelf.kind;
    try {
      const process = await prepare(shelf.kind);
      if (!this.#open || this.#shelves.get(shelf.kind.key) !== shelf) return this.#leave(process);
      shelf.waiting.push(process);
      const ready = await process.ready;
      void process.ended.then(() => this.#remove(shelf, process));
      if (ready) return log.debug({ program, filename }, 'an interpreter waits for its next script');
      // A pass that took it meanwhile, or the end of the pool, leaves nothing to find fault with.
      if (this.#remove(shelf, process)) throw new Error(process.noise || 'it ended');
    } catch (error) {
      shelf.rests_until = clock.monotonic() + IDLE_MS;
      log.info({ program, reason: (error as Error).message }, 'an interpreter could not be prepared');
    }
  }

  /** One that ended while it waited is replaced after the next pass of its kind, which is started anew. */
  #remove(shelf: Shelf<K, P>, process: P): boolean {
    const at = shelf.waiting.indexOf(process);
    if (at < 0) return false;
    shelf.waiting.splice(at, 1);
    this.#leave(process);
    return true;
  }
}
