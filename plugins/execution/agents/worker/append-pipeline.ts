import type { Appended, ClaimRef, JournalRecord } from '../../../engine/runs/contract.ts';
import type { ClaimClient } from './claim-client.ts';

/**
 * Appends records of one claim, several at a time, so that they share a commit. The server accepts a record only if
 * it has all previous ones, so a record that was refused because its predecessor was is sent again once that one is
 * stored. A record that is sent twice is stored once.
 */
export class AppendPipeline {
  readonly #client: ClaimClient;
  readonly #claim: ClaimRef;
  readonly #onPaused: () => void;
  /** The previous append; undefined when the last record is stored. */
  #previous: Promise<unknown> | undefined;

  /** `onPaused` is called when the answer to a record says that the run is paused. */
  constructor(client: ClaimClient, claim: ClaimRef, onPaused: () => void) {
    this.#client = client;
    this.#claim = claim;
    this.#onPaused = onPaused;
  }

  /** Resolves when the record and all before it are durable. Rejects with the error of whichever was refused. */
  add(record: JournalRecord): Promise<void> {
    const body = { claim: this.#claim, record };
    const previous = this.#previous;
    const stored = previous === undefined ? this.#client.request('append', body) : this.#appendAfter(previous, body);
    this.#previous = stored;
    const clear = () => {
      if (this.#previous === stored) this.#previous = undefined;
    };
    stored.then(clear, clear);
    return stored.then(({ paused }) => {
      if (paused) this.#onPaused();
    });
  }

  /** Resolves when every record is stored or refused. */
  async whenIdle(): Promise<void> {
    // The caller that added the record handles the error.
    while (this.#previous !== undefined) await this.#previous.catch(() => undefined);
  }

  async #appendAfter(previous: Promise<unknown>, body: { claim: ClaimRef; record: JournalRecord }): Promise<Appended> {
    const accepted = this.#client.requestOnce('append', body).then(
      (appended) => appended,
      () => undefined,
    );
    await previous;
    return (await accepted) ?? (await this.#client.request('append', body));
  }
}
