import type { Cancel, Clock } from '../../../../kernel/contracts/index.ts';
import type { WakeMessage } from '../../runs/contract.ts';
import { MAX_MESSAGES } from '../domain/messages.ts';

/** Wake-ups within this interval share one message. The first is sent at once. */
const GAP_MS = 3;

/**
 * Collects wake-ups, so that a repeated one is sent once in a few milliseconds. Buffers at most `MAX_MESSAGES`; further
 * ones are dropped and found by polling.
 */
export class Outbox {
  readonly #clock: Clock;
  readonly #send: (messages: readonly WakeMessage[]) => void;
  readonly #waiting = new Map<string, WakeMessage>();
  #sent_at = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, send: (messages: readonly WakeMessage[]) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  add(message: WakeMessage): void {
    const key = messageKey(message);
    const existing = this.#waiting.get(key);
    if (existing === undefined && this.#waiting.size >= MAX_MESSAGES) return;
    // Only the nearest deadline matters, because the receiver handles everything that is due.
    if (existing?.wake === 'run' && existing.over) return;
    if (existing?.wake === 'timer' && message.wake === 'timer' && existing.deadline <= message.deadline) return;
    this.#waiting.set(key, message);
    const gap_ms = this.#sent_at + GAP_MS - this.#clock.monotonic();
    this.#cancel ??= this.#clock.after(Math.max(0, gap_ms), () => this.#flush(), { unref: true });
  }

  /** Drops buffered wake-ups. Nothing is sent afterwards. */
  close(): void {
    this.#cancel?.();
    this.#cancel = () => {};
    this.#waiting.clear();
  }

  #flush(): void {
    this.#cancel = undefined;
    this.#sent_at = this.#clock.monotonic();
    const messages = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#send(messages);
  }
}

function messageKey(message: WakeMessage): string {
  if (message.wake === 'run') return `run ${message.part ?? ''} ${message.run_id}`;
  if (message.wake === 'topic') return `topic ${message.topic}`;
  if (message.wake === 'revoked' || message.wake === 'paused')
    return `${message.wake} ${message.claim.activity_id} ${message.claim.epoch}`;
  return message.wake;
}
