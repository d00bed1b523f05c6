/** What earlier passes have recorded, read in parts. Steps that stand there are repeated without the agent. */
export class Recorded {
  #count;
  #next = 0;
  /** The part that is read, and the position of its first record. */
  #page = [];
  #from = 0;
  #repeated = 0;

  constructor(count) {
    this.#count = count;
  }

  get hasUnread() {
    return this.#next < this.#count;
  }

  /** The next record, if it is that of a step with this name. `read` answers the records from a position on. */
  async step(name, read) {
    if (this.#next >= this.#from + this.#page.length) {
      const from = this.#next;
      this.#page = await read(from);
      this.#from = from;
    }
    const record = this.#page[this.#next - this.#from];
    if (record?.kind !== 'step' || record.name !== name) return undefined;
    this.#next += 1;
    this.#repeated += 1;
    if (!this.hasUnread) this.#page = [];
    return record;
  }

  /** The agent says which call is the next one. */
  seek(next) {
    this.#next = next;
  }

  /** How many steps were repeated that the agent has not heard of. */
  takeRepeated() {
    const repeated = this.#repeated;
    this.#repeated = 0;
    return repeated;
  }
}
