import { type Cancel, type Clock, isServiceError, type Log } from '../../../../kernel/contracts/index.ts';
import type { CallUnderWay, ClaimRef, ToldCall } from '../../../engine/runs/contract.ts';
import type { AgentLink } from '../contract.ts';

/** A call is reported once it lasts this long. Nobody watches shorter ones, and they cost no frame. */
const REPORT_AFTER_MS = 250;
/** Maximum characters of a text that the server accepts. */
const MAX_CHARS = 4096;

export interface CallReporterDeps {
  link: Pick<AgentLink, 'request'>;
  clock: Clock;
  log: Log;
}

interface RunningCall {
  claim: ClaimRef;
  call: CallUnderWay;
  mask: (text: string) => string;
  since: number;
  reported: boolean;
}

/** Reports the running calls of this agent to the server, for all of its passes together. Nothing waits for it. */
export class CallReporter {
  readonly #deps: CallReporterDeps;
  /** By the claim of the pass, each of which runs one call at a time. */
  readonly #calls = new Map<ClaimRef, RunningCall>();
  #cancel: Cancel | undefined;
  /** The server is of an older version and does not know this request. */
  #unsupported = false;
  #closed = false;

  constructor(deps: CallReporterDeps) {
    this.#deps = deps;
  }

  /** The returned function ends the call, unless the next call of the claim has begun. */
  begin(claim: ClaimRef, call: CallUnderWay, mask: (text: string) => string): () => void {
    const previous = this.#calls.get(claim);
    const current: RunningCall = { claim, call, mask, since: this.#deps.clock.monotonic(), reported: false };
    this.#calls.set(claim, current);
    if (previous?.reported) this.#send([{ claim }]);
    this.#scheduleReport();
    return () => {
      if (this.#calls.get(claim) !== current) return;
      this.#calls.delete(claim);
      if (current.reported) this.#send([{ claim }]);
    };
  }

  /** Called when the claim has ended, which the server knows by itself. */
  drop(claim: ClaimRef): void {
    this.#calls.delete(claim);
  }

  /** Reports everything again on a new connection, because the server may be another one. */
  onReconnect(): void {
    this.#unsupported = false;
    for (const current of this.#calls.values()) current.reported = false;
    this.#sendReport();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #scheduleReport(): void {
    if (this.#closed || this.#cancel) return;
    const tell = () => {
      this.#cancel = undefined;
      this.#sendReport();
    };
    this.#cancel = this.#deps.clock.after(REPORT_AFTER_MS, tell, { unref: true });
  }

  #sendReport(): void {
    const now = this.#deps.clock.monotonic();
    const unreported = [...this.#calls.values()].filter(({ reported: told }) => !told);
    const due = unreported.filter(({ since }) => now - since >= REPORT_AFTER_MS);
    for (const current of due) current.reported = true;
    if (due.length > 0)
      this.#send(
        due.map((current) => toReportedCall(current, now)),
        due,
      );
    if (due.length < unreported.length) this.#scheduleReport();
  }

  #send(calls: ToldCall[], reported: readonly RunningCall[] = []): void {
    if (this.#closed || this.#unsupported) return;
    this.#deps.link.request('under_way', { calls }).catch((error: Error) => {
      const { status } = isServiceError(error) ? error : { status: 500 };
      this.#deps.log.debug({ reason: error.message }, 'calls in progress could not be reported to the server');
      // The next connection starts afresh. What the server could not accept is reported again.
      if (status === 400) this.#unsupported = true;
      if (status < 500 || status === 503) return;
      for (const current of reported) current.reported = false;
      this.#scheduleReport();
    });
  }
}

function toReportedCall({ claim, call, mask, since }: RunningCall, now: number): ToldCall {
  const format = (text: string) => mask(text).slice(0, MAX_CHARS).toWellFormed();
  const { name, label } = call;
  const for_ms = Math.round(now - since);
  return { claim, call: { ...call, name: format(name), ...(label !== undefined && { label: format(label) }), for_ms } };
}
