import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalRecord } from '../../plugins/engine/runs/contract.ts';

/** What a run left behind, as its agent was last handed it. Written once by `record.ts`, and never again. */
export interface History {
  /** Of the project, when it was recorded. */
  version: string;
  filename: string;
  source: string;
  journal: JournalRecord[];
  output: unknown;
}

const here = import.meta.dirname;
export const recordings = join(here, 'recorded');

/** The scripts that are recorded anew with each version. */
export async function scripts(): Promise<{ filename: string; source: string }[]> {
  const folder = join(here, 'scripts');
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (filename) => ({ filename, source: await readFile(join(folder, filename), 'utf8') })),
  );
}

/** Every history of every version. */
export async function histories(): Promise<History[]> {
  const names = (await readdir(recordings)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(recordings, name), 'utf8')) as History));
}
