import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A module of a plugin: its commands (`cli/table.ts`) or its script verbs (`cli/verbs.ts`). */
export interface Source {
  /** The plugin's name for errors. */
  origin: string;
  load: () => Promise<unknown>;
}

/** Finds the modules in a clone. In prebuilt files, cli/prebuilt/bundle.mjs replaces this module with a fixed list. */
export async function findBuiltIns(file: 'table' | 'verbs'): Promise<Source[]> {
  const home = resolve(import.meta.dirname, '../plugins');
  const sources = globSync(`*/*/cli/${file}.ts`, { cwd: home }).map((path) => {
    const [wing = '', id = ''] = path.split('/');
    const load = () => import(pathToFileURL(join(home, path)).href);
    return { id, origin: `plugins/${wing}/${id}`, load };
  });
  return sources.sort((a, b) => (a.id < b.id ? -1 : 1));
}
