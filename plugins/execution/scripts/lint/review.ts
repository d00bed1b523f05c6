import { fileURLToPath } from 'node:url';
import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import { createHash } from 'node:crypto';
import type { Problem, Review } from '../../../engine/runs/contract.ts';
import { fileExtension, type Interpreter } from '../domain/interpreter.ts';
import { findProgram } from '../domain/interpreter.ts';
import { lintBash } from './bash-lint.ts';
import { runBoundedProgram, MAX_BYTES } from './bounded-program.ts';
import type { Node } from './tree.ts';
import { definesOnly, lintTree } from './tree-lint.ts';
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

export interface ReviewDeps {
  /** Environment of the readers: where programs are, and whose. */
  env: Readonly<Record<string, string | undefined>>;
  path: string;
  /** The words after `svc`. */
  verbs: () => readonly VerbHelp[];
}

interface Script {
  filename: string | undefined;
  source: string;
  interpreter: Interpreter;
}

/** The result of a reader; neither member is set if it did not understand the text. */
interface ReaderResult {
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
  args: ({ filename }) => [...NODE_FLAGS, JAVASCRIPT_TREE, fileExtension(filename)],
};

const detectLanguage = ({ name }: Interpreter): Language | undefined =>
  /^python3?(\.\d+)?$/.test(name) ? PYTHON : name === 'node' ? JAVASCRIPT : undefined;

const NOTHING: Review = { problems: [], warnings: [], notes: [] };

/** Examines scripts more closely than a submit does. Nothing of a script is run. */
export class ScriptReview {
  readonly #deps: ReviewDeps;
  readonly #cache = new BoundedMap<string, Review>(MAX_REMEMBERED);
  #running = 0;

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  async review(script: Script): Promise<Review> {
    const { source, filename, interpreter } = script;
    const shell = SHELLS.test(interpreter.name);
    const language = detectLanguage(interpreter);
    if (!shell && !language) return unreviewed(`svc does not support the language of ${interpreter.name}`);
    if (Buffer.byteLength(source) > MAX_BYTES) return unreviewed(`it has more than ${MAX_BYTES} bytes`);
    if (!language) return { ...NOTHING, warnings: lintBash(source, this.#verbs(), this.#verbArguments()) };
    const key = createHash('sha256')
      .update(`${language.code}\0${fileExtension(filename)}\0${source}`)
      .digest('base64');
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const review = await this.#readAndLint(language, script);
    if (review.notes.every((note) => note === NOT_SERVED)) this.#cache.set(key, review);
    return review;
  }

  #verbs(): ReadonlySet<string> {
    return new Set(this.#deps.verbs().map(({ verb }) => verb.split(' ', 1)[0]!));
  }

  #verbArguments = (): VerbArguments => new VerbArguments(this.#deps.verbs());

  async #readAndLint(language: Language, script: Script): Promise<Review> {
    if (this.#running >= MAX_AT_ONCE) return unreviewed('too many scripts are being checked now; try again');
    this.#running++;
    try {
      const program = await language.program(this.#deps.path);
      if (program === undefined) return unreviewed(`${language.name} is not installed where svc runs`);
      const { path, env } = this.#deps;
      const variables = { PATH: path, HOME: env.HOME ?? '/', LC_ALL: 'C.UTF-8' };
      const output = await runBoundedProgram(program, language.args(script), { text: script.source, env: variables });
      if (!output) return unreviewed(`it is too long for the ${language.name} parser`);
      return this.#toReview(language, output.code === 0 ? (JSON.parse(output.stdout) as ReaderResult) : {});
    } finally {
      this.#running--;
    }
  }

  #toReview({ code, name, calls }: Language, { problems, tree }: ReaderResult): Review {
    if (problems) return { ...NOTHING, problems: problems.map((one) => ({ ...one, code })) };
    if (!tree) return unreviewed(`the ${name} parser failed`);
    const verb_table = { verbs: this.#verbs(), verb_arguments: this.#verbArguments() };
    const notes = definesOnly(tree, verb_table) ? [NOT_SERVED] : [];
    return { ...NOTHING, notes, warnings: lintTree(tree, verb_table, calls) };
  }
}

/** As the SDKs say when such a script runs. */
const NOT_SERVED =
  'as a script, it runs none of the workflows that it defines: add serve() at its end, or serve the file with `svc worker` and submit by name (workflow_not_served)';

const unreviewed = (why: string): Review => ({
  ...NOTHING,
  notes: [`its syntax and its calls were not checked: ${why}`],
});
