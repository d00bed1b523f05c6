import { type Clock, type Log, type Metrics, type Round, WorkLoop } from '../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../runs/contract.ts';
import type { FiredNotifier } from './fired-notifier.ts';
import { deliverAll, type DeliveryParts } from './delivery.ts';

/**
 * Wake-ups of other servers are handled a moment later: the other server comes first, and this one takes what it left.
 */
const OTHERS_MS = 50;

export interface DelivererParts extends DeliveryParts {
  fired: FiredNotifier;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

/** Tells other servers that something was fired. */
export const FIRED_TOPIC = 'bus.fired';

/**
 * Carries out what events decided: ends the waits that they fired and cancels the runs. Every server does it, woken at
 * once where the event was recorded and polling elsewhere, so that a server that dies in between loses nothing; each
 * wait and cancel has one outcome whoever comes first. What fails by itself is passed over and tried again with the next
 * pass, and slows nothing else; only a database that does not answer is asked less often.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #loop: WorkLoop;
  readonly #delivered: ReturnType<Metrics['counter']>;
  /** Something was fired here since the last pass began. */
  #rung = false;
  /** Why something was skipped; logged once. */
  #passed_over = '';

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.#delivered = parts.metrics.counter('svc_bus_delivered_total', 'Waits ended and runs cancelled by events.', [
      'reaction',
    ]);
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: { min_ms: 200, max_ms: 1000 },
      says: {
        failing: 'delivering fired waits and cancels failed; retrying',
        recovered: 'fired waits and cancels are delivered again',
      },
      round: () => this.#pass(),
    });
  }

  /** Works until the returned function is called; that resolves when the last pass is over. */
  start(): () => Promise<void> {
    const offs = [
      this.#parts.fired.onFired(() => {
        this.#rung = true;
        this.#loop.wake();
      }),
      this.#parts.wakeups.onTopic(FIRED_TOPIC, () => this.#loop.wake(OTHERS_MS)),
    ];
    const stop = this.#loop.start();
    return () => {
      for (const off of offs) off();
      return stop();
    };
  }

  async #pass(): Promise<Round> {
    const backwards = !this.#rung;
    this.#rung = false;
    const failures: unknown[] = [];
    const found = await deliverAll(this.#parts, {
      backwards,
      stopped: () => this.#loop.stopped,
      failed: (error) => failures.push(error),
      delivered: (reaction, count) => this.#delivered.inc({ reaction }, count),
    });
    this.#tell(failures[0]);
    // Items that are skipped again and again are no reason for faster passes.
    return { found: found - failures.length };
  }

  #tell(error: unknown): void {
    const text = error === undefined ? '' : error instanceof Error ? error.message : String(error);
    if (text !== '' && text !== this.#passed_over)
      this.#parts.log.error({ err: error }, 'delivering a fired wait or cancel failed; retrying');
    this.#passed_over = text;
  }
}
