import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lastRunsFolder } from './client/profile-path.ts';
import type { Client } from './client/client.ts';
import type { Invocation } from './command.ts';
import type { Profile } from './client/profile.ts';

/** Where a command is called. */
export interface Caller {
  env: Readonly<Record<string, string | undefined>>;
  /** The working folder. */
  folder: string;
}

type Project = Pick<Profile, 'url' | 'org' | 'project'>;

const RUN_ID = /^run_\w{1,64}$/;
/** Files kept, one for each project and folder. */
const MAX_KEPT = 1000;
/** Removed at a time when there are more, so that not every submit looks for the oldest. */
const REMOVED = 100;

function fileOf({ url, org, project }: Project, { env }: Caller, folder: string): string {
  const key = JSON.stringify([url.replace(/\/+$/, ''), org, project, folder]);
  return join(lastRunsFolder(env), `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
}

/** Keeps the run for `@last`. Written beside and renamed: of two commands at once one wins, and no reader sees half of it. */
export async function rememberRun(project: Project, caller: Caller, run_id: string): Promise<void> {
  const file = fileOf(project, caller, caller.folder);
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

/** Keeps what a command has submitted. The run is made whatever happens here, so a fault is said and no more. */
export async function rememberSubmitted(
  { profile }: Pick<Client, 'profile'>,
  { env, output }: Pick<Invocation, 'env' | 'output'>,
  run_id: string,
): Promise<void> {
  try {
    await rememberRun(profile, { env, folder: process.cwd() }, run_id);
  } catch (error) {
    output.note(`warning: @last does not know this run: ${(error as Error).message}`);
  }
}

/** The run that was submitted last to a project from this folder, or else from the nearest one above it. */
export async function lastRun(project: Project, caller: Caller): Promise<string | undefined> {
  for (let folder = caller.folder; ; folder = dirname(folder)) {
    const found = await readRun(fileOf(project, caller, folder));
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

/** A file that somebody has changed by hand says nothing. */
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
  if (names.length <= MAX_KEPT) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      // Another command may have removed it meanwhile.
      const found = await stat(path).catch(() => undefined);
      return { path, at: found?.mtimeMs ?? 0 };
    }),
  );
  const oldest = files.toSorted((a, b) => a.at - b.at).slice(0, REMOVED);
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })));
}
