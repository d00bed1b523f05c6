import type { Migration } from './database.ts';
import type { Role } from './settings.ts';
import type { ExtensionPoint, Resolve, Token } from './tokens.ts';

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
  /** What it is for, in one sentence; `svc plugins` prints it. */
  summary: string;
}

/** Undoes a start. The kernel awaits it, bounded in time, and goes on whatever it does. */
export type Stop = () => void | Promise<void>;

/** What a plugin may do while it registers: no I/O, no resolving, only declarations. */
export interface PluginSetup {
  readonly id: string;
  /** A service, made once at its first use. */
  bind<T>(token: Token<T>, make: (use: Resolve) => T): void;
  /** One or many contributions, made when the point is first read. */
  contribute<T>(point: ExtensionPoint<T>, make: (use: Resolve) => T | readonly T[]): void;
  /** Schema owned by this plugin. Tables are named `<plugin>_<plural>`. */
  migrations(list: readonly Migration[]): void;
  /** After the schema is in place and before anything starts; only in the roles named. */
  onInit(roles: readonly Role[], run: (use: Resolve) => Promise<void>): void;
  /** Starts background work; the returned function stops it. */
  onStart(roles: readonly Role[], run: (use: Resolve) => Promise<Stop>): void;
  /** After the server listens: its address is known. */
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

/** Roles that hold a database. */
export const SERVER_ROLES: readonly Role[] = ['server', 'dev', 'local'];
/** Roles that run work. */
export const AGENT_ROLES: readonly Role[] = ['agent', 'dev', 'local'];
