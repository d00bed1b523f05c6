/** The state of a transaction while its work runs, the same for both families. */
export class OngoingTransaction {
  /** To run after the commit. */
  readonly after: (() => void)[] = [];
  /** The error that ended the whole transaction: a deadlock, a lock wait timeout, a lost connection, a full disk. */
  fault: unknown;
  #over = false;

  afterCommit(run: () => void): void {
    this.#assertOpen();
    this.after.push(run);
  }

  /** Throws when there is nothing left to commit. */
  assertSound(): void {
    if (this.fault) throw this.fault;
  }

  /** Refuses every further statement. */
  end(): void {
    this.#over = true;
  }

  /** Called before each statement. */
  protected assertUsable(): void {
    this.#assertOpen();
    this.assertSound();
  }

  #assertOpen(): void {
    if (this.#over) throw new Error('this transaction is over; await every statement before its work returns');
  }
}
