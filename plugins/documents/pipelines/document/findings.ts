import { suggestName } from '../../../platform/schema/contract.ts';
import type { Problem } from '../../../engine/runs/contract.ts';
import type { Path, PositionIndex } from './source.ts';

/** At most this many problems are listed. The first ones name the cause. */
const MAX_PROBLEMS = 100;
/**
 * At most this many problems carry a suggestion. Each suggestion compares all known names, of which a document may have
 * thousands.
 */
const MAX_HINTS = 10;

/** Collects the problems of a document, each at its place. */
export class Findings {
  readonly #positions: PositionIndex;
  readonly #problems: Problem[] = [];

  constructor(positions: PositionIndex) {
    this.#positions = positions;
  }

  atKey(path: Path, message: string, code = 'pipeline_invalid'): void {
    this.#add(() => this.#positions.ofKey(path), message, code);
  }

  atValue(path: Path, message: string, code = 'pipeline_invalid'): void {
    this.#add(() => this.#positions.ofValue(path), message, code);
  }

  /** Reports a problem within an expression of the text at `path`. */
  atExpression(path: Path, nth: number | undefined, at: { line: number; column: number }, message: string): void {
    this.#add(() => this.#positions.ofExpression(path, nth, at), message, 'expression_invalid');
  }

  /** Returns the suggestion of `didYouMean` for an unknown name; empty once there are many problems. */
  hint(text: string, candidates: () => readonly string[]): string {
    return this.#problems.length < MAX_HINTS ? didYouMean(text, candidates()) : '';
  }

  get hasProblems(): boolean {
    return this.#problems.length > 0;
  }

  /** Lists the problems in the order of the document. */
  list(): Problem[] {
    return this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  /** Positions are looked up only for listed problems, because that is slower than finding the problem. */
  #add(offset: () => number, message: string, code: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(this.#positions.problemAt(offset(), message, code));
  }
}

/** `; did you mean …?` for the most similar of the known names, if one is similar at all. */
export function didYouMean(text: string, candidates: readonly string[]): string {
  const best = suggestName(text, candidates);
  return best === undefined ? '' : `; did you mean \`${best}\`?`;
}
