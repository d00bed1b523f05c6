import type { Migration } from './database.ts';
import type { Role, Settings } from './settings.ts';
import { type ExtensionPoint, type Resolve, type Token, token } from './tokens.ts';

/** plugin.json: validated before any code of the plugin is loaded. */
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
  /** Only processes of these roles (`Role`) load its code; absent: all. */
  roles?: readonly string[];
  /** Its purpose in one sentence; `svc plugins` prints it. */
  summary: string;
  /** Its folder has `adapter.ts`, which exports `adapt: Adapt`. */
  adapts?: boolean;
}

/** A plugin that was made of data. */
export interface AdaptedPlugin {
  plugin: Plugin;
  /** Where the data is, for errors and `svc plugins`. */
  origin: string;
  builtin: boolean;
}

/**
 * Makes plugins of data. Called before registration, so it has role and environment and nothing else. Throws a ServiceError
 * with every fault of the data. The plugins have ids such as `connector:team_chat` and require the adapting one.
 */
export type Adapt = (process: Pick<Settings, 'role' | 'env'>) => Promise<readonly AdaptedPlugin[]>;

/** The plugins of this process in boot order, their schema, and what each has contributed to points that were read. */
export interface LoadedPlugins {
  readonly list: readonly (Pick<AdaptedPlugin, 'origin' | 'builtin'> & { manifest: PluginManifest })[];
  contributed(): readonly { plugin: string; point: string; key: string | undefined; made: unknown }[];
  readonly migrations: readonly PluginMigrations[];
}

export const LoadedPlugins = token<LoadedPlugins>('kernel.LoadedPlugins');

/** Closes what a phase opened. The kernel awaits it with a time limit and continues in any case. */
export type Stop = () => void | Promise<void>;

/** The phases that run code of plugins, in their order. */
export type Phase = 'check' | 'migrate' | 'init' | 'start' | 'listen' | 'ready';

/** What one plugin has declared by `migrations`. */
export interface PluginMigrations {
  plugin: string;
  /** Of the plugin. */
  version?: string;
  /** It is a part of svc. */
  builtin?: boolean;
  migrations: readonly Migration[];
}

/**
 * What a plugin may do while it registers: only declarations, no I/O, no resolving. Work of a phase runs in the named
 * roles only. The function that it returns closes what it opened: when the kernel stops, or when a later phase fails,
 * in reverse order.
 */
export interface PluginSetup {
  readonly id: string;
  /** A service, created at its first use. */
  bind<T>(token: Token<T>, make: (use: Resolve) => T): void;
  /** A service that only this plugin uses, created at the first call of what is returned. */
  own<T>(make: (use: Resolve) => T): (use: Resolve) => T;
  /** One or many contributions, created when the point is first read. */
  contribute<T>(point: ExtensionPoint<T>, make: (use: Resolve) => T | readonly T[]): void;
  /** Schema owned by this plugin. Tables are named `<plugin>_<plural>`. */
  migrations(list: readonly Migration[]): void;
  /** Reads settings: a wrong one must stop the start before the database is touched. */
  onCheck(roles: readonly Role[], run: (use: Resolve) => Promise<void> | Promise<Stop>): void;
  /** Opens the database and brings its schema up to date. `migrations` are those of all plugins, in boot order. */
  onMigrate(
    roles: readonly Role[],
    run: (use: Resolve, migrations: readonly PluginMigrations[]) => Promise<Stop>,
  ): void;
  /** The schema is in place, nothing has started: loads what must be known. */
  onInit(roles: readonly Role[], run: (use: Resolve) => Promise<void> | Promise<Stop>): void;
  /** Starts background work. */
  onStart(roles: readonly Role[], run: (use: Resolve) => Promise<Stop>): void;
  /** Opens the ways in: everything behind them has started. */
  onListen(roles: readonly Role[], run: (use: Resolve) => Promise<Stop>): void;
  /** The address of the server is known. */
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
/** Roles that hold a database. */
export const SERVER_ROLES: readonly Role[] = ['server', 'dev', 'local'];
/** Roles that run work. */
export const AGENT_ROLES: readonly Role[] = ['agent', 'dev', 'local'];
