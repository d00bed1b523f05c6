import type { Clock, Log } from '../../../../kernel/contracts/index.ts';

/** A prepared process that no pass used for this long is discarded. */
const IDLE_MS = 5 * 60_000;
/** How many kinds are remembered. Where each pass has a file name of its own, each pass searches all of them. */
const MAX_KINDS = 64;

/** The kind of a prepared process: one program and one file name. */
export interface ProcessKind {
  key: string;
  /** For the log. */
  program: string;
  filename: string;
}

/** A process as the pool sees it; see `PreparedProcess`. */
export interface WaitingProcess {
  /** Resolves to true once the process waits for a pass, and to false if it ends before. */
  readonly ready: Promise<boolean>;
  readonly ended: Promise<unknown>;
  readonly is_usable: boolean;
  readonly noise: string;
  discard(): Promise<void>;
}

interface Shelf<K extends ProcessKind, P extends WaitingProcess> {
  kind: K;
  waiting: P[];
  /** The number of passes running now; `peak` is the most that ran at once since the last check. */
  running: number;
  peak: number;
  used_at: number;
  /** The number of passes so far. */
  uses: number;
  /** When a kind whose preparation failed may be tried again. */
  retry_at: number;
  cancel(): void;
}

export interface PoolDeps<K extends ProcessKind, P extends WaitingProcess> {
  clock: Clock;
  log: Log;
  /** How many processes may wait in total. */
  limit: number;
  /** How many may wait of one kind. As many wait as passes of the kind ran at once. */
  limit_each: number;
  /**
   * The delay from the start of a pass until the next process is prepared, unless the pass ends before; the pass gets
   * the machine first.
   */
  refill_ms: number;
  /** The delay from the end of a pass. */
  end_ms: number;
  /** No process is prepared while more passes run than this, because they need the machine. */
  most_running: number;
  prepare(kind: K): Promise<P>;
}

/** Prepared processes of the kinds used lately. Each is used by one pass or discarded. */
export class WarmPool<K extends ProcessKind, P extends WaitingProcess> {
  readonly #deps: PoolDeps<K, P>;
  /** In order of use, with the most recently used last. */
  readonly #shelves = new Map<string, Shelf<K, P>>();
  readonly #discarding = new Set<Promise<void>>();
  #cancel = (): void => {};
  /** When the pool next checks whether to prepare a process, in monotonic milliseconds. */
  #refill_at = Number.POSITIVE_INFINITY;
  /** Processes are prepared one at a time. */
  #preparing: Promise<void> | undefined;
  #is_open = true;

  constructor(deps: PoolDeps<K, P>) {
    this.#deps = deps;
  }

  /**
   * Takes a process for a pass of this kind. It may not be ready yet, but will be sooner than a new one. The pass
   * owns it from here on.
   */
  claim(kind: K): P | undefined {
    if (!this.#is_open) return undefined;
    const shelf = this.#shelf(kind);
    for (let process = shelf.waiting.shift(); process; process = shelf.waiting.shift()) {
      if (process.is_usable) return process;
      this.#discard(process);
    }
    return undefined;
  }

  /** Counts a pass of this kind as running until `ended`. */
  trackPass(kind: K, ended: Promise<unknown>): void {
    if (!this.#is_open) return;
    const shelf = this.#shelf(kind);
    shelf.uses += 1;
    shelf.running += 1;
    shelf.peak = Math.max(shelf.peak, shelf.running);
    const onEnd = () => {
      shelf.running -= 1;
      this.#schedule(this.#deps.end_ms);
    };
    void ended.then(onEnd, onEnd);
    this.#schedule(this.#deps.refill_ms);
  }

  /** Discards all waiting processes and prepares no more. Resolves once nothing is left of them. Safe to call twice. */
  async close(): Promise<void> {
    this.#is_open = false;
    this.#cancel();
    for (const shelf of this.#shelves.values()) this.#removeShelf(shelf);
    await this.#preparing;
    await Promise.all(this.#discarding);
  }

  #shelf(kind: K): Shelf<K, P> {
    const used_at = this.#deps.clock.monotonic();
    const existing = this.#shelves.get(kind.key);
    if (existing) {
      existing.used_at = used_at;
      this.#shelves.delete(kind.key);
      this.#shelves.set(kind.key, existing);
      return existing;
    }
    if (this.#shelves.size >= MAX_KINDS) this.#evictOldest();
    const shelf: Shelf<K, P> = { kind, waiting: [], running: 0, peak: 0, used_at, uses: 0, retry_at: 0, cancel() {} };
    this.#shelves.set(kind.key, shelf);
    this.#scheduleIdleCheck(shelf);
    return shelf;
  }

  #scheduleIdleCheck(shelf: Shelf<K, P>): void {
    shelf.cancel = this.#deps.clock.after(IDLE_MS, () => {
      const idle_ms = this.#deps.clock.monotonic() - shelf.used_at;
      if (idle_ms >= IDLE_MS && shelf.running === 0) return this.#removeShelf(shelf);
      shelf.peak = Math.max(1, shelf.running);
      for (const process of shelf.waiting.splice(shelf.peak)) this.#discard(process);
      this.#scheduleIdleCheck(shelf);
    });
  }

  /** Forgets the oldest kind without waiting processes. Those that wait give way only to a kind that was used twice. */
  #evictOldest(): void {
    const oldest = [...this.#shelves.values()].find(({ waiting }) => waiting.length === 0);
    if (oldest) this.#removeShelf(oldest);
  }

  #removeShelf(shelf: Shelf<K, P>): void {
    shelf.cancel();
    this.#shelves.delete(shelf.kind.key);
    for (const process of shelf.waiting.splice(0)) this.#discard(process);
  }

  #discard(process: P): void {
    const discarded = process.discard().catch((error: Error) => {
      this.#deps.log.warn({ reason: error.message }, 'removing the folder of a prepared interpreter failed');
    });
    this.#discarding.add(discarded);
    void discarded.then(() => this.#discarding.delete(discarded));
  }

  #schedule(delay_ms: number): void {
    if (this.#preparing || !this.#is_open) return;
    const at = this.#deps.clock.monotonic() + delay_ms;
    if (at >= this.#refill_at) return;
    this.#cancel();
    this.#refill_at = at;
    this.#cancel = this.#deps.clock.after(delay_ms, () => this.#refill());
  }

  #refill(): void {
    this.#refill_at = Number.POSITIVE_INFINITY;
    const shelf = this.#findNeedyShelf();
    if (!shelf) return;
    this.#preparing = this.#fill(shelf).finally(() => {
      this.#preparing = undefined;
      this.#schedule(this.#deps.refill_ms);
    });
  }

  /**
   * Returns the most recently used kind that lacks a process, when there is space or when another kind gives way.
   * None gives way to a kind used once: where each pass has a file name of its own, interpreters would be prepared
   * endlessly and in vain.
   */
  #findNeedyShelf(): Shelf<K, P> | undefined {
    const shelves = [...this.#shelves.values()].reverse();
    const [latest, ...older] = shelves;
    const now = this.#deps.clock.monotonic();
    if (shelves.reduce((sum, { running }) => sum + running, 0) > this.#deps.most_running) return undefined;
    const has_capacity = shelves.reduce((sum, { waiting }) => sum + waiting.length, 0) < this.#deps.limit;
    const lacks = ({ waiting, peak, uses, retry_at }: Shelf<K, P>) =>
      retry_at <= now && waiting.length < Math.min(peak, this.#deps.limit_each) && (has_capacity || uses > 1);
    const shelf = latest && lacks(latest) ? latest : older.find(lacks);
    if (!shelf || has_capacity) return shelf;
    const spare = older.findLast((one) => one.waiting.length > 0 && one.used_at < shelf.used_at);
    const process = spare?.waiting.pop();
    if (!process) return undefined;
    this.#discard(process);
    return shelf;
  }

  async #fill(shelf: Shelf<K, P>): Promise<void> {
    const { clock, log, prepare } = this.#deps;
    const { program, filename } = shelf.kind;
    try {
      const process = await prepare(shelf.kind);
      if (!this.#is_open || this.#shelves.get(shelf.kind.key) !== shelf) return this.#discard(process);
      shelf.waiting.push(process);
      const ready = await process.ready;
      void process.ended.then(() => this.#remove(shelf, process));
      if (ready) return log.debug({ program, filename }, 'an interpreter waits for its next script');
      // When a pass took the process meanwhile, or the pool was closed, its end is no failure.
      if (this.#remove(shelf, process)) throw new Error(process.noise || 'it ended');
    } catch (error) {
      shelf.retry_at = clock.monotonic() + IDLE_MS;
      log.info({ program, reason: (error as Error).message }, 'an interpreter could not be prepared');
    }
  }

  /**
   * Removes a process that ended while it waited. It is replaced after the next pass of its kind, which starts a new
   * process.
   */
  #remove(shelf: Shelf<K, P>, process: P): boolean {
    const at = shelf.waiting.indexOf(process);
    if (at < 0) return false;
    shelf.waiting.splice(at, 1);
    this.#discard(process);
    return true;
  }
}
