import {
  BoundedMap,
  Errors,
  type Expressions,
  isServiceError,
  type ServiceError,
} from '../../../kernel/contracts/index.ts';
import { DOCUMENT_TOO_COSTLY, type DocumentWorkers, moduleBeside } from '../../expressions/contract.ts';
import type { Problem } from '../../runs/contract.ts';
import type { PipelineDocument } from '../generated/pipeline.ts';
import { checkExpressions } from './expressions.ts';
import { Findings } from './findings.ts';
import { checkNeeds } from './needs.ts';
import { checkRules } from './rules.ts';
import { checkShape } from './shape.ts';
import { type Path, type Places, readSource } from './source.ts';

export type Place = Pick<Problem, 'line' | 'column'>;

/** A valid document, and where its jobs name other workflows and credentials: `jobs/<id>/workflow`, `credentials`. */
export type Read = { document: PipelineDocument; places: ReadonlyMap<string, Place> } | { problems: Problem[] };

/** Documents that are kept, and characters of their texts. */
const MAX_KEPT = 256;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Signs that make the parser work; the words between them cost little. */
const SIGNS = /[-,:?&*!|>'"%@`#[\]{}\\\n]/g;
/** Documents with more signs are read in a worker thread: each may cost some ten microseconds. */
const LIGHT_SIGNS = 1500;
const LIGHT_CHARACTERS = 64 * 1024;

const IN_WORKER = moduleBeside(import.meta.url, './in-worker');

export interface ReaderParts {
  expressions(): Expressions;
  workers(): DocumentWorkers;
}

/** Reads pipelines. A document is checked when it is registered and read again whenever it runs: it is kept. */
export class PipelineReader {
  readonly #parts: ReaderParts;
  readonly #reading = new Map<string, Promise<Read>>();
  /** Documents that were too costly: a run that is planned again does not spend as much again. */
  readonly #refused = new BoundedMap<string, ServiceError>(MAX_KEPT, {
    max_weight: MAX_CHARACTERS,
    weigh: (_, text) => text.length,
  });
  readonly #kept = new BoundedMap<string, Read>(MAX_KEPT, {
    max_weight: MAX_CHARACTERS,
    weigh: (_, text) => text.length,
  });

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /**
   * For use in a transaction. A document that is neither kept nor light is read first, while the transaction is undone.
   */
  read(project_id: string, text: string): Read {
    const known = this.#kept.get(text);
    if (known) return known;
    if (isLight(text)) return this.#keep(text, readPipeline(text, this.#parts.expressions()));
    const refusal = this.#refused.get(text);
    if (refusal) throw refusal;
    const outside = async () => {
      await this.load(project_id, text).catch((error: unknown) => {
        // The next attempt meets the refusal where it can be recorded.
        if (!isServiceError(error, DOCUMENT_TOO_COSTLY)) throw error;
      });
    };
    throw Errors.unavailable('the pipeline is read first', { outside });
  }

  /** For use outside of transactions. Throws `document_too_costly` and what else `DocumentWorkers` throws. */
  async load(project_id: string, text: string): Promise<Read> {
    if (this.#kept.get(text) || isLight(text)) return this.read(project_id, text);
    const reading = this.#reading.get(text) ?? this.#readInWorker(project_id, text);
    this.#reading.set(text, reading);
    return reading;
  }

  async #readInWorker(project_id: string, text: string): Promise<Read> {
    try {
      const task = { module: IN_WORKER, name: 'readInWorker', args: [text], project_id };
      return this.#keep(text, await this.#parts.workers().run<Read>(task));
    } catch (error) {
      if (isServiceError(error, DOCUMENT_TOO_COSTLY)) this.#refused.set(text, error);
      throw error;
    } finally {
      this.#reading.delete(text);
    }
  }

  #keep(text: string, read: Read): Read {
    this.#kept.set(text, read);
    return read;
  }
}

function isLight(text: string): boolean {
  if (text.length > LIGHT_CHARACTERS) return false;
  let signs = 0;
  SIGNS.lastIndex = 0;
  while (SIGNS.test(text))
    if (++signs > LIGHT_SIGNS) {
      SIGNS.lastIndex = 0;
      return false;
    }
  return true;
}

/** Reads and checks a pipeline. Later checks build on earlier ones: a document of a wrong form has no other problems. */
export function readPipeline(text: string, expressions: Expressions): Read {
  const source = readSource(text);
  if ('problems' in source) return source;
  const { value, places } = source;
  const findings = new Findings(places);
  if (!checkShape(value, findings)) return { problems: findings.list() };
  checkNeeds(value, findings);
  const ordered = !findings.any;
  checkRules(value, findings);
  if (ordered) checkExpressions(value, expressions, findings);
  return findings.any ? { problems: findings.list() } : { document: value, places: placesOf(value, places) };
}

/** The whole tree of the document would be too much to keep. */
function placesOf(document: PipelineDocument, places: Places): Map<string, Place> {
  const found = new Map<string, Place>();
  const keep = (path: Path) => {
    const { line, column } = places.problem(places.ofValue(path), '', '');
    found.set(path.join('/'), { line, column });
  };
  if (document.credentials) keep(['credentials']);
  for (const [id, job] of Object.entries(document.jobs))
    for (const member of ['workflow', 'credentials'] as const) if (job[member]) keep(['jobs', id, member]);
  return found;
}
