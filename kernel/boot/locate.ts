import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Reads SVC_PLUGINS: folders and packages, separated by `:` or `,`. */
export const extraPlugins = (env: Readonly<Record<string, string | undefined>>): string[] =>
  (env.SVC_PLUGINS ?? '').split(/[:,]/).filter((name) => name !== '');

/** Finds the folder of a plugin: a path, or a package in a node_modules folder here or above. */
export function locate(name: string): string | undefined {
  const path = resolve(name);
  if (existsSync(join(path, 'plugin.json'))) return path;
  if (isAbsolute(name) || name.startsWith('.')) return undefined;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'plugin.json'))) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}
