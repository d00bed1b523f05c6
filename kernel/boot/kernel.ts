import { constants } from 'node:os';
import {
  armFailpoints,
  Clock,
  Database,
  DeliveryRates,
  Egress,
  Expressions,
  GroupCommits,
  HttpAddress,
  Ids,
  isServiceError,
  Log,
  Metrics,
  type Resolve,
  type Role,
  SERVER_ROLES,
  Settings,
} from '../contracts/index.ts';
import { type DatabaseHandle, openDatabase } from '../database/index.ts';
import { createExpressions } from '../expressions/index.ts';
import { createDeliveryRates, createHttp, createMetrics, type Http } from '../http/index.ts';
import { openEgress, type OwnEgress } from '../egress/index.ts';
import { Registry } from '../registry/registry.ts';
import { discover } from './discover.ts';
import { BootErrors } from './errors.ts';
import { order } from './order.ts';
import { type Declared, register } from './register.ts';
import { seal } from './seal.ts';
import { systemClock } from './services/clock.ts';
import { createIds } from './services/ids.ts';
import { createLog } from './services/log.ts';
import { readSettings } from './settings.ts';
import { init, type PhaseRules, ready, type Started, start } from './start.ts';
import { type StopReport, stopAll } from './stop.ts';
import { tree } from './tree.ts';
import { type Candidate, validate } from './validate.ts';

export interface BootOptions {
  role: Role;
  env: Readonly<Record<string, string | undefined>>;
  settings?: Partial<Settings>;
  /** Another clock, for tests that own the time. */
  clock?: Clock;
  /** Stop after `init`: administration of a database without serving it. */
  quiet?: boolean;
}

export interface Kernel {
  readonly settings: Settings;
  readonly use: Resolve;
  /** Where the server listens; throws in a role without one. */
  base_url(): string;
  tree(): string;
  /** Safe to call twice; the second call answers the first one's report. */
  stop(): Promise<StopReport>;
}

const BOUND_MS = 30_000;
/** A drain of agents may take its grace; the HTTP drain its own bound. */
const HTTP_DRAIN_MS = 5_000;
/** Exit statuses of a process that ends by itself: the CLI's for "not authenticated", and sysexits' EX_SOFTWARE. */
const EXIT_REFUSED = 4;
const EXIT_FAULT = 70;

/** The ordered, validated plugins; no code of theirs is loaded. */
export async function plan(extra: readonly string[]): Promise<Candidate[]> {
  return order(validate(await discover(extra)));
}

/** Brings a kernel up through all its phases; when one fails, what was started is stopped again. */
export async function boot(options: BootOptions): Promise<Kernel> {
  armFailpoints(options.env.SVC_FAILPOINTS);
  const settings = readSettings(options.role, options.env, options.settings);
  const clock = options.clock ?? systemClock;
  const log = createLog(options.env.SVC_LOG_LEVEL || (options.role === 'server' ? 'info' : 'warn'), {
    role: settings.role,
    pid: process.pid,
  });
  const candidates = await plan(settings.plugins);
  const registry = new Registry();
  const parts = new Parts(settings, clock, log, registry);
  parts.bindKernel();
  const declared = await register(candidates, registry);
  seal(candidates, registry);
  const rules: PhaseRules = { role: settings.role, clock, bound_ms: bootBound(settings), use: registry.use };
  try {
    await parts.bringUp(declared, rules, options.quiet ?? false);
  } catch (error) {
    await parts.stop();
    throw error;
  }
  return {
    settings,
    use: registry.use,
    base_url: () => parts.address(),
    tree: () => tree(candidates),
    stop: () => parts.stop(),
  };
}

function bootBound(settings: Settings): number {
  const text = settings.env.SVC_BOOT_TIMEOUT;
  if (text === undefined || text === '') return BOUND_MS;
  if (!/^\d{1,7}$/.test(text)) throw BootErrors.settingInvalid(`SVC_BOOT_TIMEOUT is "${text}"; it takes milliseconds`);
  return Number(text);
}

/** What a running kernel owns, and therefore closes. */
class Parts {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #registry: Registry;
  readonly #started: Started[] = [];
  readonly #egress: OwnEgress;
  #database: DatabaseHandle | undefined;
  #http: Http | undefined;
  #stopping: Promise<StopReport> | undefined;

  constructor(settings: Settings, clock: Clock, log: Log, registry: Registry) {
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
    this.#registry = registry;
    this.#egress = openEgress(settings, clock);
  }

  bindKernel(): void {
    const registry = this.#registry;
    const ids = createIds(this.#clock);
    registry.bind('kernel', Settings, () => this.#settings);
    registry.bind('kernel', Clock, () => this.#clock);
    registry.bind('kernel', Ids, () => ids);
    registry.bind('kernel', Log, () => this.#log);
    registry.bind('kernel', Metrics, () => createMetrics());
    registry.bind('kernel', Expressions, () => createExpressions());
    registry.bind('kernel', Egress, () => this.#egress);
    if (!SERVER_ROLES.includes(this.#settings.role)) return;
    registry.bind('kernel', DeliveryRates, (use) =>
      createDeliveryRates(this.#settings.rate_limits?.delivery, this.#clock, use(Metrics)),
    );
    registry.bind('kernel', Database, () => this.#open().database);
    registry.bind('kernel', GroupCommits, () => this.#open().group_commits);
    registry.bind('kernel', HttpAddress, () => ({
      base_url: () => this.address(),
      public_url: () => this.#settings.public_url,
    }));
  }

  async bringUp(declared: Declared, rules: PhaseRules, quiet: boolean): Promise<void> {
    this.#started.push({ plugin: 'kernel.egress', stop: () => this.#egress.close() });
    const serves = SERVER_ROLES.includes(this.#settings.role);
    if (serves) {
      const deps = { clock: this.#clock, log: this.#log, ids: rules.use(Ids) };
      this.#database = await openDatabase(this.#settings, deps);
      this.#started.push({ plugin: 'kernel.database', stop: () => this.#database?.close() });
      await this.#database.migrate(declared.migrations);
    }
    await init(declared, rules);
    if (quiet) return;
    await start(declared, rules, this.#started);
    if (serves) {
      const http = createHttp(rules.use);
      this.#http = http;
      this.#started.push({ plugin: 'kernel.http', stop: () => http.close(HTTP_DRAIN_MS) });
      await http.listen();
    }
    await ready(declared, rules);
  }

  address(): string {
    if (!this.#http) throw new Error('this kernel does not listen yet');
    return this.#http.base_url();
  }

  stop(): Promise<StopReport> {
    this.#stopping ??= stopAll(this.#started, { clock: this.#clock, log: this.#log, bound_ms: BOUND_MS });
    return this.#stopping;
  }

  #open(): DatabaseHandle {
    if (!this.#database) throw new Error('the database is opened after registration; use it from init on');
    return this.#database;
  }
}

/** Exit status of a process that a signal ended, as shells count. */
const statusOf = (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => 128 + constants.signals[signal];

/** Says why the process ends and answers its exit status: 4 when it was refused as a caller, else that of a fault. */
function lastWords(kernel: Kernel, error: unknown): number {
  if (!isServiceError(error)) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    kernel.use(Log).error({ reason }, 'unknown exception: this process ends');
    return EXIT_FAULT;
  }
  process.stderr.write(`svc: ${error.message} (${error.code})\n  → ${error.next}\n`);
  return error.status === 401 ? EXIT_REFUSED : EXIT_FAULT;
}

/**
 * Ties a kernel to its process: SIGTERM and SIGINT stop it in order (exit 0; a second signal exits at once), and an
 * unknown exception ends it, because durability recovers and a half-broken server does not.
 */
export function ownProcess(kernel: Kernel): Promise<void> {
  return new Promise((resolve) => {
    let signalled = false;
    const onSignal = (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => {
      if (signalled) process.exit(statusOf(signal));
      signalled = true;
      void kernel.stop().then(({ failures }) => {
        process.exitCode = failures.length > 0 ? 1 : 0;
        resolve();
      });
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
    process.on('uncaughtException', (error) => process.exit(lastWords(kernel, error)));
  });
}
