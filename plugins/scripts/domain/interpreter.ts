import { BoundedMap } from '../../../kernel/contracts/index.ts';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** How a script is run: `argv` is followed by the path of the file. */
export interface Interpreter {
  /** What people know it by: `bash`, `python3`, `node`… */
  name: string;
  argv: readonly string[];
}

/** Named by the extension of the file; TypeScript and JavaScript are run by the Node.js that runs the agent. */
const BY_EXTENSION: Readonly<Record<string, readonly string[]>> = {
  '.py': ['python3'],
  '.ts': ['node'],
  '.mts': ['node'],
  '.js': ['node'],
  '.mjs': ['node'],
  '.cjs': ['node'],
  '.go': ['go', 'run'],
};

const BASH: readonly string[] = ['bash', '-eu'];

/** Interpreters an agent looks for at its start; each that is there is a capability. */
export const KNOWN_INTERPRETERS: readonly string[] = [
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

/** Splits at spaces, as `--interpreter` is documented: no quoting. */
export function splitInterpreter(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** `--interpreter` wins, then the extension, and `bash -eu` runs everything else. */
export function chooseInterpreter(filename: string | undefined, interpreter: string | undefined): Interpreter {
  const words = interpreter === undefined ? [] : splitInterpreter(interpreter);
  const argv = words.length > 0 ? words : (BY_EXTENSION[endingOf(filename)] ?? BASH);
  return { name: argv[0]!, argv };
}

/** The ending of a file's name, in lower case: `.py`. */
export function endingOf(filename: string | undefined): string {
  const base = filename?.split(/[/\\]/).at(-1) ?? '';
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? '' : base.slice(dot).toLowerCase();
}

/** Where programs were found last, as a shell remembers it: looking through every folder takes a millisecond. */
const MAX_REMEMBERED = 256;
const remembered = new BoundedMap<string, string>(MAX_REMEMBERED);

/** The path of an executable file called `name`, as a shell would find it; undefined when there is none. */
export async function findProgram(name: string, path: string, workdir: string): Promise<string | undefined> {
  if (name.includes('/')) return executable(resolve(workdir, name));
  const key = [name, path, workdir].join('\0');
  const last = remembered.get(key);
  if (last !== undefined && executable(last) !== undefined) return last;
  remembered.delete(key);
  for (const folder of path.split(delimiter)) {
    const found = executable(isAbsolute(folder) ? join(folder, name) : resolve(workdir, folder, name));
    if (found === undefined) continue;
    remembered.set(key, found);
    return found;
  }
  return undefined;
}

/** Synchronous: the thread pool would take ten times as long. */
function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : undefined;
  } catch {
    // Any reason (absent, a folder on the way that may not be entered) comes to the same: not to be had here.
    return undefined;
  }
}
