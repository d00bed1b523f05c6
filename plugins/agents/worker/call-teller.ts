import { type Cancel, type Clock, isServiceError, type Log } from '../../../kernel/contracts/index.ts';
import type { CallUnderWay, ClaimRef, ToldCall } from '../../runs/contract.ts';
import type { AgentLink } from '../contract.ts';

/** A call that lasts so long is told: nobody looks at the others, and they cost no frame. */
const TELL_MS = 250;
/** As much as the server takes of a text. */
const MAX_CHARS = 4096;

export interface CallTellerParts {
  link: Pick<AgentLink, 'request'>;
  clock: Clock;
  log: Log;
}

interface Current {
  claim: ClaimRef;
  call: CallUnderWay;
  mask: (text: string) => string;
  since: number;
  told: boolean;
}

/** Tells the server what this agent carries out, for all of its passes together. Nothing waits for it. */
export class CallTeller {
  readonly #parts: CallTellerParts;
  /** By the claim of the pass: each carries out one call at a time. */
  readonly #calls = new Map<ClaimRef, Current>();
  #cancel: Cancel | undefined;
  /** The server does not know this request: it is of an older version. */
  #unknown = false;
  #closed = false;

  constructor(parts: CallTellerParts) {
    this.#parts = parts;
  }

  /** The answered function ends the call, unless the next one of the claim has begun. */
  begin(claim: ClaimRef, call: CallUnderWay, mask: (text: string) => string): () => void {
    const before = this.#calls.get(claim);
    const current = { claim, call, mask, since: this.#parts.clock.monotonic(), told: false };
    this.#calls.set(claim, current);
    if (before?.told) this.#send([{ claim }]);
    this.#arm();
    return () => {
      if (this.#calls.get(claim) !== current) return;
      this.#calls.delete(claim);
      if (current.told) this.#send([{ claim }]);
    };
  }

  /** The claim is over, and the server knows that. */
  forget(claim: ClaimRef): void {
    this.#calls.delete(claim);
  }

  /** There is another connection, and whoever is at its end knows nothing. */
  greeted(): void {
    this.#unknown = false;
    for (const current of this.#calls.values()) current.told = false;
    this.#tell();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #arm(): void {
    if (this.#closed || this.#cancel) return;
    const tell = () => {
      this.#cancel = undefined;
      this.#tell();
    };
    this.#cancel = this.#parts.clock.after(TELL_MS, tell, { unref: true });
  }

  #tell(): void {
    const now = this.#parts.clock.monotonic();
    const untold = [...this.#calls.values()].filter(({ told }) => !told);
    const due = untold.filter(({ since }) => now - since >= TELL_MS);
    for (const current of due) current.told = true;
    if (due.length > 0)
      this.#send(
        due.map((current) => toldCall(current, now)),
        due,
      );
    if (due.length < untold.length) this.#arm();
  }

  #send(calls: ToldCall[], told: readonly Current[] = []): void {
    if (this.#closed || this.#unknown) return;
    this.#parts.link.request('under_way', { calls }).catch((error: Error) => {
      const { status } = isServiceError(error) ? error : { status: 500 };
      this.#parts.log.debug({ reason: error.message }, 'the server was not told what this agent carries out');
      // The next connection begins anew. What the server could not take is told again.
      if (status === 400) this.#unknown = true;
      if (status < 500 || status === 503) return;
      for (const current of told) current.told = false;
      this.#arm();
    });
  }
}

function toldCall({ claim, call, mask, since }: Current, now: number): ToldCall {
  const shown = (text: string) => mask(text).slice(0, MAX_CHARS).toWellFormed();
  const { name, label } = call;
  const for_ms = Math.round(now - since);
  return { claim, call: { ...call, name: shown(name), ...(label !== undefined && { label: shown(label) }), for_ms } };
}
