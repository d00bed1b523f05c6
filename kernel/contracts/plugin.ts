import type { Migration } from './database.ts';
import type { Role, Settings } from './settings.ts';
import { type ExtensionPoint, type Resolve, type Token, token } from './tokens.ts';

/** The contents of plugin.json, which is validated before any code of the plugin is loaded. */
export interface PluginManifest {
  /** kebab-case, unique. */
  id: string;
  version: string;
  /** Range of kernel API majors, e.g. `^1`. */
  kernel: string;
  /** Ids of plugins whose contract this one imports or whose services it uses. */
  requires: readonly string[];
  /** Names of the tokens it binds. */
  provides: readonly string[];
  /** Names of the extension points it contributes to. */
  contributes: readonly string[];
  /** The roles (`Role`) whose processes load its code. Defaults to all. */
  roles?: readonly string[];
  /** Its purpose in one sentence; `svc plugins` prints it. */
  summary: string;
  /** Its folder has `adapter.ts`, which exports `adapt: Adapt`. */
  adapts?: boolean;
}

/** A plugin that an adapter built from data. */
export interface AdaptedPlugin {
  plugin: Plugin;
  /** Where the data is, for errors and `svc plugins`. */
  origin: string;
  builtin: boolean;
}

/**
 * Builds plugins from data. It is called before registration, so it has nothing but the role and the environment. Throws a
 * ServiceError that lists everything that is wrong with the data. The plugins have ids such as `connector:team_chat` and
 * require the adapting plugin.
 */
export type Adapt = (process: Pick<Settings, 'role' | 'env'>) => Promise<readonly AdaptedPlugin[]>;

/** The plugins of this process in boot order, their migrations, and their contributions to the points read so far. */
export interface LoadedPlugins {
  readonly list: readonly (Pick<AdaptedPlugin, 'origin' | 'builtin'> & { manifest: PluginManifest })[];
  contributed(): readonly { plugin: string; point: string; key: string | undefined; made: unknown }[];
  readonly migrations: readonly PluginMigrations[];
}

export const LoadedPlugins = token<LoadedPlugins>('kernel.LoadedPlugins');

/** Closes what a phase opened. The kernel awaits it with a time limit and continues in any case. */
export type Stop = () => void | Promise<void>;

/** The phases that run code of plugins, in order. */
export type Phase = 'check' | 'migrate' | 'init' | 'start' | 'listen' | 'ready';

/** The migrations that one plugin has declared. */
export interface PluginMigrations {
  plugin: string;
  /** The version of the plugin. */
  version?: string;
  /** Set for the plugins that svc itself consists of. */
  builtin?: boolean;
  migrations: readonly Migration[];
}

/**
 * What a plugin may do while it registers: declare, and nothing else. It must not do I/O or resolve services yet. The hook of
 * a phase runs only in the roles that it names. The function that a hook returns closes what the hook opened; the kernel
 * calls these in reverse order when it stops, or when a later phase fails.
 */
export interface PluginSetup {
  readonly id: string;
  /** Binds a service, which is created when it is first used. */
  bind<T>(token: Token<T>, make: (use: Resolve) => T): void;
  /** A service that only this plugin uses, created at the first call of what is returned. */
  own<T>(make: (use: Resolve) => T): (use: Resolve) => T;
  /** Adds one or several contributions, which are created when the point is first read. */
  contribute<T>(point: ExtensionPoint<T>, make: (use: Resolve) => T | readonly T[]): void;
  /** Declares the tables that this plugin owns. They are named `<plugin>_<plural>`. */
  migrations(list: readonly Migration[]): void;
  /** Validates settings, so that a wrong one stops the start before the database is touched. */
  onCheck(roles: readonly Role[], run: (use: Resolve) => Promise<void> | Promise<Stop>): void;
  /** Opens the database and migrates its schema. `migrations` are those of all plugins, in boot order. */
  onMigrate(
    roles: readonly Role[],
    run: (use: Resolve, migrations: readonly PluginMigrations[]) => Promise<Stop>,
  ): void;
  /** Loads what must be in memory before anything starts. The schema is up to date. */
  onInit(roles: readonly Role[], run: (use: Resolve) => Promise<void> | Promise<Stop>): void;
  /** Starts background work. */
  onStart(roles: readonly Role[], run: (use: Resolve) => Promise<Stop>): void;
  /** Starts to accept connections. Everything behind them has started. */
  onListen(roles: readonly Role[], run: (use: Resolve) => Promise<Stop>): void;
  /** Called when the server listens and its address is known. */
  onReady(roles: readonly Role[], run: (use: Resolve) => Promise<void>): void;
}

export interface Plugin {
  readonly manifest: PluginManifest;
  register(setup: PluginSetup): void;
}

/** The default export of every `plugin.ts`. */
export function definePlugin(manifest: PluginManifest, register: (setup: PluginSetup) => void): Plugin {
  return { manifest, register };
}

export const ALL_ROLES: readonly Role[] = ['server', 'agent', 'dev', 'local'];
/** The roles that have a database. */
export const SERVER_ROLES: readonly Role[] = ['server', 'dev', 'local'];
/** The roles that run activities. */
export const AGENT_ROLES: readonly Role[] = ['agent', 'dev', 'local'];
