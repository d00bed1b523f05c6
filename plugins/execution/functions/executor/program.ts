import type { Duplex } from 'node:stream';
import type { Clock, Log } from '../../../../kernel/contracts/index.ts';
import { perWorkerOf } from '../domain/flow.ts';
import {
  capabilityOf,
  type FunctionRegistration,
  readRegistration,
  versionCapability,
} from '../domain/registration.ts';
import type { Greeting } from '../../scripts/contract.ts';
import { type ProgramError, ProgramLink, type ProgramMessage } from './program-link.ts';

/** How the function of a pass ended. `repeated`: so many recorded steps since its last request. `lost`: its program ended before it; `is_single` if it had no other pass. */
export type FunctionEnd =
  | { output?: string | undefined; repeated?: number | undefined }
  | { error: ProgramError; repeated?: number | undefined }
  | { lost: true; is_single: boolean };

/** What a program needs to start a function. */
export interface FunctionStart {
  name: string;
  run_id: string;
  /** JSON. */
  envelope: string;
  env: Record<string, string>;
  /** The variables of the project and its org. Older programs ignore them, and newer ones take none for empty. */
  vars?: Readonly<Record<string, string>> | undefined;
  trace?: string | undefined;
  greeting: Greeting;
}

interface OpenPass {
  /** The function that it calls. */
  name: string;
  /** The program does not answer, because one of these functions blocks it. */
  /** True while no pass has it and it waits for the next one. It does nothing then. */
  isRetained: () => boolean;
  /** Another program takes all new passes. */
  onRetire: () => void;
  onBlocked: (functions: readonly string[]) => void;
  onUnblocked: () => void;
  onEnd: (end: FunctionEnd) => void;
  onLog: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** One process with workflows, from its registration until its connection is closed. */
export class FunctionProgram {
  readonly #link: ProgramLink;
  readonly #passes = new Map<number, OpenPass>();
  /** Those whose functions have returned. */
  readonly #returned = new Set<number>();
  readonly #registered = Promise.withResolvers<readonly FunctionRegistration[]>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  #functions = new Map<string, FunctionRegistration>();
  #next_pass = 1;
  #ping = 0;
  #pong = 0;
  #pinged_at: number;
  #answered_at: number;
  #is_lost = false;
  #is_retired = false;

  /** `version` is used for workflows and programs that name none. */
  constructor(
    socket: Duplex,
    { log, version, clock }: { log: Log; version: string; clock: Pick<Clock, 'monotonic' | 'after'> },
  ) {
    this.#clock = clock;
    this.#pinged_at = clock.monotonic();
    this.#answered_at = clock.monotonic();
    // Nobody may be waiting when the program ends before it registers.
    this.#registered.promise.catch(() => undefined);
    this.#link = new ProgramLink(socket, {
      log,
      clock,
      onMessage: (message) => this.#receive(message, version),
      onClose: () => this.#lose(),
    });
  }

  /** Resolves with what the program serves. Rejects when it registers something invalid, or ends first. */
  get registered(): Promise<readonly FunctionRegistration[]> {
    return this.#registered.promise;
  }

  /** Resolves when the connection is closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get is_lost(): boolean {
    return this.#is_lost;
  }

  /** True while new passes of its workflows come here. */
  get isCurrent(): boolean {
    return !this.#is_lost && !this.#is_retired;
  }

  get pass_count(): number {
    return this.#busy().length;
  }

  #busy(): OpenPass[] {
    return [...this.#passes.values()].filter(({ isRetained }) => !isRetained());
  }

  /** Another program takes all new passes; those that run here may finish. */
  retire(): void {
    this.#is_retired = true;
    for (const { onRetire } of [...this.#passes.values()]) onRetire();
  }

  get capabilities(): string[] {
    return [...this.#functions.values()].flatMap(({ name, version }) => [
      capabilityOf(name),
      versionCapability(name, version),
    ]);
  }

  get functions(): readonly FunctionRegistration[] {
    return [...this.#functions.values()];
  }

  /** True when it serves the workflow, in this version if one is given. */
  serves(name: string, version: string | undefined): boolean {
    const found = this.#functions.get(name);
    return found !== undefined && (version === undefined || found.version === version);
  }

  /** The JSON Schema of its input, as JSON. */
  schemaOf(name: string): string | undefined {
    const { input } = this.#functions.get(name) ?? {};
    return input === undefined ? undefined : JSON.stringify(input);
  }

  concurrencyOf(name: string): number | undefined {
    return perWorkerOf(this.#functions.get(name) ?? {});
  }

  /** How long the program has not answered, in milliseconds. Its event loop is blocked then. */
  get silence_ms(): number {
    return this.#pong === this.#ping ? 0 : this.#clock.monotonic() - this.#pinged_at;
  }

  /** When it answered last, in milliseconds of the monotonic clock. */
  get answered_at(): number {
    return this.#answered_at;
  }

  ping(): void {
    if (this.#pong !== this.#ping) return;
    this.#ping += 1;
    this.#pinged_at = this.#clock.monotonic();
    this.#link.send({ ping: this.#ping });
  }

  openPass(pass: OpenPass) {
    const number = this.#next_pass;
    this.#next_pass += 1;
    this.#passes.set(number, pass);
    const stream = this.#link.open(number);
    return {
      stream,
      start: (start: FunctionStart) => this.#link.send({ start: { pass: number, ...start } }),
      close: () => {
        this.#passes.delete(number);
        stream.destroy();
        const stop = { stop: { pass: number } };
        // A function that has returned does nothing any more: the program only lets go of what belonged to it.
        if (this.#returned.delete(number)) this.#link.sendLater(stop);
        else this.#link.send(stop);
      },
    };
  }

  /** Says so in the log of each run that waits for the event loop. */
  reportBlocked(silent_ms: number): void {
    const seconds = Math.round(silent_ms / 1000);
    const text = `the worker has not answered for ${seconds} s: a function blocks its event loop\n`;
    const busy = this.#busy();
    const functions = [...new Set(busy.map(({ name }) => name))].toSorted();
    for (const { onLog, onBlocked } of busy) {
      onLog('stderr', text);
      onBlocked(functions);
    }
  }

  /** The event loop is free again. */
  reportUnblocked(): void {
    for (const { onUnblocked } of this.#passes.values()) onUnblocked();
  }

  confirm(): void {
    this.#link.send({ registered: true });
  }

  reject(rejection: { code: string; message: string; next: string }): void {
    this.#link.send({ refused: rejection });
    // The program is ended next.
    this.#link.flush();
  }

  close(): void {
    this.#link.close();
  }

  #receive(message: ProgramMessage, version: string): void {
    if ('end' in message) {
      const pass = this.#passes.get(message.end);
      if (pass !== undefined) this.#returned.add(message.end);
      const { error, output, repeated } = message;
      return pass?.onEnd(error === undefined ? { output, repeated } : { error, repeated });
    }
    if ('log' in message) return this.#passes.get(message.log)?.onLog(message.stream, message.text);
    if ('pong' in message) {
      this.#pong = message.pong;
      this.#answered_at = this.#clock.monotonic();
      return;
    }
    // The server knows the first registration of a program, and no other.
    if (this.#functions.size > 0) return;
    try {
      const all = readRegistration(message.register, version);
      this.#functions = new Map(all.map((one) => [one.name, one]));
      this.#registered.resolve(all);
    } catch (error) {
      this.#registered.reject(error);
    }
  }

  #lose(): void {
    this.#is_lost = true;
    const is_single = this.#busy().length === 1;
    for (const { onEnd } of [...this.#passes.values()]) onEnd({ lost: true, is_single });
    this.#passes.clear();
    this.#registered.reject(new Error('the program ended before it registered its workflows'));
    this.#ended.resolve();
  }
}
