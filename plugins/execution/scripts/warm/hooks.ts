import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILTIN_FILE } from '../native/verb-client.ts';
import { BASH_HOOK } from './language.ts';

const SOURCES = fileURLToPath(new URL('./prepared/', import.meta.url));
const FILES = ['prepare.cjs', 'python/sitecustomize.py', 'python/_stash.py'];
/** A program of a form that Node loads in a special way. */
const PROGRAM = `import { existsSync } from 'node:fs';\nexport const warm: boolean = existsSync('/');\n`;
const PROGRAMS = { 'warm.ts': PROGRAM, 'warm.mts': PROGRAM, 'warm.mjs': PROGRAM.replace(': boolean', '') };

/**
 * What a waiting bash reads before its script. It is one command, and its last word is that of the file that bash
 * reads otherwise (`../shell/in-shell.ts`), so that `$_` and command numbers are the same. `SECONDS` counts from the
 * hand-over.
 */
const bashHook = (client_folder: string) =>
  `{ unset BASH_ENV; enable -f '${join(client_folder, BUILTIN_FILE)}' svc svc_pass && svc_pass || exit 1; ` +
  'enable -d svc_pass; SECONDS=0; : svc; }\n';

/**
 * Copies the hooks that prepare interpreters beside the SDKs (`sdk-folder.ts`), which they load. A package may be
 * installed below a folder `node_modules`, where Node runs no TypeScript.
 */
export async function installHooks(runtime_dir: string, client_folder: string): Promise<string> {
  const folder = join(runtime_dir, 'warm');
  await mkdir(join(folder, 'python'), { recursive: true, mode: 0o700 });
  await Promise.all([
    ...FILES.map((name) => copyFile(join(SOURCES, name), join(folder, name))),
    writeFile(join(folder, BASH_HOOK), bashHook(client_folder)),
    ...Object.entries(PROGRAMS).map(([name, text]) => writeFile(join(folder, name), text)),
  ]);
  // Interpreters may run as other users, whatever the umask; the folder of the agent keeps everybody else out.
  for (const name of ['', 'python']) await chmod(join(folder, name), 0o755);
  for (const name of [...FILES, BASH_HOOK, ...Object.keys(PROGRAMS)]) await chmod(join(folder, name), 0o644);
  return folder;
}
