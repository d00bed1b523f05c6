import {
  armFailpoints,
  Clock,
  Errors,
  HttpAddress,
  Ids,
  LoadedPlugins,
  Log,
  type Phase,
  type Replacement,
  type Resolve,
  type Role,
  Settings,
} from '../contracts/index.ts';
import { Registry } from '../registry/registry.ts';
import { withAdapted } from './adapt.ts';
import { discover } from './discover.ts';
import { order } from './order.ts';
import { runPhase, type Started } from './phases.ts';
import { register } from './register.ts';
import { seal } from './seal.ts';
import { loadedBy, select, type PluginSelection } from './select.ts';
import { systemClock } from './services/clock.ts';
import { createIds } from './services/ids.ts';
import { createLog } from './services/log.ts';
import { readSettings } from './settings.ts';
import { type StopReport, stopAll } from './stop.ts';
import { type Candidate, validate } from './validate.ts';

export interface BootOptions {
  role: Role;
  env: Readonly<Record<string, string | undefined>>;
  settings?: Partial<Settings>;
  /**
   * The plugins to load, together with what they require: ids, folders, packages or plugin objects. Defaults to all
   * built-in plugins.
   */
  plugins?: PluginSelection;
  /** Services that replace those of the kernel and of plugins. */
  replace?: readonly Replacement[];
  /** Defaults to the machine's clock. */
  clock?: Clock;
  /** Stops after `init`, to administer a database without serving it. */
  quiet?: boolean;
  /** Stops after registration: for tools, which use code and no state. */
  bare?: boolean;
  /** Serves without background work: skips the phase `start`, for tests that run each pass themselves. */
  idle?: boolean;
}

export interface Kernel {
  readonly settings: Settings;
  readonly use: Resolve;
  /** The server's address. Throws in a role that runs no server. */
  base_url(): string;
  /** Safe to call twice: the second call returns the report of the first. */
  stop(): Promise<StopReport>;
}

const BOUND_MS = 30_000;

/** Returns the validated plugins in boot order. Loads no code of theirs, except that of adapters. */
export async function plan(
  extra: readonly string[],
  { plugins, replace, role = 'server', env = {} }: Partial<BootOptions> = {},
): Promise<Candidate[]> {
  const chosen = select(validate(await discover(extra, plugins)), plugins, replace);
  return order(await withAdapted(chosen, { role, env })).filter(loadedBy(role));
}

/** Boots a kernel through all its phases. When a phase fails, everything that was started is stopped again. */
export async function boot(options: BootOptions): Promise<Kernel> {
  armFailpoints(options.env.SVC_FAILPOINTS);
  const settings = readSettings(options.role, options.env, options.settings);
  const bound_ms = bootBound(settings);
  const registry = new Registry();
  for (const replacement of options.replace ?? []) registry.replace(replacement);
  bindKernel(registry, settings, options.clock ?? systemClock);
  const candidates = await plan(settings.plugins, options);
  const loaded = () => ({ list: candidates, contributed: () => registry.contributed, migrations: declared.migrations });
  registry.bind('kernel', LoadedPlugins, loaded);
  const declared = await register(candidates, registry);
  seal(candidates, registry);
  for (const { plugin, from, to } of registry.moved)
    registry
      .use(Log)
      .warn({ plugin }, `plugin ${plugin} contributes to ${from}, which is now ${to}; update the plugin`);
  const { use } = registry;
  const started: Started[] = [];
  let stopping: Promise<StopReport> | undefined;
  const stop = () => {
    stopping ??= stopAll(started, { clock: use(Clock), log: use(Log), bound_ms: BOUND_MS });
    return stopping;
  };
  try {
    const rules = { role: settings.role, clock: use(Clock), bound_ms, use };
    for (const phase of phasesOf(options)) await runPhase(phase, declared, rules, started);
  } catch (error) {
    await stop();
    throw error;
  }
  return { settings, use, base_url: () => use(HttpAddress).base_url(), stop };
}

/** Binds the services that the kernel itself provides. Plugins provide the rest. */
function bindKernel(registry: Registry, settings: Settings, clock: Clock): void {
  const { env, role } = settings;
  const log = createLog(env.SVC_LOG_LEVEL || (role === 'server' ? 'info' : 'warn'), { role, pid: process.pid });
  registry.bind('kernel', Settings, () => settings);
  registry.bind('kernel', Clock, () => clock);
  registry.bind('kernel', Log, () => log);
  registry.bind('kernel', Ids, (use) => createIds(use(Clock)));
}

function phasesOf({ bare, quiet, idle }: BootOptions): readonly Phase[] {
  if (bare) return [];
  const prepared = ['check', 'migrate', 'init'] as const;
  if (quiet) return prepared;
  return idle ? [...prepared, 'listen', 'ready'] : [...prepared, 'start', 'listen', 'ready'];
}

function bootBound(settings: Settings): number {
  const text = settings.env.SVC_BOOT_TIMEOUT || String(BOUND_MS);
  if (!/^\d{1,7}$/.test(text))
    throw Errors.settingInvalid(`SVC_BOOT_TIMEOUT is "${text}"; it must be a number of milliseconds`);
  return Number(text);
}
