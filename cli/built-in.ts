import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A module of a plugin: its commands (`cli/table.ts`) or its script verbs (`cli/verbs.ts`). */
export interface Source {
  /** The plugin's name for errors. */
  origin: string;
  load: () => Promise<unknown>;
}

/** Finds them in a clone. In the built package, cli/build/build.mjs replaces this file with a fixed list. */
export async function builtIn(file: 'table' | 'verbs'): Promise<Source[]> {
  const home = resolve(import.meta.dirname, '../plugins');
  const found = (await readdir(home)).sort().map((id) => ({ id, path: join(home, id, 'cli', `${file}.ts`) }));
  return found
    .filter(({ path }) => existsSync(path))
    .map(({ id, path }) => ({ origin: `plugins/${id}`, load: () => import(pathToFileURL(path).href) }));
}
