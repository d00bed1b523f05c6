import {
  type ExpressionProblem,
  type Expressions,
  type ExpressionUse,
  type Fault,
  type Scope,
  token,
} from '../../../kernel/contracts/index.ts';
import { documentTooCostly } from './contract/errors.ts';

/** The first argument of every function that runs in a worker thread. */
export interface WorkerTools {
  expressions: Expressions;
}

/** A function that reads a document in a worker thread, so that it does not block the event loop. */
export interface WorkerTask {
  /** The URL of the module, with the same file ending as this one. */
  module: string;
  /** The exported function: `(tools: WorkerTools, ...args) => result`. */
  name: string;
  /** The arguments are copied, and so is the result, so they can be data only. */
  args: readonly unknown[];
  scope: WorkerScope;
}

/** Orgs are served round-robin, and so are the projects of each org. */
export type WorkerScope = Pick<Scope, 'org_id' | 'project_id'>;

/**
 * Reads documents that would block the event loop in worker threads with a budget. The caller decides which documents these
 * are: a call takes about a millisecond more, and the start of a thread about a hundred.
 */
export interface DocumentWorkers {
  /**
   * Runs the task. Throws `document_too_costly` when it takes more time or memory than one document may, `rate_limited` when too
   * many documents of the project wait, and `unavailable` when the server stops.
   */
  run<T>(task: WorkerTask): Promise<T>;
}

export const DocumentWorkers = token<DocumentWorkers>('expressions.DocumentWorkers');

/** The code of the error for a document that takes too much time or memory. */
export const DOCUMENT_TOO_COSTLY = documentTooCostly.code;

const COSTLY = /\b(all|exists|exists_one|filter|map|matches)\s*\(/;

/**
 * Returns what is wrong with an expression that is evaluated for every event or run, under a lock. Its work must not depend on
 * the size of what it reads.
 */
export function findCheapErrors(
  expressions: Pick<Expressions, 'check'>,
  source: string | undefined,
  { pointer, roots, evaluated_for }: { pointer: string; roots: readonly string[]; evaluated_for: 'event' | 'run' },
): Fault[] {
  if (source === undefined) return [];
  if (COSTLY.test(source))
    return [{ pointer, message: `must not loop or match patterns: it is evaluated for every ${evaluated_for}` }];
  return expressions
    .check(source, roots)
    .slice(0, 1)
    .map(({ message, line, column }) => ({
      pointer,
      message: `is not a valid expression: ${message}, at line ${line}, column ${column}`,
    }));
}

export { invalidExpression } from './contract/errors.ts';
export { equalityKey } from './contract/equality-key.ts';
export { compileInline } from './contract/inline.ts';

/** What a check of a document needs to know about an expression. */
export interface CompiledExpression {
  problems: ExpressionProblem[];
  /** The uses of each requested name. */
  uses: { [name: string]: ExpressionUse[] };
}

export interface ExpressionSource {
  text: string;
  roots: readonly string[];
}

/** Compiles many expressions in a worker thread, and lists the uses of `names` in each. Throws as `run` does. */
export async function compileInWorker(
  workers: DocumentWorkers,
  scope: WorkerScope,
  sources: readonly ExpressionSource[],
  names: readonly string[],
): Promise<CompiledExpression[]> {
  const compiled = await workers.run<string>({
    module: siblingModule(import.meta.url, './workers/compile-all'),
    name: 'compileAll',
    // Copying and parsing one text is several times as fast as copying many small objects.
    args: [JSON.stringify(sources), names],
    scope,
  });
  return JSON.parse(compiled) as CompiledExpression[];
}

/** Resolves a module relative to another one, with the same ending: `.ts` in the sources, `.js` in the published package. */
export const siblingModule = (url: string, path: string): string =>
  new URL(`${path}${url.slice(url.lastIndexOf('.'))}`, url).href;
