import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { packageFolder } from './settings.ts';

/** A plugin that was found; its code is not loaded yet. */
export interface Found {
  /** What to call it in errors: its id is known only after validation. */
  origin: string;
  folder: string;
  builtin: boolean;
  /** The parsed plugin.json, unchecked; or why there is none. */
  manifest: unknown;
  fault?: string;
}

/** Built-in plugins of the package, then those of SVC_PLUGINS in the order given. */
export async function discover(extra: readonly string[]): Promise<Found[]> {
  const home = join(packageFolder, 'plugins');
  const entries = await readdir(home, { withFileTypes: true });
  const builtin = entries
    .filter((entry) => entry.isDirectory() && existsSync(join(home, entry.name, 'plugin.json')))
    .map((entry) => read(join(home, entry.name), `plugins/${entry.name}`, true));
  const named = extra.map((name) => {
    const folder = locate(name);
    return folder === undefined ? missing(name) : read(folder, name, false);
  });
  return Promise.all([...builtin, ...named]);
}

function missing(name: string): Promise<Found> {
  const fault = 'no folder and no installed package of that name has a plugin.json';
  return Promise.resolve({ origin: name, folder: '', builtin: false, manifest: undefined, fault });
}

/** A path, or a package in a node_modules folder here or above. */
function locate(name: string): string | undefined {
  const path = resolve(name);
  if (existsSync(join(path, 'plugin.json'))) return path;
  if (isAbsolute(name) || name.startsWith('.')) return undefined;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'plugin.json'))) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

async function read(folder: string, origin: string, builtin: boolean): Promise<Found> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8'));
    return { origin, folder, builtin, manifest };
  } catch (error) {
    return { origin, folder, builtin, manifest: undefined, fault: `plugin.json: ${(error as Error).message}` };
  }
}
