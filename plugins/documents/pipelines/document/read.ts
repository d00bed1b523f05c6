import {
  BoundedMap,
  Errors,
  type Expressions,
  isServiceError,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import {
  compileInline,
  DOCUMENT_TOO_COSTLY,
  type DocumentWorkers,
  type WorkerScope,
  siblingModule,
} from '../../../platform/expressions/contract.ts';
import type { Problem } from '../../../engine/runs/contract.ts';
import type { PipelineDocument } from '../generated/pipeline.ts';
import { checkExpressions } from './expressions.ts';
import { Findings, isUndeclaredVariable, type UndeclaredVariable } from './findings.ts';
import { checkNeeds } from './needs.ts';
import { validDocument, withoutInvalidMembers } from './partial.ts';
import { checkRules } from './rules.ts';
import { checkShape } from './shape.ts';
import { type Path, type PositionIndex, readSource } from './source.ts';

export type Position = Pick<Problem, 'line' | 'column'>;

/**
 * A valid document, where its jobs name other workflows and credentials (`jobs/<id>/workflow`, `credentials`), and the
 * variables that it reads from its project. The problems of an invalid document contain those variables.
 */
export type Read =
  | {
      document: PipelineDocument;
      positions: ReadonlyMap<string, Position>;
      undeclared: readonly UndeclaredVariable[];
    }
  | { problems: Problem[] };

/** The number of cached documents, and the characters of their texts. */
const MAX_CACHED = 256;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Characters that cost the parser time. The words between them are cheap. */
const SIGNS = /[-,:?&*!|>'"%@`#[\]{}\\\n]/g;
/** Documents with more signs are read in a worker thread: each may cost some ten microseconds. */
const MAX_INLINE_SIGNS = 1500;
const MAX_INLINE_CHARACTERS = 64 * 1024;

const IN_WORKER = siblingModule(import.meta.url, './in-worker');

export interface ReaderDeps {
  expressions(): Expressions;
  workers(): DocumentWorkers;
}

/** Reads and caches pipelines, because a document is checked when it is registered and read again for every run. */
export class PipelineReader {
  readonly #deps: ReaderDeps;
  readonly #reading = new Map<string, Promise<Read>>();
  /** Documents that were too costly: a run that is planned again does not spend as much again. */
  readonly #rejections = new BoundedMap<string, ServiceError>(MAX_CACHED, {
    max_weight: MAX_CHARACTERS,
    weigh: (_, text) => text.length,
  });
  readonly #cache = new BoundedMap<string, Read>(MAX_CACHED, {
    max_weight: MAX_CHARACTERS,
    weigh: (_, text) => text.length,
  });

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Reads a pipeline inside a transaction. A large document that is not cached is first read outside, while the
   * transaction is rolled back and retried.
   */
  read(scope: WorkerScope, text: string): Read {
    const cached = this.#cache.get(text);
    if (cached) return cached;
    const rejection = this.#rejections.get(text);
    if (rejection) throw rejection;
    const result = this.#readInline(text);
    if (result) return result;
    const outside = async () => {
      await this.load(scope, text).catch((error: unknown) => {
        // The retried transaction finds the rejection, and can record it.
        if (!isServiceError(error, DOCUMENT_TOO_COSTLY)) throw error;
      });
    };
    throw Errors.unavailable('the pipeline must be read first', { outside });
  }

  /**
   * Reads a pipeline outside of transactions. Throws `document_too_costly` and the other errors of `DocumentWorkers`.
   */
  async load(scope: WorkerScope, text: string): Promise<Read> {
    const result = this.#cache.get(text) ?? this.#readInline(text);
    if (result) return result;
    const reading = this.#reading.get(text) ?? this.#readInWorker(scope, text);
    this.#reading.set(text, reading);
    return reading;
  }

  /** Reads a text in the event loop. Returns undefined for one that takes too long there. */
  #readInline(text: string): Read | undefined {
    if (!isSmall(text)) return undefined;
    const read = compileInline(this.#deps.expressions(), (limited) => readPipeline(text, limited));
    return read && this.#cacheResult(text, read);
  }

  async #readInWorker(scope: WorkerScope, text: string): Promise<Read> {
    try {
      const task = { module: IN_WORKER, name: 'readInWorker', args: [text], scope };
      return this.#cacheResult(text, await this.#deps.workers().run<Read>(task));
    } catch (error) {
      if (isServiceError(error, DOCUMENT_TOO_COSTLY)) this.#rejections.set(text, error);
      throw error;
    } finally {
      this.#reading.delete(text);
    }
  }

  #cacheResult(text: string, read: Read): Read {
    this.#cache.set(text, read);
    return read;
  }
}

function isSmall(text: string): boolean {
  if (text.length > MAX_INLINE_CHARACTERS) return false;
  let signs = 0;
  SIGNS.lastIndex = 0;
  while (SIGNS.test(text))
    if (++signs > MAX_INLINE_SIGNS) {
      SIGNS.lastIndex = 0;
      return false;
    }
  return true;
}

/** Reads and checks a pipeline. Members of a wrong form are left out of the later checks, so that all problems are found at once. */
export function readPipeline(text: string, expressions: Expressions): Read {
  const source = readSource(text);
  if ('problems' in source) return source;
  const { value, positions } = source;
  const findings = new Findings(positions);
  const is_valid = checkShape(value, findings);
  const checkable = is_valid ? validDocument(value) : withoutInvalidMembers(value);
  if (checkable) {
    checkNeeds(checkable, findings);
    checkRules(checkable, findings);
    checkExpressions(checkable, expressions, findings);
  }
  return !is_valid || findings.hasProblems
    ? { problems: findings.list() }
    : {
        document: value,
        positions: locateReferences(value, positions),
        undeclared: findings.list().filter(isUndeclaredVariable),
      };
}

/** The whole tree of the document would be too much to keep. */
function locateReferences(document: PipelineDocument, index: PositionIndex): Map<string, Position> {
  const positions = new Map<string, Position>();
  const addPosition = (path: Path) => {
    const { line, column } = index.problemAt(index.ofValue(path), '', '');
    positions.set(path.join('/'), { line, column });
  };
  if (document.credentials) addPosition(['credentials']);
  for (const [id, job] of Object.entries(document.jobs))
    for (const member of ['workflow', 'credentials'] as const) if (job[member]) addPosition(['jobs', id, member]);
  return positions;
}
