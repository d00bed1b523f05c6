import type { Cancel, Clock, Log } from '../../../../kernel/contracts/index.ts';
import type { MysqlPool } from './pool.ts';

const EVERY_MS = 10_000;
/** A reading that takes longer is too imprecise, unless it is the first. */
const SHARPEST_MS = 250;

/** The server's time. It is read every ten seconds; in between, the monotonic clock of this machine carries it forward. */
export class ServerClock {
  readonly #pool: MysqlPool;
  readonly #clock: Clock;
  readonly #log: Log;
  #offset_ms: number | undefined;
  #cancel: Cancel = () => undefined;
  #reading: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(pool: MysqlPool, clock: Clock, log: Log) {
    this.#pool = pool;
    this.#clock = clock;
    this.#log = log;
  }

  /** Takes the first reading. Throws `database_unavailable`. */
  async start(): Promise<void> {
    await this.#read();
    this.#arm();
  }

  now(): number {
    if (this.#offset_ms === undefined) throw new Error('the database clock has not been read yet');
    return Math.round(this.#clock.monotonic() + this.#offset_ms);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#reading;
  }

  #arm(): void {
    if (this.#stopped) return;
    this.#cancel = this.#clock.after(
      EVERY_MS,
      () => {
        this.#reading = this.#refresh();
      },
      { unref: true },
    );
  }

  async #refresh(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      this.#log.warn({ reason: (error as Error).message }, 'reading the database clock failed');
    }
    this.#arm();
  }

  async #read(): Promise<void> {
    const session = await this.#pool.acquire();
    const before = this.#clock.monotonic();
    let rows: { now_ms: number }[];
    try {
      const sql = 'SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now_ms';
      rows = (await session.query(sql)) as { now_ms: number }[];
    } catch (error) {
      await this.#pool.discard(session);
      throw error;
    }
    const after = this.#clock.monotonic();
    this.#pool.release(session);
    if (this.#offset_ms !== undefined && after - before > SHARPEST_MS) return;
    this.#offset_ms = Number(rows[0]!.now_ms) - (before + after) / 2;
  }
}
