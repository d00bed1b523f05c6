import {
  type Clock,
  type Log,
  type Metrics,
  type IterationResult,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../../engine/runs/contract.ts';
import type { MatchNotifier } from './match-notifier.ts';
import { deliverAll, type DeliveryDeps } from './delivery.ts';

/**
 * Delay before reacting to wake-ups from other servers, so that the server that recorded the event delivers first and
 * this one handles what is left.
 */
const REMOTE_DELAY_MS = 50;

export interface DelivererDeps extends DeliveryDeps {
  matches: MatchNotifier;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

/** Wakes the deliverers of other servers after a wait or cancel was matched. */
export const MATCHED_TOPIC = 'bus.fired';

/**
 * Carries out what events decided: ends the waits and cancels the runs that they matched. Every server does this. The
 * server that recorded the event starts at once and the others poll, so a crash in between loses nothing, and each
 * wait and cancel has exactly one outcome whoever gets there first. An item that fails is skipped and retried in the
 * next round without delaying the others; only an unavailable database slows the loop down.
 */
export class Deliverer {
  readonly #deps: DelivererDeps;
  readonly #loop: WorkLoop;
  readonly #delivered: ReturnType<Metrics['counter']>;
  /** Whether a wait or cancel was matched here since the last round began. */
  #notified = false;
  /** The message of the last skipped item, so that the same failure is logged only once. */
  #last_failure = '';

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
    this.#delivered = deps.metrics.counter('svc_bus_delivered_total', 'Waits ended and runs cancelled by events.', [
      'reaction',
    ]);
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: 200, max_ms: 1000 },
      messages: {
        failing: 'delivering fired waits and cancellations failed; retrying',
        recovered: 'fired waits and cancellations are delivered again',
      },
      iterate: () => this.#deliverRound(),
    });
  }

  /** Runs until the returned function is called, whose promise resolves when the last round has ended. */
  start(): () => Promise<void> {
    const unsubscribe = [
      this.#deps.matches.onMatch(() => {
        this.#notified = true;
        this.#loop.wake();
      }),
      this.#deps.wakeups.onTopic(MATCHED_TOPIC, () => this.#loop.wake(REMOTE_DELAY_MS)),
    ];
    const stop = this.#loop.start();
    return () => {
      for (const remove of unsubscribe) remove();
      return stop();
    };
  }

  async #deliverRound(): Promise<IterationResult> {
    const backwards = !this.#notified;
    this.#notified = false;
    const failures: unknown[] = [];
    const found = await deliverAll(this.#deps, {
      backwards,
      isStopped: () => this.#loop.stopped,
      onFailure: (error) => failures.push(error),
      onDelivered: (reaction, count) => this.#delivered.inc({ reaction }, count),
    });
    this.#logFailure(failures[0]);
    // Items that keep failing are no reason to poll faster.
    return { processed: found - failures.length };
  }

  #logFailure(error: unknown): void {
    const text = error === undefined ? '' : error instanceof Error ? error.message : String(error);
    if (text !== '' && text !== this.#last_failure)
      this.#deps.log.error({ err: error }, 'delivering a fired wait or cancellation failed; retrying');
    this.#last_failure = text;
  }
}
