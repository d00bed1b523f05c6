import type { Fault } from '../../../kernel/contracts/index.ts';

/** Maximum number of faults that an answer lists; the others are counted. */
export const MAX_LISTED = 200;
const MAX_POINTER_LENGTH = 1024;
const MAX_MESSAGE_LENGTH = 2048;

/** What a check finds in a document that cannot be run. */
export interface Faulty {
  faults: readonly Fault[];
  /** Of all faults, also those that are not listed. */
  count: number;
}

/** Collects faults. However many a document has, the texts of the listed ones alone are made and kept. */
export class Findings implements Faulty {
  readonly #listed: Fault[] = [];
  #count = 0;

  get faults(): readonly Fault[] {
    return this.#listed;
  }

  get count(): number {
    return this.#count;
  }

  /** `text`: made only for a fault that is listed, since a suggestion can be much work. */
  add(pointer: string, text: string | (() => string)): void {
    this.#count += 1;
    if (this.#listed.length >= MAX_LISTED) return;
    const message = typeof text === 'string' ? text : text();
    this.#listed.push({ pointer: shownPointer(pointer), message: cut(message) });
  }

  addAll(faults: Iterable<Fault>, below = ''): void {
    for (const { pointer, message } of faults) this.add(below + pointer, message);
  }
}

/** A pointer with the name of a member that is too long to show ends at the value around it. */
export function shownPointer(pointer: string): string {
  if (pointer.length <= MAX_POINTER_LENGTH) return pointer;
  return pointer.slice(0, pointer.lastIndexOf('/', MAX_POINTER_LENGTH));
}

const cut = (text: string): string =>
  text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…`;
