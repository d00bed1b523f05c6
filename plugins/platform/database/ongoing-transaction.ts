/** The state of a transaction while its work runs. It is the same for both families. */
export class OngoingTransaction {
  /** Callbacks to run after the commit. */
  readonly after: (() => void)[] = [];
  /** The error that ended the whole transaction: a deadlock, a lock wait timeout, a lost connection, a full disk. */
  failure: unknown;
  #ended = false;

  afterCommit(run: () => void): void {
    this.#assertOpen();
    this.after.push(run);
  }

  /** Throws when the transaction has failed, so that nothing is left to commit. */
  assertSound(): void {
    if (this.failure) throw this.failure;
  }

  /** Ends the transaction: every later statement throws. */
  end(): void {
    this.#ended = true;
  }

  /** Called before each statement. */
  protected assertUsable(): void {
    this.#assertOpen();
    this.assertSound();
  }

  #assertOpen(): void {
    if (this.#ended) throw new Error('this transaction has ended; await every statement before its work returns');
  }
}
