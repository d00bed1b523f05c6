import { type Clock, turn } from '../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import { Tail } from '../domain/failure-text.ts';
import type { SpawnedProcess } from '../native/spawner.ts';

/** The script's pipes count as empty when nothing came through them for so long. */
const QUIET_MS = 10;
/** A script that prints all the time is not waited for longer than this. */
const LONGEST_FLUSH_MS = 250;

/** One turn of the event loop, in which everything that has come in is read. */
async function readOnce(): Promise<void> {
  for (let phase = 0; phase < 2; phase++) await turn();
}

type RelayHost = Pick<ActivityHost, 'log' | 'logFull' | 'masker'>;

/** Carries what a script prints into the log, no faster than the log takes it, and keeps the end of its stderr. */
export class OutputRelay {
  readonly #process: SpawnedProcess;
  readonly #host: RelayHost;
  /** Of stderr, for the tail: masked before it is cut. */
  readonly #masked: ReturnType<ActivityHost['masker']['stream']>;
  readonly #clock: Clock;
  readonly #tail = new Tail();
  /** Resolves when the log takes more. */
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

  /** The end of stderr, without secrets; once the script has ended. */
  tail(): string {
    this.#tail.add(this.#masked.end());
    return this.#tail.text();
  }

  /**
   * Resolves when what the script printed before now is with the host. The verb client reached us over another way
   * than the script's output, which may still be on its own.
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
      const left = Math.min(QUIET_MS - (now - this.#last), LONGEST_FLUSH_MS - (now - began));
      if (left > 0) await new Promise<void>((done) => void this.#clock.after(left, done));
      // A busy agent hears of the time before it hears of what came in meanwhile: let it read first.
      const seen = this.#last;
      await readOnce();
      if (left <= 0 && this.#last === seen) return;
      if (this.#clock.monotonic() - began > LONGEST_FLUSH_MS) return;
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
    // However the wait ends, the script must not stand still for ever.
    this.#room = full.then(goOn, goOn);
  }
}
