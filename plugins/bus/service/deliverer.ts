import type { Cancel, Clock, Log, Metrics } from '../../../kernel/contracts/index.ts';
import type { Wakeups } from '../../runs/contract.ts';
import type { FiredBell } from './bell.ts';
import { deliverAll, type DeliveryParts } from './delivery.ts';

const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
const FAILED_MAX_MS = 5000;
/** What is heard from other servers is theirs first: a moment later only what they left is found. */
const OTHERS_MS = 50;

export interface DelivererParts extends DeliveryParts {
  bell: FiredBell;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

/** Other servers are told that something was fired. */
export const FIRED_TOPIC = 'bus.fired';

/**
 * Carries out what events decided: ends the waits that they fired and cancels the runs. Every server does it, woken at
 * once where the event was recorded and polling elsewhere, so that a server that dies in between loses nothing; each
 * wait and cancel has one outcome whoever comes first. What fails is passed over and tried again later.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #delivered: ReturnType<Metrics['counter']>;
  #stopped = false;
  /** Something was fired since the last pass began. */
  #rung = false;
  /** Ends the present pause; a no-op between pauses. */
  #wake: (after_ms: number) => void = () => {};
  #poll_ms = POLL_MIN_MS;
  #failed_ms = 0;
  #failure = '';

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.#delivered = parts.metrics.counter('svc_bus_delivered_total', 'Waits ended and runs cancelled by events.', [
      'reaction',
    ]);
  }

  /** Works until the returned function is called; that resolves when the last pass is over. */
  start(): () => Promise<void> {
    const offs = [
      this.#parts.bell.onRing(() => {
        this.#rung = true;
        this.#wake(0);
      }),
      this.#parts.wakeups.onTopic(FIRED_TOPIC, () => this.#wake(OTHERS_MS)),
    ];
    const running = this.#run();
    return async () => {
      this.#stopped = true;
      for (const off of offs) off();
      this.#wake(0);
      await running;
    };
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#pass();
      if (!this.#stopped && !(this.#rung && this.#failed_ms === 0)) await this.#pause();
    }
  }

  async #pass(): Promise<void> {
    const backwards = !this.#rung;
    this.#rung = false;
    const failures: unknown[] = [];
    const found = await deliverAll(this.#parts, {
      backwards,
      stopped: () => this.#stopped,
      failed: (error) => failures.push(error),
      delivered: (reaction, count) => this.#delivered.inc({ reaction }, count),
    }).catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
    if (failures.length > 0) this.#failing(failures[0]);
    else this.#recovered();
    this.#poll_ms = found > 0 ? POLL_MIN_MS : Math.min(this.#poll_ms * 1.5, POLL_MAX_MS);
  }

  /** Until the next poll, or until something is fired here. */
  async #pause(): Promise<void> {
    const { clock } = this.#parts;
    let resume: () => void = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const due = clock.monotonic() + (this.#failed_ms > 0 ? this.#failed_ms : this.#poll_ms);
    let cancel: Cancel = clock.after(due - clock.monotonic(), resume);
    this.#wake = (after_ms) => {
      if (this.#stopped) return resume();
      if (this.#failed_ms > 0) return;
      const left = Math.max(0, due - clock.monotonic());
      if (after_ms === 0) return resume();
      cancel();
      cancel = clock.after(Math.min(after_ms, left), resume);
    };
    await resumed;
    cancel();
    this.#wake = () => {};
  }

  #failing(error: unknown): void {
    this.#failed_ms = Math.min(Math.max(this.#failed_ms * 2, POLL_MIN_MS), FAILED_MAX_MS);
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#failure) return;
    this.#failure = text;
    this.#parts.log.error({ err: error }, 'what events have fired cannot be carried out; trying again');
  }

  #recovered(): void {
    if (this.#failed_ms === 0) return;
    this.#failed_ms = 0;
    this.#failure = '';
    this.#poll_ms = POLL_MIN_MS;
    this.#parts.log.info({}, 'what events have fired is carried out again');
  }
}
