import { type FSWatcher, watch } from 'node:fs';
import { type Cancel, type Clock, isServiceError, type Log } from '../../../../kernel/contracts/index.ts';
import { workerNotStarted } from '../errors.ts';
import type { FunctionRegistry } from '../service/directory.ts';
import type { FunctionProgram } from './program.ts';
import type { ProgramSource, StartedProgram } from './program-source.ts';

export interface ProgramsDeps {
  source: ProgramSource;
  registry: FunctionRegistry;
  /** Watches the files, and starts another program when they change. */
  reload: boolean;
  clock: Clock;
  log: Log;
}

const PING_MS = 1000;
/** A program that has not answered for this long is reported. */
const BLOCKED_MS = 5000;
/** A program that has not answered for this long after a pass of it was stopped is replaced. */
const STUCK_MS = 10_000;
/** A replaced program may finish its passes for this long. */
const RETIRE_MS = 10_000;
/** A program that has not registered its workflows for this long is reported. */
const SLOW_START_MS = 10_000;
const RELOAD_DELAY_MS = 150;
const RELEASE_DELAY_MS = 1000;
const RESTART_MIN_MS = 100;
const RESTART_MAX_MS = 1000;
/** A program that has lived for this long is started again at once when it ends. */
const STABLE_MS = 5000;

/**
 * The programs of a worker: one that takes new passes, and replaced ones that finish theirs. Starts another when it ends,
 * when its files change, or when a stopped function keeps it from answering.
 */
export class FunctionPrograms {
  readonly #deps: ProgramsDeps;
  readonly #retired = new Set<StartedProgram>();
  /** Those that have not registered their workflows. A file that waits at its top level never does. */
  readonly #starting = new Set<StartedProgram>();
  readonly #watchers: FSWatcher[] = [];
  #current: StartedProgram | undefined;
  /** The version of the files at the newest start. */
  #version: string | undefined;
  #launches = 0;
  #first: Promise<void> | undefined;
  #onChange: () => void = () => undefined;
  #cancelPing: Cancel = () => undefined;
  #cancelReload: Cancel = () => undefined;
  #cancelRestart: Cancel = () => undefined;
  #restart_ms = RESTART_MIN_MS;
  #launched_at = 0;
  #stopped_at: number | undefined;
  #replaced = Promise.withResolvers<void>();
  #is_blocked = false;
  #closed = false;

  constructor(deps: ProgramsDeps) {
    this.#deps = deps;
  }

  /** Starts the first program. Rejects when it does not register its workflows. */
  start(): Promise<void> {
    this.#first ??= this.#startFirst();
    return this.#first;
  }

  async #startFirst(): Promise<void> {
    this.#current = await this.#launch();
    this.#schedulePing();
    if (this.#deps.reload) this.#watchFiles();
  }

  get capabilities(): string[] {
    const { program } = this.#current ?? {};
    return program === undefined || program.is_lost ? [] : program.capabilities;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** The program that serves the workflow now, in this version if one is given. */
  find(name: string, version: string | undefined): FunctionProgram | undefined {
    const all = [this.#current, ...this.#retired].flatMap((one) => (one === undefined ? [] : [one.program]));
    return all.find((program) => !program.is_lost && program.serves(name, version));
  }

  /**
   * Resolves when another program serves the workflows, or after a moment. A run that no program takes is given back then, so
   * that it does not come back at once, again and again.
   */
  async whenReplaced(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.after(RELEASE_DELAY_MS, resolve);
    await Promise.race([promise, this.#replaced.promise]);
    cancel();
  }

  /** A pass was stopped; its function may keep the program busy for ever. */
  passStopped(): void {
    this.#stopped_at ??= this.#deps.clock.monotonic();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of [this.#cancelPing, this.#cancelReload, this.#cancelRestart]) cancel();
    for (const watcher of this.#watchers.splice(0)) watcher.close();
    const all = [...this.#starting, ...this.#retired, ...(this.#current === undefined ? [] : [this.#current])];
    await Promise.all(all.map((one) => one.end()));
  }

  /** Starts a program, and ends those that are still starting: they may have older files. */
  async #launch(): Promise<StartedProgram> {
    const { source } = this.#deps;
    this.#launches += 1;
    const launch = this.#launches;
    const started = await source.start();
    if (this.#closed || launch < this.#launches) {
      await started.end();
      throw workerNotStarted('the worker stops, or starts a newer program');
    }
    this.#version = started.version;
    for (const older of this.#starting) void older.end();
    this.#starting.add(started);
    try {
      await this.#register(started);
    } finally {
      this.#starting.delete(started);
    }
    this.#launched_at = this.#deps.clock.monotonic();
    started.program.confirm();
    void started.program.ended.then(() => this.#onEnded(started));
    const names = started.program.functions.map(({ name, version }) => `${name} (${version})`).join(', ');
    this.#deps.log.info({ functions: names }, 'the worker serves workflows');
    return started;
  }

  async #register(started: StartedProgram): Promise<void> {
    const { program } = started;
    const { registry, clock, log } = this.#deps;
    const cancel = clock.after(SLOW_START_MS, () =>
      log.warn(
        {},
        'the program has not registered its workflows yet; one of its files may be waiting at its top level',
      ),
    );
    try {
      const functions = await program.registered;
      await registry.register(functions);
    } catch (error) {
      const rejection = isServiceError(error) ? error : workerNotStarted((error as Error).message, { cause: error });
      program.reject({ code: rejection.code, message: rejection.message, next: rejection.next });
      await started.end();
      throw rejection;
    } finally {
      cancel();
    }
  }

  /** Its passes continue in the next program, from their journals. */
  #onEnded(started: StartedProgram): void {
    this.#retired.delete(started);
    if (this.#closed || started !== this.#current) return;
    if (!this.#deps.source.restarts) {
      // The program that has started this worker is gone, and with it everything that the worker serves.
      process.kill(process.pid, 'SIGTERM');
      return;
    }
    if (this.#deps.clock.monotonic() - this.#launched_at > STABLE_MS) this.#restart_ms = RESTART_MIN_MS;
    this.#deps.log.warn({}, 'the worker program exited; restarting it');
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    this.#cancelRestart();
    this.#cancelRestart = this.#deps.clock.after(this.#restart_ms, () => void this.#replace('it has ended'));
    this.#restart_ms = Math.min(RESTART_MAX_MS, this.#restart_ms * 2);
  }

  /** Starts another program for all new passes. On a failure the present one stays. */
  async #replace(why: string): Promise<void> {
    if (this.#closed) return;
    const launch = this.#launches + 1;
    try {
      const next = await this.#launch();
      if (this.#closed) return await next.end();
      const before = this.#current;
      this.#current = next;
      this.#is_blocked = false;
      if (before !== undefined && !before.program.is_lost) this.#retire(before);
      this.#deps.log.info({ why }, 'another program serves the workflows now');
      this.#replaced.resolve();
      this.#replaced = Promise.withResolvers();
      this.#onChange();
    } catch (error) {
      // A newer one has been started since.
      if (this.#closed || launch < this.#launches) return;
      this.#deps.log.error({ reason: (error as Error).message }, 'the worker program did not start');
      if (this.#current?.program.is_lost) this.#scheduleRestart();
    }
  }

  #retire(started: StartedProgram): void {
    this.#retired.add(started);
    started.program.retire();
    const { clock } = this.#deps;
    const until = clock.monotonic() + RETIRE_MS;
    const check = () => {
      if (!this.#retired.has(started)) return;
      if (started.program.pass_count > 0 && clock.monotonic() < until && started.program.silence_ms < BLOCKED_MS)
        return void clock.after(RELOAD_DELAY_MS, check);
      void started.end();
    };
    check();
  }

  #schedulePing(): void {
    this.#cancelPing = this.#deps.clock.after(PING_MS, () => {
      for (const retired of this.#retired) retired.program.ping();
      const { program } = this.#current ?? {};
      if (program !== undefined && !program.is_lost) this.#checkAnswers(program);
      if (!this.#closed) this.#schedulePing();
    });
  }

  #checkAnswers(program: FunctionProgram): void {
    const silent_ms = program.silence_ms;
    program.ping();
    if (this.#stopped_at !== undefined && program.answered_at > this.#stopped_at) this.#stopped_at = undefined;
    if (silent_ms < BLOCKED_MS) {
      if (this.#is_blocked) program.reportUnblocked();
      this.#is_blocked = false;
      return;
    }
    if (!this.#is_blocked) {
      this.#is_blocked = true;
      program.reportBlocked(silent_ms);
      this.#deps.log.warn({ silent_ms }, 'a function blocks the event loop of the worker');
    }
    const now = this.#deps.clock.monotonic();
    if (this.#stopped_at === undefined || now - this.#stopped_at < STUCK_MS) return;
    this.#stopped_at = undefined;
    if (!this.#deps.source.restarts) {
      this.#deps.log.error({ silent_ms }, 'a stopped function still blocks the program; restart it');
      return;
    }
    this.#deps.log.error({ silent_ms }, 'a stopped function still blocks the program; killing it');
    this.#current?.kill();
  }

  #watchFiles(): void {
    const check = async () => {
      try {
        const version = await this.#deps.source.version();
        if (version === this.#version) return;
        this.#version = version;
        await this.#replace('its files have changed');
      } catch (error) {
        this.#deps.log.warn({ reason: (error as Error).message }, 'the files of the worker could not be read');
      }
    };
    this.#watchFolders(() => void check());
    // For a change since the program that runs was started.
    void check();
  }

  #watchFolders(onChange: () => void): void {
    const { clock, log, source } = this.#deps;
    if (this.#closed) return;
    for (const folder of new Set(source.folders())) {
      const onError = (error: Error) => log.warn({ folder, reason: error.message }, 'a folder is not watched');
      try {
        const watcher = watch(folder, () => {
          this.#cancelReload();
          this.#cancelReload = clock.after(RELOAD_DELAY_MS, onChange);
        });
        watcher.on('error', onError);
        this.#watchers.push(watcher);
      } catch (error) {
        onError(error as Error);
      }
    }
  }
}
