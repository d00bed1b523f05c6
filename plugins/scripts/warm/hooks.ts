import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('./prepared/', import.meta.url));
const FILES = ['prepare.cjs', 'python/sitecustomize.py', 'python/_stash.py'];
/** A program of each form that Node loads in a way of its own. */
const PROGRAM = `import { existsSync } from 'node:fs';\nexport const warm: boolean = existsSync('/');\n`;
const PROGRAMS = { 'warm.ts': PROGRAM, 'warm.mts': PROGRAM, 'warm.mjs': PROGRAM.replace(': boolean', '') };

/**
 * Copies what prepares interpreters beside the SDKs (`sdk-folder.ts`), which it loads. A package may lie in a folder
 * `node_modules`, where Node runs no TypeScript.
 */
export async function installHooks(runtime_dir: string): Promise<string> {
  const folder = join(runtime_dir, 'warm');
  await mkdir(join(folder, 'python'), { recursive: true, mode: 0o700 });
  await Promise.all([
    ...FILES.map((name) => copyFile(join(SOURCES, name), join(folder, name))),
    ...Object.entries(PROGRAMS).map(([name, text]) => writeFile(join(folder, name), text)),
  ]);
  return folder;
}
