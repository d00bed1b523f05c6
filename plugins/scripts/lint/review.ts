import { fileURLToPath } from 'node:url';
import { BoundedMap } from '../../../kernel/contracts/index.ts';
import { createHash } from 'node:crypto';
import type { Problem, Review } from '../../runs/contract.ts';
import { endingOf, type Interpreter } from '../domain/interpreter.ts';
import { findProgram } from '../domain/interpreter.ts';
import { lintBash } from './bash-lint.ts';
import { askProgram, MAX_BYTES } from './bounded-program.ts';
import type { Node } from './tree.ts';
import { lintTree } from './tree-lint.ts';
import type { VaryingCalls } from './values.ts';
import { VerbArguments } from './verb-arguments.ts';
import type { VerbHelp } from '../contract/verb.ts';
import { JAVASCRIPT_CALLS, PYTHON_CALLS } from './varying-calls.ts';

const MAX_AT_ONCE = 4;
const MAX_REMEMBERED = 64;
const PYTHON_TREE = fileURLToPath(new URL('./python-tree.py', import.meta.url));
const JAVASCRIPT_TREE = fileURLToPath(new URL('./javascript-tree.mjs', import.meta.url));
const SHELLS = /^(ba|da|k|z)?sh$/;
const NODE_FLAGS = ['--no-warnings', '--experimental-vm-modules', '--max-old-space-size=256'];

export interface ReviewParts {
  /** Variables of the readers: where programs are, and whose. */
  env: Readonly<Record<string, string | undefined>>;
  path: string;
  /** The words behind `svc`. */
  verbs: () => readonly VerbHelp[];
}

interface Script {
  filename: string | undefined;
  source: string;
  interpreter: Interpreter;
}

/** What a reader answers; neither when it did not understand the text. */
interface Read {
  problems?: Omit<Problem, 'code'>[];
  tree?: Node;
}

/** How a language is read. */
interface Language {
  name: string;
  code: string;
  calls: VaryingCalls;
  program(path: string): Promise<string | undefined>;
  args(script: Script): string[];
}

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
  args: ({ filename }) => [...NODE_FLAGS, JAVASCRIPT_TREE, endingOf(filename)],
};

const languageOf = ({ name }: Interpreter): Language | undefined =>
  /^python3?(\.\d+)?$/.test(name) ? PYTHON : name === 'node' ? JAVASCRIPT : undefined;

const NOTHING: Review = { problems: [], warnings: [], notes: [] };

/** Looks at scripts more closely than a submit does. Nothing of a script is run. */
export class ScriptReview {
  readonly #parts: ReviewParts;
  readonly #known = new BoundedMap<string, Review>(MAX_REMEMBERED);
  #running = 0;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
  }

  async of(script: Script): Promise<Review> {
    const { source, filename, interpreter } = script;
    const shell = SHELLS.test(interpreter.name);
    const language = languageOf(interpreter);
    if (!shell && !language) return notLookedAt(`svc does not read the language of ${interpreter.name}`);
    if (Buffer.byteLength(source) > MAX_BYTES) return notLookedAt(`it has more than ${MAX_BYTES} bytes`);
    if (!language) return { ...NOTHING, warnings: lintBash(source, this.#verbs(), this.#taken()) };
    const key = createHash('sha256')
      .update(`${language.code}\0${endingOf(filename)}\0${source}`)
      .digest('base64');
    const known = this.#known.get(key);
    if (known) return known;
    const found = await this.#look(language, script);
    if (found.notes.length === 0) this.#known.set(key, found);
    return found;
  }

  #verbs(): ReadonlySet<string> {
    return new Set(this.#parts.verbs().map(({ verb }) => verb.split(' ', 1)[0]!));
  }

  #taken = (): VerbArguments => new VerbArguments(this.#parts.verbs());

  async #look(language: Language, script: Script): Promise<Review> {
    if (this.#running >= MAX_AT_ONCE) return notLookedAt('too many scripts are being checked now; try again');
    this.#running++;
    try {
      const program = await language.program(this.#parts.path);
      if (program === undefined) return notLookedAt(`there is no ${language.name} where svc runs`);
      const { path, env } = this.#parts;
      const variables = { PATH: path, HOME: env.HOME ?? '/', LC_ALL: 'C.UTF-8' };
      const ended = await askProgram(program, language.args(script), { text: script.source, env: variables });
      if (!ended) return notLookedAt(`it is too long for the reader of ${language.name}`);
      return this.#reviewOf(language, ended.code === 0 ? (JSON.parse(ended.stdout) as Read) : {});
    } finally {
      this.#running--;
    }
  }

  #reviewOf({ code, name, calls }: Language, { problems, tree }: Read): Review {
    if (problems) return { ...NOTHING, problems: problems.map((one) => ({ ...one, code })) };
    if (!tree) return notLookedAt(`the reader of ${name} did not understand it`);
    return { ...NOTHING, warnings: lintTree(tree, { verbs: this.#verbs(), taken: this.#taken() }, calls) };
  }
}

const notLookedAt = (why: string): Review => ({
  ...NOTHING,
  notes: [`its syntax and its calls were not looked at: ${why}`],
});
