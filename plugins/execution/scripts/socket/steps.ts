import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { PassJournal } from '../../replay/contract.ts';
import { LEASES_PROTOCOL } from '../contract.ts';
import { StepLease, type Leases } from './step-lease.ts';
import { type BeginRequest, type EndRequest, OpenStep, type ServedRequest } from './open-step.ts';
import type { Reply } from './replies.ts';
import { runStructuredStep } from './structured-step.ts';

/** How many steps may have ended without a reply, because their results are held in memory. */
const MAX_UNANSWERED = 64;

/** The steps of one caller whose functions it runs itself, one at a time. */
export class CallerSteps {
  readonly #journal: PassJournal;
  readonly #clock: Clock;
  readonly #lease: StepLease;
  readonly #sendReply: (served: ServedRequest, reply: Reply) => void;
  #is_leasing = false;
  /** The step that the caller is running. */
  #current_step: OpenStep | undefined;
  #unanswered = 0;

  /** `tell` sends the reply to a `begin`. */
  constructor(journal: PassJournal, leases: Leases, sendReply: (served: ServedRequest, reply: Reply) => void) {
    this.#journal = journal;
    this.#clock = leases.clock;
    this.#lease = new StepLease(journal.pipeline, leases);
    this.#sendReply = sendReply;
  }

  setProtocol(protocol: number): void {
    this.#is_leasing = protocol >= LEASES_PROTOCOL;
  }

  /** True when the caller begins steps without waiting for replies. */
  get is_leasing(): boolean {
    return this.#is_leasing;
  }

  /** True when the caller may send the next request before a step that has ended is answered. */
  get accepts_next(): boolean {
    return this.#is_leasing && this.#unanswered < MAX_UNANSWERED;
  }

  /** True while the caller runs a step. */
  get running(): boolean {
    return this.#current_step?.can_end === true;
  }

  async run(begin: BeginRequest, served: ServedRequest): Promise<Reply> {
    const step = new OpenStep(begin, served, begin.key !== undefined && this.#is_leasing && this.#lease.is_active);
    this.#current_step = step;
    this.#unanswered += 1;
    try {
      const { record, replayed } = await runStructuredStep(step, this.#journal, (at, begun) => {
        this.#lease.recordStep(at.position);
        this.#deliver(step, step.setBeginReply(begun));
      });
      if (replayed) this.#lease.recordStep(record.position);
      return { record, replayed };
    } finally {
      this.#unanswered -= 1;
      if (this.#current_step === step) this.#current_step = undefined;
    }
  }

  /** Sends the reply to a `begin` that the caller sent without waiting for it. */
  requestReply(): void {
    const step = this.#current_step;
    if (step === undefined) return;
    // The caller counts the lease from this request.
    step.served.received_at = this.#clock.monotonic();
    this.#deliver(step, step.requestReply());
  }

  /** Ends the step that the caller runs. Returns false when there is none. */
  end(request: EndRequest): boolean {
    const step = this.#current_step;
    if (!step?.can_end) return false;
    this.#current_step = undefined;
    step.served.id = request.id;
    step.served.received_at = this.#clock.monotonic();
    step.end(request);
    return true;
  }

  /** The caller has repeated so many recorded steps by itself, and knows them. */
  repeat(count: number): void {
    this.#lease.recordRepeated(count);
  }

  /** Returns the reply together with an offer for further steps. */
  withOffer(reply: Reply, { received_at }: ServedRequest): Reply {
    if (!this.#is_leasing || reply.error !== undefined || reply.gone !== undefined) return reply;
    const ahead = this.#lease.offer(received_at);
    return ahead === undefined ? reply : { ...reply, ahead };
  }

  /** Lends the caller the next positions without a request of it. Returns the length of the lease in milliseconds, or 0. */
  lend(): number {
    return this.#lease.offer(this.#clock.monotonic())?.ms ?? 0;
  }

  /** Abandons the open step when the caller disconnects. */
  close(): void {
    this.#current_step?.abandon();
    this.#lease.close();
  }

  #deliver({ served }: OpenStep, begun: Reply | undefined): void {
    if (begun !== undefined) this.#sendReply(served, this.withOffer(begun, served));
  }
}
