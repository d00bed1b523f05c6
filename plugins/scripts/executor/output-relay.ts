import { type Clock, yieldToEventLoop } from '../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import { Tail } from '../domain/failure-text.ts';
import type { SpawnedProcess } from '../native/spawner.ts';

/** The script's pipes count as empty when nothing arrived for this long. */
const QUIET_MS = 10;
/** The longest wait for a script that prints all the time. */
const MAX_FLUSH_MS = 250;

/** One turn of the event loop, in which all received data is read. */
async function readOnce(): Promise<void> {
  for (let phase = 0; phase < 2; phase++) await yieldToEventLoop();
}

type RelayHost = Pick<ActivityHost, 'log' | 'logFull' | 'masker'>;

/** Copies the script's output into the log, no faster than the log accepts it, and keeps the tail of stderr. */
export class OutputRelay {
  readonly #process: SpawnedProcess;
  readonly #host: RelayHost;
  /** The tail of stderr, masked before it is cut. */
  readonly #masked: ReturnType<ActivityHost['masker']['stream']>;
  readonly #clock: Clock;
  readonly #tail = new Tail();
  /** Resolves when the log accepts more. */
  #room: Promise<void> | undefined;
  #last: number;

  constructor(process: SpawnedProcess, host: RelayHost, clock: Clock) {
    this.#process = process;
    this.#host = host;
    this.#masked = host.masker.stream();
    this.#clock = clock;
    this.#last = clock.monotonic();
    process.onOutput((stream, data) => this.#relay(stream, data));
  }

  /** The masked tail of stderr, once the script has ended. */
  tail(): string {
    this.#tail.add(this.#masked.end());
    return this.#tail.text();
  }

  /**
   * Resolves when everything that the script printed before this call is with the host. The verb client uses another
   * connection than the script's output, so output may still be on its way.
   */
  async flush(): Promise<void> {
    let began = this.#clock.monotonic();
    this.#last = began;
    for (;;) {
      if (this.#room !== undefined) {
        await this.#room;
        began = this.#last = this.#clock.monotonic();
      }
      const now = this.#clock.monotonic();
      const left = Math.min(QUIET_MS - (now - this.#last), MAX_FLUSH_MS - (now - began));
      if (left > 0) await new Promise<void>((done) => void this.#clock.after(left, done));
      // A busy agent sees timers before received data, so let it read first.
      const seen = this.#last;
      await readOnce();
      if (left <= 0 && this.#last === seen) return;
      if (this.#clock.monotonic() - began > MAX_FLUSH_MS) return;
    }
  }

  #relay(stream: 'stdout' | 'stderr', data: Buffer): void {
    this.#last = this.#clock.monotonic();
    if (stream === 'stderr') this.#tail.add(this.#masked.push(data));
    this.#host.log(stream, data);
    const full = this.#host.logFull?.();
    if (full === undefined || this.#room !== undefined) return;
    this.#process.pause();
    const goOn = () => {
      this.#room = undefined;
      this.#process.resume();
    };
    // However the wait ends, the script must continue.
    this.#room = full.then(goOn, goOn);
  }
}
