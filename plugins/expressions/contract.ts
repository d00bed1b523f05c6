import { type ExpressionProblem, type Expressions, type ExpressionUse, token } from '../../kernel/contracts/index.ts';
import { documentTooCostly } from './contract/errors.ts';

/** What a function that is called in a worker thread gets before its arguments. */
export interface WorkerTools {
  expressions: Expressions;
}

/** A function of a module, by which a document is read apart from the event loop. */
export interface WorkerTask {
  /** As `import.meta.url` has it, with the ending of this file. */
  module: string;
  /** An exported function of it: `(tools: WorkerTools, ...args) => result`. */
  name: string;
  /** Copied, as is the result: data, and no functions. */
  args: readonly unknown[];
  /** Projects take turns. */
  project_id: string;
}

/**
 * Reads documents that would hold the event loop, in worker threads with a budget. Whoever calls it decides which documents
 * these are: the way to a thread and back takes a millisecond, and its start some hundred.
 */
export interface DocumentWorkers {
  /**
   * The result of the function. Throws `document_too_costly` when it takes more time or memory than one document may,
   * `rate_limited` when too many documents of the project wait, and `unavailable` when the server stops.
   */
  run<T>(task: WorkerTask): Promise<T>;
}

export const DocumentWorkers = token<DocumentWorkers>('expressions.DocumentWorkers');

/** The code of the refusal. */
export const DOCUMENT_TOO_COSTLY = documentTooCostly.code;

export { invalidExpression } from './contract/errors.ts';

/** What checks of documents ask of an expression. */
export interface CompiledExpression {
  problems: ExpressionProblem[];
  /** Of each name that was asked for. */
  uses: { [name: string]: ExpressionUse[] };
}

export interface WantedExpression {
  text: string;
  roots: readonly string[];
}

/** Compiles many expressions in a worker thread. `names`: those whose uses are wanted. Throws as `run` does. */
export async function compileInWorker(
  workers: DocumentWorkers,
  project_id: string,
  wanted: readonly WantedExpression[],
  names: readonly string[],
): Promise<CompiledExpression[]> {
  const found = await workers.run<string>({
    module: moduleBeside(import.meta.url, './workers/compile-all'),
    name: 'compileAll',
    // Texts are copied and read several times as fast as so many small objects.
    args: [JSON.stringify(wanted), names],
    project_id,
  });
  return JSON.parse(found) as CompiledExpression[];
}

/** `moduleBeside(import.meta.url, './in-worker')`: `.ts` in the sources, `.js` in the package that is published. */
export const moduleBeside = (url: string, path: string): string =>
  new URL(`${path}${url.slice(url.lastIndexOf('.'))}`, url).href;
