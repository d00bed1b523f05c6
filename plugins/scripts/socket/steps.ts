import type { Clock } from '../../../kernel/contracts/index.ts';
import type { PassJournal } from '../../replay/contract.ts';
import { AHEAD_PROTOCOL } from '../contract.ts';
import { Ahead, type Leases } from './ahead.ts';
import { type Begin, type End, OpenStep, type Served } from './open-step.ts';
import type { Reply } from './replies.ts';
import { runStructuredStep } from './structured-step.ts';

/** Steps that have ended and are not answered: what they answered is in memory. */
const MOST_UNANSWERED = 64;

/** The steps of one caller whose functions it runs itself, one at a time. */
export class Steps {
  readonly #journal: PassJournal;
  readonly #clock: Clock;
  readonly #ahead: Ahead;
  readonly #tell: (served: Served, reply: Reply) => void;
  #goesAhead = false;
  /** The step that the caller runs. */
  #open: OpenStep | undefined;
  #unanswered = 0;

  /** `tell` answers a `begin`. */
  constructor(journal: PassJournal, leases: Leases, tell: (served: Served, reply: Reply) => void) {
    this.#journal = journal;
    this.#clock = leases.clock;
    this.#ahead = new Ahead(journal.ahead, leases);
    this.#tell = tell;
  }

  speaks(protocol: number): void {
    this.#goesAhead = protocol >= AHEAD_PROTOCOL;
  }

  /** True when the caller begins steps without an answer. */
  get goesAhead(): boolean {
    return this.#goesAhead;
  }

  /** True when the caller may send the next request before a step that has ended is answered. */
  get goesOn(): boolean {
    return this.#goesAhead && this.#unanswered < MOST_UNANSWERED;
  }

  /** True while the caller runs one. */
  get running(): boolean {
    return this.#open?.begun === true;
  }

  async run(begin: Begin, served: Served): Promise<Reply> {
    const step = new OpenStep(begin, served, begin.key !== undefined && this.#goesAhead && this.#ahead.holds);
    this.#open = step;
    this.#unanswered += 1;
    try {
      const { record, replayed } = await runStructuredStep(step, this.#journal, (at, begun) => {
        this.#ahead.own(at.position);
        this.#answer(step, step.placed(begun));
      });
      if (replayed) this.#ahead.own(record.position);
      return { record, replayed };
    } finally {
      this.#unanswered -= 1;
      if (this.#open === step) this.#open = undefined;
    }
  }

  /** The caller asks for the answer to the `begin` that it sent without waiting for one. */
  ask(): void {
    const step = this.#open;
    if (step === undefined) return;
    // It counts from this question.
    step.served.came_at = this.#clock.monotonic();
    this.#answer(step, step.ask());
  }

  /** The caller has run it. False: it runs none. */
  end(request: End): boolean {
    const step = this.#open;
    if (!step?.begun) return false;
    this.#open = undefined;
    step.served.id = request.id;
    step.served.came_at = this.#clock.monotonic();
    step.end(request);
    return true;
  }

  /** The answer with what it says of further steps. */
  withOffer(reply: Reply, { came_at }: Served): Reply {
    if (!this.#goesAhead || reply.error !== undefined || reply.gone !== undefined) return reply;
    const ahead = this.#ahead.offer(came_at);
    return ahead === undefined ? reply : { ...reply, ahead };
  }

  /** The caller is gone. */
  close(): void {
    this.#open?.abandon();
    this.#ahead.close();
  }

  #answer({ served }: OpenStep, begun: Reply | undefined): void {
    if (begun !== undefined) this.#tell(served, this.withOffer(begun, served));
  }
}
