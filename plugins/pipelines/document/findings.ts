import { nearest } from '../../schema/contract.ts';
import type { Problem } from '../../runs/contract.ts';
import type { Path, Places } from './source.ts';

/** So many problems are listed; the first ones name the cause. */
const MAX_PROBLEMS = 100;
/** So many of them say what was probably meant: each looks through all known names, and a document may have thousands. */
const MAX_HINTS = 10;

/** Collects the problems of a document, each at its place. */
export class Findings {
  readonly #places: Places;
  readonly #problems: Problem[] = [];

  constructor(places: Places) {
    this.#places = places;
  }

  atKey(path: Path, message: string, code = 'pipeline_invalid'): void {
    this.#add(() => this.#places.ofKey(path), message, code);
  }

  atValue(path: Path, message: string, code = 'pipeline_invalid'): void {
    this.#add(() => this.#places.ofValue(path), message, code);
  }

  /** Within an expression of the text at `path`. */
  within(path: Path, nth: number | undefined, at: { line: number; column: number }, message: string): void {
    this.#add(() => this.#places.within(path, nth, at), message, 'expression_invalid');
  }

  /** What `didYouMean` says of a name that is about to be found unknown; nothing once there are many problems. */
  hint(text: string, known: () => readonly string[]): string {
    return this.#problems.length < MAX_HINTS ? didYouMean(text, known()) : '';
  }

  get any(): boolean {
    return this.#problems.length > 0;
  }

  /** In the order of the document. */
  list(): Problem[] {
    return this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  /** Looking for a place takes longer than finding a fault. */
  #add(offset: () => number, message: string, code: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(this.#places.problem(offset(), message, code));
  }
}

/** ` — did you mean …?` for the most similar of the known names, if one is similar at all. */
export function didYouMean(text: string, known: readonly string[]): string {
  const [best] = nearest(text, known, 1);
  if (best === undefined || differing(text, best) > Math.max(2, Math.floor(text.length / 3))) return '';
  return `; did you mean \`${best}\`?`;
}

/** Letters that only one of two words has; close to their distance for short words. */
function differing(a: string, b: string): number {
  const rest = [...b];
  let more = 0;
  for (const letter of a) {
    const at = rest.indexOf(letter);
    if (at < 0) more++;
    else rest.splice(at, 1);
  }
  return Math.max(more, rest.length);
}
