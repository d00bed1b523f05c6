import type { Phase, Plugin, PluginMigrations, PluginSetup, Resolve, Role, Stop } from '../contracts/index.ts';
import type { Registry } from '../registry/registry.ts';
import { BootErrors } from './errors.ts';
import { attributeToPlugin, loadFile } from './load.ts';
import type { Candidate } from './validate.ts';

interface Hook {
  plugin: string;
  roles: readonly Role[];
  run(use: Resolve, migrations: readonly PluginMigrations[]): Promise<void> | Promise<Stop>;
}

/** Everything that the plugins declared, in boot order. */
export interface Declared {
  migrations: PluginMigrations[];
  hooks: Record<Phase, Hook[]>;
}

/** Loads a plugin's code. */
async function load(candidate: Candidate): Promise<Plugin> {
  if (candidate.plugin) return candidate.plugin;
  const { default: plugin } = await loadFile<{ default?: Plugin }>(candidate, 'plugin');
  if (typeof plugin?.register !== 'function')
    throw BootErrors.pluginsInvalid(`${candidate.origin}: its plugin file must export default definePlugin(…)`);
  return plugin;
}

/** Calls every plugin's register(), which is synchronous and only declares. */
export async function register(candidates: readonly Candidate[], registry: Registry): Promise<Declared> {
  const declared: Declared = {
    migrations: [],
    hooks: { check: [], migrate: [], init: [], start: [], listen: [], ready: [] },
  };
  const plugins = await Promise.all(candidates.map(load));
  for (const [index, plugin] of plugins.entries()) {
    const candidate = candidates[index]!;
    const { id } = candidate.manifest;
    try {
      plugin.register(setupFor(candidate, registry, declared));
    } catch (error) {
      throw attributeToPlugin(id, 'register', error);
    }
  }
  return declared;
}

function setupFor({ manifest, builtin }: Candidate, registry: Registry, declared: Declared): PluginSetup {
  const { id, version } = manifest;
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
    migrations: (list) => declared.migrations.push({ plugin: id, version, builtin, migrations: list }),
    onCheck: hook('check'),
    onMigrate: hook('migrate'),
    onInit: hook('init'),
    onStart: hook('start'),
    onListen: hook('listen'),
    onReady: hook('ready'),
  };
}
