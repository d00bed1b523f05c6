import { fileURLToPath } from 'node:url';
import type { Problem } from '../../../engine/runs/contract.ts';
import { fileExtension, findProgram, type Interpreter } from '../domain/interpreter.ts';
import { MAX_BYTES, runBoundedProgram } from './bounded-program.ts';
import type { Node } from './tree.ts';
import type { VaryingCalls } from './values.ts';
import { JAVASCRIPT_CALLS, PYTHON_CALLS } from './varying-calls.ts';

const MAX_AT_ONCE = 4;
const PYTHON_TREE = fileURLToPath(new URL('./python-tree.py', import.meta.url));
const JAVASCRIPT_TREE = fileURLToPath(new URL('./javascript-tree.mjs', import.meta.url));
const SHELLS = /^(ba|da|k|z)?sh$/;
const NODE_FLAGS = ['--no-warnings', '--experimental-vm-modules', '--max-old-space-size=256'];

export interface TreeReaderDeps {
  /** Environment of the readers: where programs are, and whose. */
  env: Readonly<Record<string, string | undefined>>;
  path: string;
}

export interface Script {
  filename: string | undefined;
  source: string;
  interpreter: Interpreter;
}

/** How a language is read. */
export interface Language {
  name: string;
  code: string;
  calls: VaryingCalls;
  program(path: string): Promise<string | undefined>;
  args(script: Script): string[];
}

/** What a reader found; otherwise why the script was not read. */
export type ReadTree = { tree: Node } | { problems: Omit<Problem, 'code'>[] } | { unread: string };

const PYTHON: Language = {
  name: 'Python',
  code: 'python_syntax',
  calls: PYTHON_CALLS,
  program: (path) => findProgram('python3', path, '/'),
  args: () => ['-I', '-S', '-B', PYTHON_TREE],
};

const JAVASCRIPT: Language = {
  name: 'JavaScript',
  code: 'javascript_syntax',
  calls: JAVASCRIPT_CALLS,
  program: async () => process.execPath,
  args: ({ filename }) => [...NODE_FLAGS, JAVASCRIPT_TREE, fileExtension(filename)],
};

/** Returns how a script is read: by a parser of its language, as a shell script, or not at all. */
export function languageOf({ source, interpreter: { name } }: Script): Language | 'shell' | { unread: string } {
  const language = /^python3?(\.\d+)?$/.test(name) ? PYTHON : name === 'node' ? JAVASCRIPT : undefined;
  const shell = SHELLS.test(name);
  if (!shell && !language) return { unread: `svc does not support the language of ${name}` };
  if (Buffer.byteLength(source) > MAX_BYTES) return { unread: `it has more than ${MAX_BYTES} bytes` };
  return language ?? 'shell';
}

/** Lets the parsers of languages read scripts, in processes of their own. Nothing of a script is run. */
export class TreeReader {
  readonly #deps: TreeReaderDeps;
  #running = 0;

  constructor(deps: TreeReaderDeps) {
    this.#deps = deps;
  }

  async read(language: Language, script: Script): Promise<ReadTree> {
    if (this.#running >= MAX_AT_ONCE) return { unread: 'too many scripts are being checked now; try again' };
    this.#running++;
    try {
      const program = await language.program(this.#deps.path);
      if (program === undefined) return { unread: `${language.name} is not installed where svc runs` };
      const { path, env } = this.#deps;
      const variables = { PATH: path, HOME: env.HOME ?? '/', LC_ALL: 'C.UTF-8' };
      const output = await runBoundedProgram(program, language.args(script), { text: script.source, env: variables });
      if (!output) return { unread: `it is too long for the ${language.name} parser` };
      const found = output.code === 0 ? (JSON.parse(output.stdout) as Partial<Record<'tree' | 'problems', never>>) : {};
      return found.tree || found.problems ? (found as ReadTree) : { unread: `the ${language.name} parser failed` };
    } finally {
      this.#running--;
    }
  }
}
