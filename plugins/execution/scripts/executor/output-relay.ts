import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import { siteOf } from '../../../engine/runs/contract.ts';
import { Tail } from '../domain/failure-text.ts';
import { type PathLabel, PathRelabeler } from '../domain/path-relabeler.ts';
import type { SpawnedProcess } from '../native/spawner.ts';

/** A spawner that does not respond for this long hangs, and delays nothing any longer. */
const MAX_FLUSH_MS = 30_000;

/** Of calls that follow each other faster than this, only the first queries the spawner. */
const MIN_QUERY_INTERVAL_MS = 5;

type RelayHost = Pick<ActivityHost, 'log' | 'setLogSite' | 'whenLogDrained' | 'masker'>;

/**
 * Copies the script's output into the log, no faster than the log accepts it, and remembers the end of standard
 * error.
 */
export class OutputRelay {
  readonly #process: SpawnedProcess;
  readonly #host: RelayHost;
  /** The end of standard error, masked before it is truncated. */
  readonly #masked: ReturnType<ActivityHost['masker']['stream']>;
  readonly #tail = new Tail();
  readonly #clock: Clock;
  readonly #names: PathRelabeler;
  #queried_at = Number.NEGATIVE_INFINITY;
  #is_querying = false;
  #site = '';
  /** Resolves when the log accepts more. */
  #log_capacity: Promise<void> | undefined;

  /** `names` is what standard error calls the files of the pass. */
  constructor(process: SpawnedProcess, host: RelayHost, clock: Clock, names: readonly PathLabel[] = []) {
    this.#names = new PathRelabeler(names);
    this.#process = process;
    this.#host = host;
    this.#masked = host.masker.stream();
    this.#clock = clock;
    process.onOutput((stream, data) => this.#relay(stream, data));
  }

  /** Writes what was held back, once the script has ended. */
  finish(): void {
    this.#write('stderr', this.#names.flush());
  }

  /** Returns the masked end of standard error, once that has ended. */
  tail(): string {
    this.#tail.add(this.#masked.end());
    return this.#tail.text();
  }

  /**
   * Resolves when the host has everything that the script printed before this call. Output and calls use different
   * connections, so output may still be in transit, on a busy machine for long.
   */
  async flush(): Promise<void> {
    let cancel = (): void => {};
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#clock.after(MAX_FLUSH_MS, resolve);
    });
    await Promise.race([this.#process.flush(), timeout]);
    cancel();
  }

  /**
   * Attributes what is printed from now on to this call. What was printed before may still be in transit, so the
   * spawner is queried first, and a step, which prints itself, waits for the response. Returns undefined where
   * nothing waits: for other calls, for calls that follow each other fast, and when the log is full.
   */
  attributeTo(call: { kind: string; name: string; ordinal: number }): Promise<void> | undefined {
    const site = siteOf(call);
    this.#site = site;
    if (this.#is_querying) return undefined;
    const now = this.#clock.monotonic();
    if (now - this.#queried_at < MIN_QUERY_INTERVAL_MS) {
      this.#host.setLogSite?.(site);
      return undefined;
    }
    this.#queried_at = now;
    this.#is_querying = true;
    const attributed = this.flush().then(() => {
      this.#is_querying = false;
      this.#host.setLogSite?.(this.#site);
    });
    return call.kind === 'step' && this.#log_capacity === undefined ? attributed : undefined;
  }

  #write(stream: 'stdout' | 'stderr', data: Buffer): void {
    if (data.length === 0) return;
    if (stream === 'stderr') this.#tail.add(this.#masked.push(data));
    this.#host.log(stream, data);
  }

  #relay(stream: 'stdout' | 'stderr', data: Buffer): void {
    this.#write(stream, stream === 'stderr' ? this.#names.push(data) : data);
    const full = this.#host.whenLogDrained?.();
    if (full === undefined || this.#log_capacity !== undefined) return;
    this.#process.pause();
    const resumeOutput = () => {
      this.#log_capacity = undefined;
      this.#process.resume();
    };
    // However the wait ends, the script must continue.
    this.#log_capacity = full.then(resumeOutput, resumeOutput);
  }
}
