/** A message in the form in which it is sent. */
export interface Entry {
  topic: string;
  /** The lines of the server-sent event, without its id. */
  text: string;
}

/** The bounds of a ring. */
export interface RingBounds {
  entries: number;
  characters: number;
}

export const RING: RingBounds = { entries: 5000, characters: 2 * 1024 * 1024 };

/**
 * The latest messages of a project, numbered from 1. Each viewer has only a number, so memory does not grow with the
 * count or the slowness of viewers. A viewer that falls behind the oldest message has lost some.
 */
export class Ring {
  readonly #bounds: RingBounds;
  #entries: Entry[] = [];
  /** Entries at the beginning that are dropped already: removing each would move all the others. */
  #dropped = 0;
  /** The number of the last entry. */
  #last = 0;
  #characters = 0;

  constructor(bounds: RingBounds = RING) {
    this.#bounds = bounds;
  }

  get last(): number {
    return this.#last;
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
    this.#last += 1;
    this.#characters += entry.text.length;
    while (this.#length > 1 && (this.#length > this.#bounds.entries || this.#characters > this.#bounds.characters))
      this.#dropOldest();
    if (this.#dropped <= this.#length) return;
    this.#entries = this.#entries.slice(this.#dropped);
    this.#dropped = 0;
  }

  /** Returns true when the ring contains everything after that number. */
  covers(after: number): boolean {
    return after <= this.#last && after >= this.#last - this.#length;
  }

  /** The entry with that number, which the ring covers. */
  entryAt(number: number): Entry {
    return this.#entries[this.#entries.length - 1 - (this.#last - number)]!;
  }

  get #length(): number {
    return this.#entries.length - this.#dropped;
  }

  #dropOldest(): void {
    this.#characters -= this.#entries[this.#dropped]!.text.length;
    this.#dropped += 1;
  }
}
