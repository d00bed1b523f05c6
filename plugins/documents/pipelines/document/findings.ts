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

/** A variable that the document reads and does not declare. Its project or org may have it. */
export type UndeclaredVariable = Problem & { variable: string };

export const isUndeclaredVariable = (problem: Problem): problem is UndeclaredVariable => 'variable' in problem;

/** Collects the problems of a document, each at its place. */
export class Findings {
  readonly #positions: PositionIndex;
  #problems: Problem[] = [];

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

  /** Reports that the text at `path` reads a variable that the document does not declare. */
  atVariable(path: Path, nth: number | undefined, variable: string, message: string): void {
    const added = this.#problems.length;
    this.atExpression(path, nth, { line: 1, column: 1 }, message);
    const problem = this.#problems[added];
    if (problem) this.#problems[added] = { ...problem, variable } as UndeclaredVariable;
  }

  /** Withdraws the problems of variables that the document tests with `has(…)`: it works without them. */
  withdrawVariables(tested: ReadonlySet<string>): void {
    if (tested.size > 0)
      this.#problems = this.#problems.filter((one) => !isUndeclaredVariable(one) || !tested.has(one.variable));
  }

  /** Returns the suggestion of `didYouMean` for an unknown name; empty once there are many problems. */
  hint(text: string, candidates: () => readonly string[]): string {
    return this.#problems.length < MAX_HINTS ? didYouMean(text, candidates()) : '';
  }

  /** True when there are problems of the document itself. */
  get hasProblems(): boolean {
    return !this.#problems.every(isUndeclaredVariable);
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
