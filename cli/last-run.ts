import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lastRunsFolder } from './client/profile-path.ts';
import type { Client } from './client/client.ts';
import type { Invocation } from './command.ts';
import type { Profile } from './client/profile.ts';

/** The environment and the folder in which a command was called. */
export interface Caller {
  env: Readonly<Record<string, string | undefined>>;
  /** The working folder. */
  folder: string;
}

type Project = Pick<Profile, 'url' | 'org' | 'project'>;

const RUN_ID = /^run_\w{1,64}$/;
/** The maximum number of files, one for each project and folder. */
const MAX_FILES = 1000;
/** How many files are removed at once, so that not every submit has to look for the oldest. */
const PRUNE_COUNT = 100;

function lastRunPath({ url, org, project }: Project, { env }: Caller, folder: string): string {
  const key = JSON.stringify([url.replace(/\/+$/, ''), org, project, folder]);
  return join(lastRunsFolder(env), `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
}

/**
 * Stores the run for `@last`. The file is written under a temporary name and renamed, so that one of two concurrent commands
 * wins and no reader sees half of it.
 */
export async function storeLastRun(project: Project, caller: Caller, run_id: string): Promise<void> {
  const file = lastRunPath(project, caller, caller.folder);
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { url, org, project: name } = project;
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify({ run_id, folder: caller.folder, url, org, project: name })}\n`, {
      mode: 0o600,
      flag: 'wx',
    });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await removeOldest(folder);
}

/** Stores the run that a command has submitted. The run exists in any case, so a failure here is only a warning. */
export async function rememberSubmitted(
  { profile }: Pick<Client, 'profile'>,
  { env, output }: Pick<Invocation, 'env' | 'output'>,
  run_id: string,
): Promise<void> {
  try {
    await storeLastRun(profile, { env, folder: process.cwd() }, run_id);
  } catch (error) {
    output.note(`warning: @last does not refer to this run: ${(error as Error).message}`);
  }
}

/** Returns the run that was submitted last to a project from this folder, or else from the nearest folder above it. */
export async function lastRun(project: Project, caller: Caller): Promise<string | undefined> {
  for (let folder = caller.folder; ; folder = dirname(folder)) {
    const run_id = await readRun(lastRunPath(project, caller, folder));
    if (run_id !== undefined || folder === dirname(folder)) return run_id;
  }
}

/** Returns undefined for a file that somebody has changed by hand. */
async function readRun(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  });
  try {
    const { run_id } = (JSON.parse(text) ?? {}) as { run_id?: unknown };
    return typeof run_id === 'string' && RUN_ID.test(run_id) ? run_id : undefined;
  } catch {
    return undefined;
  }
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MAX_FILES) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      // Another command may have removed it meanwhile.
      const info = await stat(path).catch(() => undefined);
      return { path, at: info?.mtimeMs ?? 0 };
    }),
  );
  const oldest = files.toSorted((a, b) => a.at - b.at).slice(0, PRUNE_COUNT);
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })));
}
