import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** How a script is run: `argv` is followed by the path of the file. */
export interface Interpreter {
  /** Its common name, such as `bash`, `python3` or `node`. */
  name: string;
  argv: readonly string[];
}

/** Interpreters by file extension. TypeScript and JavaScript are run by the Node.js that runs the agent. */
const INTERPRETERS_BY_EXTENSION: Readonly<Record<string, readonly string[]>> = {
  '.py': ['python3'],
  '.ts': ['node'],
  '.mts': ['node'],
  '.js': ['node'],
  '.mjs': ['node'],
  '.cjs': ['node'],
  '.go': ['go', 'run'],
};

const BASH: readonly string[] = ['bash', '-eu'];

/** Interpreters that an agent looks for when it starts; each one found is a capability. */
export const DETECTED_INTERPRETERS: readonly string[] = [
  'bash',
  'sh',
  'python3',
  'go',
  'ruby',
  'perl',
  'php',
  'deno',
  'bun',
];

/** Splits at spaces without quoting, as documented for `--interpreter`. */
export function splitInterpreter(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** Chooses the interpreter: `--interpreter` wins, then the extension, and `bash -eu` runs everything else. */
export function chooseInterpreter(filename: string | undefined, interpreter: string | undefined): Interpreter {
  const words = interpreter === undefined ? [] : splitInterpreter(interpreter);
  const argv = words.length > 0 ? words : (INTERPRETERS_BY_EXTENSION[fileExtension(filename)] ?? BASH);
  return { name: argv[0]!, argv };
}

/** Returns the extension of a file name in lower case, such as `.py`. */
export function fileExtension(filename: string | undefined): string {
  const base = filename?.split(/[/\\]/).at(-1) ?? '';
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? '' : base.slice(dot).toLowerCase();
}

/** How many program locations are remembered, as in a shell, because searching every folder takes a millisecond. */
const MAX_REMEMBERED = 256;
const remembered = new BoundedMap<string, string>(MAX_REMEMBERED);

/** Returns the path of an executable file called `name`, as a shell would find it, or undefined. */
export async function findProgram(name: string, path: string, workdir: string): Promise<string | undefined> {
  if (name.includes('/')) return executable(resolve(workdir, name));
  const key = [name, path, workdir].join('\0');
  const cached_path = remembered.get(key);
  if (cached_path !== undefined && executable(cached_path) !== undefined) return cached_path;
  remembered.delete(key);
  for (const folder of path.split(delimiter)) {
    const candidate = executable(isAbsolute(folder) ? join(folder, name) : resolve(workdir, folder, name));
    if (candidate === undefined) continue;
    remembered.set(key, candidate);
    return candidate;
  }
  return undefined;
}

/** Synchronous, because the thread pool would take ten times as long. */
function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : undefined;
  } catch {
    // Whatever the reason (missing, or in a folder that may not be entered), it is not available here.
    return undefined;
  }
}
