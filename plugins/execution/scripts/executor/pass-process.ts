import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import type { Capture } from '../domain/command-spec.ts';
import type { PathLabel } from '../domain/path-relabeler.ts';
import type { ProcessExit, SpawnedProcess } from '../native/spawner.ts';
import { OutputRelay } from './output-relay.ts';

/** The process that a pass runs at the moment, first perhaps git and then the script, and what the script prints. */
export class PassProcess {
  readonly #host: ActivityHost;
  readonly #clock: Clock;
  #current: SpawnedProcess | undefined;
  #relay: OutputRelay | undefined;
  #log_name = Promise.resolve('');

  constructor(host: ActivityHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  /** Makes this the process that `kill` reaches. */
  track(process: SpawnedProcess): void {
    this.#current = process;
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#current?.kill(signal);
  }

  /** Runs the script: relays what it prints until it ends. `names` is what its standard error calls the files of the pass. */
  async followScript(
    process: SpawnedProcess,
    capture: Capture | undefined,
    names: readonly PathLabel[],
  ): Promise<ProcessExit> {
    this.track(process);
    if (capture)
      process.onOutput((stream, data) => {
        if (stream === 'stdout') capture.add(data);
      });
    this.#relay = new OutputRelay(process, this.#host, this.#clock, names);
    // Captured output is no log, because replayed calls print into it.
    const logs = capture ? [process.error_log] : [process.log, process.error_log];
    this.#log_name = Promise.all(logs).then(
      (log_names) => log_names.join(' '),
      // The process did not start; its end says why.
      () => '',
    );
    const end = await process.ended;
    this.#relay.finish();
    return end;
  }

  /** The names of the script's log streams, or '' as long as it has not started. */
  get log_name(): Promise<string> {
    return this.#log_name;
  }

  /** Resolves when the host has everything that the script printed so far. */
  async flush(): Promise<void> {
    await this.#relay?.flush();
  }

  /** Attributes to a call what the script prints from now on. */
  beginCall(call: { kind: string; name: string; ordinal: number }): Promise<void> | undefined {
    return this.#relay?.attributeTo(call);
  }

  /** The masked end of the script's standard error. */
  tail(): string {
    return this.#relay?.tail() ?? '';
  }
}
