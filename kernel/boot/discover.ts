import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '../contracts/index.ts';
import { locate } from './locate.ts';
import type { PluginSelection } from './select.ts';
import { packageFolder } from './settings.ts';

const HOME = join(packageFolder, 'plugins');

/** A plugin that was found; its code is not loaded yet. */
export interface DiscoveredPlugin {
  /** How errors name the plugin: its id is known only after validation. */
  origin: string;
  folder: string;
  builtin: boolean;
  /** The wing of a built-in plugin. */
  wing?: string;
  /** The parsed plugin.json, not validated yet. */
  manifest: unknown;
  /** Why plugin.json could not be read. */
  problem?: string;
  /** Its code, if the caller passed it. */
  plugin?: Plugin;
}

/**
 * Returns the built-in plugins, then the others in the given order: folders, packages or loaded plugins. `wanted` may
 * name built-in plugins too.
 */
export async function discover(extra: readonly string[], selection: PluginSelection = []): Promise<DiscoveredPlugin[]> {
  const folders = await builtinFolders();
  const builtin = folders.map(({ wing, id }) => read(join(HOME, wing, id), `plugins/${wing}/${id}`, wing));
  const ids = new Set(folders.map(({ id }) => id));
  const outside = selection.filter((entry) => typeof entry !== 'string' || !ids.has(entry));
  const named = [...extra, ...outside].map((name) => {
    if (typeof name !== 'string') return fromLoadedPlugin(name);
    const folder = locate(name);
    return folder === undefined ? notFound(name) : read(folder, name);
  });
  return Promise.all([...builtin, ...named]);
}

/** The folders of the built-in plugins, sorted by id. `plugins/wings.json` lists the wings from the ground up. */
async function builtinFolders(): Promise<{ wing: string; id: string }[]> {
  const folders = await Promise.all(
    (await readWings()).map(async (wing) =>
      (await readdir(join(HOME, wing)))
        .filter((id) => existsSync(join(HOME, wing, id, 'plugin.json')))
        .map((id) => ({ wing, id })),
    ),
  );
  return folders.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The names of the wings, from the ground up: a plugin imports from its own wing and from those below it. */
export async function readWings(): Promise<string[]> {
  const { wings } = JSON.parse(await readFile(join(HOME, 'wings.json'), 'utf8')) as { wings: { name: string }[] };
  return wings.map(({ name }) => name);
}

function fromLoadedPlugin(plugin: Plugin): Promise<DiscoveredPlugin> {
  const { manifest } = plugin;
  return Promise.resolve({ origin: manifest.id, folder: '', builtin: false, manifest, plugin });
}

function notFound(name: string): Promise<DiscoveredPlugin> {
  const problem = 'no folder or installed package with this name has a plugin.json';
  return Promise.resolve({ origin: name, folder: '', builtin: false, manifest: undefined, problem });
}

async function read(folder: string, origin: string, wing?: string): Promise<DiscoveredPlugin> {
  const builtin = wing !== undefined;
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8'));
    return { origin, folder, builtin, wing, manifest };
  } catch (error) {
    return { origin, folder, builtin, wing, manifest: undefined, problem: `plugin.json: ${(error as Error).message}` };
  }
}
