/** A message as it goes out. */
export interface Entry {
  topic: string;
  /** The lines of the server-sent event, without its id. */
  text: string;
}

/** What a ring holds at most. */
export interface RingBounds {
  entries: number;
  characters: number;
}

export const RING: RingBounds = { entries: 5000, characters: 2 * 1024 * 1024 };

/**
 * The latest messages of a project, numbered from 1. Everybody who looks has a number and nothing else, so that memory does
 * not grow with their count or their slowness; who is behind the oldest has lost something.
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
    while (this.#held > 1 && (this.#held > this.#bounds.entries || this.#characters > this.#bounds.characters))
      this.#drop();
    if (this.#dropped <= this.#held) return;
    this.#entries = this.#entries.slice(this.#dropped);
    this.#dropped = 0;
  }

  /** True when everything after that number is here. */
  covers(after: number): boolean {
    return after <= this.#last && after >= this.#last - this.#held;
  }

  /** The entry with that number, which the ring covers. */
  at(number: number): Entry {
    return this.#entries[this.#entries.length - 1 - (this.#last - number)]!;
  }

  get #held(): number {
    return this.#entries.length - this.#dropped;
  }

  #drop(): void {
    this.#characters -= this.#entries[this.#dropped]!.text.length;
    this.#dropped += 1;
  }
}
