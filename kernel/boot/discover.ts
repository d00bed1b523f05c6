import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '../contracts/index.ts';
import { locate } from './locate.ts';
import type { Wanted } from './select.ts';
import { packageFolder } from './settings.ts';

/** A plugin that was found; its code is not loaded yet. */
export interface Found {
  /** Its name for errors, because its id is known only after validation. */
  origin: string;
  folder: string;
  builtin: boolean;
  /** The parsed plugin.json, unchecked; or why it could not be read. */
  manifest: unknown;
  fault?: string;
  /** Its code, if the caller passed it. */
  plugin?: Plugin;
}

/**
 * The built-in plugins, then others in the given order: folders, packages or loaded plugins. `wanted` may also name
 * built-in ones.
 */
export async function discover(extra: readonly string[], wanted: Wanted = []): Promise<Found[]> {
  const home = join(packageFolder, 'plugins');
  const entries = await readdir(home, { withFileTypes: true });
  const ids = entries
    .filter((entry) => entry.isDirectory() && existsSync(join(home, entry.name, 'plugin.json')))
    .map(({ name }) => name);
  const builtin = ids.map((id) => read(join(home, id), `plugins/${id}`, true));
  const outside = wanted.filter((one) => typeof one !== 'string' || !ids.includes(one));
  const named = [...extra, ...outside].map((name) => {
    if (typeof name !== 'string') return given(name);
    const folder = locate(name);
    return folder === undefined ? missing(name) : read(folder, name, false);
  });
  return Promise.all([...builtin, ...named]);
}

function given(plugin: Plugin): Promise<Found> {
  const { manifest } = plugin;
  return Promise.resolve({ origin: manifest.id, folder: '', builtin: false, manifest, plugin });
}

function missing(name: string): Promise<Found> {
  const fault = 'no folder or installed package with this name has a plugin.json';
  return Promise.resolve({ origin: name, folder: '', builtin: false, manifest: undefined, fault });
}

async function read(folder: string, origin: string, builtin: boolean): Promise<Found> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8'));
    return { origin, folder, builtin, manifest };
  } catch (error) {
    return { origin, folder, builtin, manifest: undefined, fault: `plugin.json: ${(error as Error).message}` };
  }
}
