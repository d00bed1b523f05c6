import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  isServiceError,
  type Phase,
  type Plugin,
  type PluginMigrations,
  type PluginSetup,
  type Resolve,
  type Role,
  type Stop,
} from '../contracts/index.ts';
import type { Registry } from '../registry/registry.ts';
import { BootErrors } from './errors.ts';
import type { Candidate } from './validate.ts';

interface Hook {
  plugin: string;
  roles: readonly Role[];
  run(use: Resolve, migrations: readonly PluginMigrations[]): Promise<void> | Promise<Stop>;
}

/** Everything the plugins declared, in boot order. */
export interface Declared {
  migrations: PluginMigrations[];
  hooks: Record<Phase, Hook[]>;
}

const ENTRIES = ['plugin.ts', 'plugin.js', 'plugin.mjs'];

/** Loads a plugin's code. An error of its module names the plugin. */
async function load(candidate: Candidate): Promise<Plugin> {
  if (candidate.plugin) return candidate.plugin;
  const { id } = candidate.manifest;
  const entry = ENTRIES.map((name) => join(candidate.folder, name)).find((path) => existsSync(path));
  if (entry === undefined)
    throw BootErrors.pluginsInvalid(
      `${candidate.origin}: its folder has a plugin.json, but none of ${ENTRIES.join(', ')}`,
    );
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
  const declared: Declared = {
    migrations: [],
    hooks: { check: [], migrate: [], init: [], start: [], listen: [], ready: [] },
  };
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
  const hook = (phase: Phase) => (roles: readonly Role[], run: Hook['run']) =>
    void declared.hooks[phase].push({ plugin: id, roles, run });
  return {
    id,
    bind: (token, make) => registry.bind(id, token, make),
    own(make) {
      const token = registry.own(id, make);
      return (use) => use(token);
    },
    contribute: (point, make) => registry.contribute(id, point, make),
    migrations: (list) => declared.migrations.push({ plugin: id, migrations: list }),
    onCheck: hook('check'),
    onMigrate: hook('migrate'),
    onInit: hook('init'),
    onStart: hook('start'),
    onListen: hook('listen'),
    onReady: hook('ready'),
  };
}

/** A coded error is kept: it says what to do. Any other error gets plugin, phase and likely cause. */
export function blame(plugin: string, phase: string, error: unknown): Error {
  if (isServiceError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return BootErrors.pluginFailed(`plugin ${plugin} failed in phase ${phase}: ${message}${likelyCause(message)}`, {
    cause: error,
  });
}

function likelyCause(message: string): string {
  if (/Stripping types is currently unsupported for files under node_modules/.test(message))
    return '; a plugin that is installed as a package must contain JavaScript (plugin.js)';
  if (/Cannot find (module|package)/.test(message))
    return '; is it installed, and do relative imports name the file ending?';
  if (/does not provide an export/.test(message)) return '; was the plugin written for another version of svc?';
  return '';
}
