import { execFile } from 'node:child_process';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativePrograms } from './build.mjs';
import { NativeErrors } from './errors.ts';

/** The client as a loadable builtin, in the folder of the client. */
export const BUILTIN_FILE = 'svc.so';

export interface VerbClientOptions {
  /** Names that only a script run answers. */
  verbs: readonly string[];
  /** The full CLI: an absolute path, then arguments that precede the caller's. */
  cli: readonly string[];
  /** True requires the native client, false the Node one; the default is the native one when available. */
  native?: boolean;
}

/** The program beside the client that runs one attempt of a command. */
export const attemptProgramPath = (folder: string): string => join(folder, 'svc-attempt');

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A shell reports which descriptors were closed, because Node would open something else in their place. */
function wrapper(folder: string): string {
  const script = fileURLToPath(new URL('./verb-client.mjs', import.meta.url));
  return [
    '#!/bin/sh',
    'closed=',
    '{ true 3<&0; } 2>/dev/null || closed=0',
    '{ true 3>&1; } 2>/dev/null || closed="${closed}1"',
    `exec ${quoted(process.execPath)} ${quoted(script)} "$closed" ${quoted(folder)} "$@"`,
    '',
  ].join('\n');
}

/** Installs a file atomically, because a script may be reading it at this moment. */
async function installFile(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.draft`;
  await write(draft);
  await rename(draft, path);
}

interface ProbeResult {
  code?: string | number | null;
  problem?: string;
}

/** Calls a verb outside of a script run, which the client must reject. */
function probe(client: string, verb: string): Promise<ProbeResult> {
  return new Promise((resolve) => {
    execFile(client, [verb], { env: {} }, (error, _stdout, stderr) => {
      if (error?.code === 1 && stderr.includes('SVC_AGENT_SOCKET')) return resolve({});
      const what = error?.message ?? 'it took a verb outside of a script run';
      resolve({ code: error?.code, problem: `${client}: ${what}` });
    });
  });
}

/** Returns the reason why the client cannot be used. */
async function findProblem(client: string, verb: string): Promise<string | undefined> {
  let result = await probe(client, verb);
  // A process forked while the file was being written keeps it open until its exec.
  for (let retries = 100; retries > 0 && result.code === 'ETXTBSY'; retries--) result = await probe(client, verb);
  return result.problem;
}

async function installNative(client: string, source: string): Promise<void> {
  await installFile(client, async (draft) => {
    // The client is copied and not linked, so that a write to it does not affect other agents.
    await rm(draft, { force: true });
    await copyFile(source, draft);
  });
}

/** Installs the bash builtin beside the client where it was compiled. */
async function installBuiltin(folder: string, source: string | undefined): Promise<void> {
  const path = join(folder, BUILTIN_FILE);
  if (source === undefined) await rm(path, { force: true });
  else await installFile(path, (draft) => copyFile(source, draft));
}

/** Installs the attempt program. Without a compiler, it runs on Node. */
async function installAttempt(folder: string, source: string | undefined): Promise<void> {
  const path = attemptProgramPath(folder);
  if (source !== undefined) return installNative(path, source);
  const script = fileURLToPath(new URL('./attempt.mjs', import.meta.url));
  const text = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(script)} "$@"\n`;
  await installFile(path, (draft) => writeFile(draft, text, { mode: 0o755 }));
}

async function installFallback(client: string, folder: string): Promise<void> {
  await installFile(client, (draft) => writeFile(draft, wrapper(folder), { mode: 0o755 }));
}

/**
 * Creates `<runtime_dir>/bin` with the `svc` program for scripts and returns its path, which goes first on PATH.
 * Rejects with `runtime_folder_unusable` when programs cannot be started there.
 */
export async function verbClient(runtime_dir: string, options: VerbClientOptions): Promise<string> {
  const folder = join(runtime_dir, 'bin');
  const client = join(folder, 'svc');
  const [verb = ''] = options.verbs;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, words] of [
    ['svc.verbs', options.verbs],
    ['svc.cli', options.cli],
  ] as const)
    await installFile(join(folder, name), (draft) => writeFile(draft, words.map((word) => `${word}\0`).join('')));
  const { programs, why } = options.native === false ? { programs: {}, why: undefined } : await nativePrograms();
  const source = programs['verb-client'];
  let wrong = why ?? 'The native client was not compiled.';
  if (source) {
    await installNative(client, source);
    await installAttempt(folder, programs.attempt);
    await installBuiltin(folder, programs['in-shell']);
    const found = await findProblem(client, verb);
    if (!found) return folder;
    // The file may have been compiled on another machine.
    wrong = found;
  }
  if (options.native) throw NativeErrors.runtimeFolderUnusable(wrong);
  await installBuiltin(folder, undefined);
  await installFallback(client, folder);
  await installAttempt(folder, undefined);
  const found = await findProblem(client, verb);
  if (found) throw NativeErrors.runtimeFolderUnusable(found);
  return folder;
}
