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
  /** The full CLI: an absolute path, then arguments before the caller's. */
  cli: readonly string[];
  /** True requires the native client, false the Node one; the default is the native one when available. */
  native?: boolean;
}

/** Beside the client: runs one attempt of a command. */
export const attemptProgram = (folder: string): string => join(folder, 'svc-attempt');

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A shell reports which descriptors were closed, because Node opens something in their place. */
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

/** Complete or absent: a script may read it at this moment. */
async function put(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.draft`;
  await write(draft);
  await rename(draft, path);
}

interface Trial {
  code?: string | number | null;
  fault?: string;
}

/** Calls a verb outside of a script run; the client must refuse it. */
function attempt(client: string, verb: string): Promise<Trial> {
  return new Promise((resolve) => {
    execFile(client, [verb], { env: {} }, (error, _stdout, stderr) => {
      if (error?.code === 1 && stderr.includes('SVC_AGENT_SOCKET')) return resolve({});
      const what = error?.message ?? 'it took a verb outside of a script run';
      resolve({ code: error?.code, fault: `${client}: ${what}` });
    });
  });
}

/** Why the client cannot be used. */
async function fault(client: string, verb: string): Promise<string | undefined> {
  let trial = await attempt(client, verb);
  // A process forked while the file was being written keeps it open until its exec.
  for (let more = 100; more > 0 && trial.code === 'ETXTBSY'; more--) trial = await attempt(client, verb);
  return trial.fault;
}

async function installNative(client: string, source: string): Promise<void> {
  await put(client, async (draft) => {
    // A copy and not a link: a write to it must not affect other agents.
    await rm(draft, { force: true });
    await copyFile(source, draft);
  });
}

/** The bash builtin beside the client; none where it was not compiled. */
async function installBuiltin(folder: string, source: string | undefined): Promise<void> {
  const path = join(folder, BUILTIN_FILE);
  if (source === undefined) await rm(path, { force: true });
  else await put(path, (draft) => copyFile(source, draft));
}

/** Without a compiler it is a program of Node. */
async function installAttempt(folder: string, source: string | undefined): Promise<void> {
  const path = attemptProgram(folder);
  if (source !== undefined) return installNative(path, source);
  const script = fileURLToPath(new URL('./attempt.mjs', import.meta.url));
  const text = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(script)} "$@"\n`;
  await put(path, (draft) => writeFile(draft, text, { mode: 0o755 }));
}

async function installFallback(client: string, folder: string): Promise<void> {
  await put(client, (draft) => writeFile(draft, wrapper(folder), { mode: 0o755 }));
}

/**
 * Creates `<runtime_dir>/bin` with the `svc` program for scripts and answers its path, to be put first on PATH. Rejects
 * with `runtime_folder_unusable` when programs cannot be started there.
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
    await put(join(folder, name), (draft) => writeFile(draft, words.map((word) => `${word}\0`).join('')));
  const { programs, why } = options.native === false ? { programs: {}, why: undefined } : await nativePrograms();
  const source = programs['verb-client'];
  let wrong = why ?? 'The native client was not compiled.';
  if (source) {
    await installNative(client, source);
    await installAttempt(folder, programs.attempt);
    await installBuiltin(folder, programs['in-shell']);
    const found = await fault(client, verb);
    if (!found) return folder;
    // Perhaps compiled on another machine.
    wrong = found;
  }
  if (options.native) throw NativeErrors.runtimeFolderUnusable(wrong);
  await installBuiltin(folder, undefined);
  await installFallback(client, folder);
  await installAttempt(folder, undefined);
  const found = await fault(client, verb);
  if (found) throw NativeErrors.runtimeFolderUnusable(found);
  return folder;
}
