import type { ClaimRef, JournalRecord } from '../../runs/contract.ts';
import type { ClaimClient } from './claim-client.ts';

/**
 * Records of one claim on their way to the server, several at a time, so that they share a commit. The server takes a
 * record only when it has all those before, so one that was refused because the one before it was is sent again, when that
 * one is stored. A record that is sent twice is stored once.
 */
export class AppendLine {
  readonly #client: ClaimClient;
  readonly #claim: ClaimRef;
  /** Those before; undefined when the last record is stored. */
  #before: Promise<unknown> | undefined;

  constructor(client: ClaimClient, claim: ClaimRef) {
    this.#client = client;
    this.#claim = claim;
  }

  /** Resolves when the record and all before it are durable. Rejects with what one of them was refused for. */
  add(record: JournalRecord): Promise<void> {
    const body = { claim: this.#claim, record };
    const before = this.#before;
    const stored = before === undefined ? this.#client.ask('append', body) : this.#after(before, body);
    this.#before = stored;
    const over = () => {
      if (this.#before === stored) this.#before = undefined;
    };
    stored.then(over, over);
    return stored.then(() => undefined);
  }

  /** Resolves when nothing is under way: each record is stored, or refused. */
  async idle(): Promise<void> {
    // Whoever added it has the error.
    while (this.#before !== undefined) await this.#before.catch(() => undefined);
  }

  async #after(before: Promise<unknown>, body: { claim: ClaimRef; record: JournalRecord }): Promise<unknown> {
    const tried = this.#client.once('append', body).then(
      () => true,
      () => false,
    );
    await before;
    return (await tried) || (await this.#client.ask('append', body));
  }
}
