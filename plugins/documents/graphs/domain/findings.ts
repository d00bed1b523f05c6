import type { Fault } from '../../../../kernel/contracts/index.ts';

/** The number of errors that an answer lists. Further ones are only counted. */
export const MAX_LISTED = 200;
const MAX_POINTER_LENGTH = 1024;
const MAX_MESSAGE_LENGTH = 2048;

/** The errors that make a document impossible to run. */
export interface InvalidGraph {
  errors: readonly Fault[];
  /** The number of all errors, including those that are not listed. */
  count: number;
}

/** Collects errors. Messages are built only for the errors that are listed, however many a document has. */
export class Findings implements InvalidGraph {
  readonly #listed: Fault[] = [];
  readonly #variables = new Map<string, string>();
  #count = 0;

  get errors(): readonly Fault[] {
    return this.#listed;
  }

  get count(): number {
    return this.#count;
  }

  /** The variables that expressions read, and a pointer to the first one that reads each; at most as many as are listed. */
  get variables(): ReadonlyMap<string, string> {
    return this.#variables;
  }

  addVariable(name: string, pointer: string): void {
    if (this.#variables.size < MAX_LISTED && !this.#variables.has(name))
      this.#variables.set(name, truncatePointer(pointer));
  }

  /** `text` is called only for an error that is listed, because suggestions are expensive. */
  add(pointer: string, text: string | (() => string)): void {
    this.#count += 1;
    if (this.#listed.length >= MAX_LISTED) return;
    const message = typeof text === 'string' ? text : text();
    this.#listed.push({ pointer: truncatePointer(pointer), message: truncateMessage(message) });
  }

  addAll(errors: Iterable<Fault>, below = ''): void {
    for (const { pointer, message } of errors) this.add(below + pointer, message);
  }

  /** Returns findings for a value within this one: whatever is added to them is added here, below the pointer. */
  below(pointer: string): Findings {
    return new NestedFindings(this, pointer);
  }
}

class NestedFindings extends Findings {
  readonly #outer: Findings;
  readonly #pointer: string;

  constructor(outer: Findings, pointer: string) {
    super();
    this.#outer = outer;
    this.#pointer = pointer;
  }

  override add(pointer: string, text: string | (() => string)): void {
    this.#outer.add(this.#pointer + pointer, text);
  }

  override addVariable(name: string, pointer: string): void {
    this.#outer.addVariable(name, this.#pointer + pointer);
  }
}

/** A pointer with the name of a member that is too long to show ends at the value around it. */
export function truncatePointer(pointer: string): string {
  if (pointer.length <= MAX_POINTER_LENGTH) return pointer;
  return pointer.slice(0, pointer.lastIndexOf('/', MAX_POINTER_LENGTH));
}

const truncateMessage = (text: string): string =>
  text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…`;
