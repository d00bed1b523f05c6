import { BoundedMap, type Expressions } from '../../../kernel/contracts/index.ts';
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

/** Reads pipelines. A document is checked when it is registered and read again whenever it runs: it is kept. */
export class PipelineReader {
  readonly #expressions: () => Expressions;
  readonly #kept = new BoundedMap<string, Read>(MAX_KEPT, {
    max_weight: MAX_CHARACTERS,
    weigh: (_, text) => text.length,
  });

  constructor(expressions: () => Expressions) {
    this.#expressions = expressions;
  }

  read(text: string): Read {
    const known = this.#kept.get(text);
    if (known) return known;
    const read = readPipeline(text, this.#expressions());
    this.#kept.set(text, read);
    return read;
  }
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
