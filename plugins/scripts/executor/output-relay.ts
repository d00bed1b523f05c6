import type { Clock } from '../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import { siteOf } from '../../runs/contract.ts';
import { Tail } from '../domain/failure-text.ts';
import { type ShownName, ShownNames } from '../domain/shown-names.ts';
import type { SpawnedProcess } from '../native/spawner.ts';

/** A spawner that does not answer for so long hangs, and holds no wait up any longer. */
const MAX_FLUSH_MS = 30_000;

/** Of calls that follow each other faster than this, only the first asks the spawner. */
const ASK_MS = 5;

type RelayHost = Pick<ActivityHost, 'log' | 'logFrom' | 'logFull' | 'masker'>;

/** Copies the script's output into the log, no faster than the log accepts it, and keeps the tail of stderr. */
export class OutputRelay {
  readonly #process: SpawnedProcess;
  readonly #host: RelayHost;
  /** The tail of stderr, masked before it is cut. */
  readonly #masked: ReturnType<ActivityHost['masker']['stream']>;
  readonly #tail = new Tail();
  readonly #clock: Clock;
  readonly #names: ShownNames;
  #asked_at = Number.NEGATIVE_INFINITY;
  #asked = false;
  #site = '';
  /** Resolves when the log accepts more. */
  #room: Promise<void> | undefined;

  /** `names`: what standard error calls the files of the pass. */
  constructor(process: SpawnedProcess, host: RelayHost, clock: Clock, names: readonly ShownName[] = []) {
    this.#names = new ShownNames(names);
    this.#process = process;
    this.#host = host;
    this.#masked = host.masker.stream();
    this.#clock = clock;
    process.onOutput((stream, data) => this.#relay(stream, data));
  }

  /** Writes what was held back, once the script has ended. */
  end(): void {
    this.#write('stderr', this.#names.end());
  }

  /** The masked tail of stderr, behind its end. */
  tail(): string {
    this.#tail.add(this.#masked.end());
    return this.#tail.text();
  }

  /**
   * Resolves when everything that the script printed before this call is with the host. Output and calls use different
   * connections, so output may still be on its way, on a busy machine for long.
   */
  async flush(): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#clock.after(MAX_FLUSH_MS, resolve);
    });
    await Promise.race([this.#process.drained(), late]);
    cancel();
  }

  /**
   * What is printed from now on belongs to this call. What was printed before it may still be on its way, so the spawner
   * is asked first, and a step, which prints itself, waits for its answer. Undefined where nothing waits: for other calls,
   * those that follow each other fast, and a log that is full.
   */
  from(call: { kind: string; name: string; ordinal: number }): Promise<void> | undefined {
    const site = siteOf(call);
    this.#site = site;
    if (this.#asked) return undefined;
    const now = this.#clock.monotonic();
    if (now - this.#asked_at < ASK_MS) {
      this.#host.logFrom?.(site);
      return undefined;
    }
    this.#asked_at = now;
    this.#asked = true;
    const told = this.flush().then(() => {
      this.#asked = false;
      this.#host.logFrom?.(this.#site);
    });
    return call.kind === 'step' && this.#room === undefined ? told : undefined;
  }

  #write(stream: 'stdout' | 'stderr', data: Buffer): void {
    if (data.length === 0) return;
    if (stream === 'stderr') this.#tail.add(this.#masked.push(data));
    this.#host.log(stream, data);
  }

  #relay(stream: 'stdout' | 'stderr', data: Buffer): void {
    this.#write(stream, stream === 'stderr' ? this.#names.push(data) : data);
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
