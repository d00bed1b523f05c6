import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Migration, Plugin, PluginSetup, Resolve, Role, Stop } from '../contracts/index.ts';
import { isServiceError } from '../contracts/index.ts';
import type { Registry } from '../registry/registry.ts';
import { BootErrors } from './errors.ts';
import type { Candidate } from './validate.ts';

type Hook<R> = { plugin: string; roles: readonly Role[]; run: (use: Resolve) => Promise<R> };

/** Everything the plugins declared, in boot order. */
export interface Declared {
  migrations: { plugin: string; migrations: readonly Migration[] }[];
  init: Hook<void>[];
  start: Hook<Stop>[];
  ready: Hook<void>[];
}

const ENTRIES = ['plugin.ts', 'plugin.js', 'plugin.mjs'];

/** Loads a plugin's code. What its module throws is blamed on it. */
async function load(candidate: Candidate): Promise<Plugin> {
  const { id } = candidate.manifest;
  const entry = ENTRIES.map((name) => join(candidate.folder, name)).find((path) => existsSync(path));
  if (entry === undefined)
    throw BootErrors.pluginsInvalid(`${candidate.origin}: has none of ${ENTRIES.join(', ')} beside its plugin.json`);
  let module: { default?: Plugin };
  try {
    module = (await import(pathToFileURL(entry).href)) as { default?: Plugin };
  } catch (error) {
    throw blame(id, 'load', error);
  }
  if (typeof module.default?.register !== 'function')
    throw BootErrors.pluginsInvalid(`${candidate.origin}: ${entry} must export default definePlugin(…)`);
  return module.default;
}

/** Runs every plugin's register(): synchronous, declarations only. */
export async function register(candidates: readonly Candidate[], registry: Registry): Promise<Declared> {
  const declared: Declared = { migrations: [], init: [], start: [], ready: [] };
  const plugins = await Promise.all(candidates.map(load));
  for (const [index, plugin] of plugins.entries()) {
    const { id } = candidates[index]!.manifest;
    try {
      plugin.register(setupFor(id, registry, declared));
    } catch (error) {
      throw blame(id, 'register', error);
    }
  }
  return declared;
}

function setupFor(id: string, registry: Registry, declared: Declared): PluginSetup {
  return {
    id,
    bind: (token, make) => registry.bind(id, token, make),
    contribute: (point, make) => registry.contribute(id, point, make),
    migrations: (list) => declared.migrations.push({ plugin: id, migrations: list }),
    onInit: (roles, run) => declared.init.push({ plugin: id, roles, run }),
    onStart: (roles, run) => declared.start.push({ plugin: id, roles, run }),
    onReady: (roles, run) => declared.ready.push({ plugin: id, roles, run }),
  };
}

/** A coded error stays as it is: it says what to do. Anything else is named with plugin, phase and likely cause. */
export function blame(plugin: string, phase: string, error: unknown): Error {
  if (isServiceError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return BootErrors.pluginFailed(`plugin ${plugin} failed in phase ${phase}: ${message}${likelyCause(message)}`, {
    cause: error,
  });
}

function likelyCause(message: string): string {
  if (/Stripping types is currently unsupported for files under node_modules/.test(message))
    return '; a plugin that is installed as a package must ship JavaScript (plugin.js)';
  if (/Cannot find (module|package)/.test(message))
    return '; is it installed, and do relative imports name the file ending?';
  if (/does not provide an export/.test(message)) return '; was the plugin written for another version of svc?';
  return '';
}
