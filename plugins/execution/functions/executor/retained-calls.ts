import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../../../engine/runs/contract.ts';
import type { Assignment } from '../../agents/contract.ts';
import type { RetainSettings } from '../domain/retain-settings.ts';
import type { OpenCall } from './open-call.ts';

interface RetainedCall {
  call: OpenCall;
  cancelTimer: () => void;
}

/** The functions of a worker that have come to a wait and are kept for a moment, the oldest first. They take no slot. */
export class RetainedCalls {
  readonly #settings: RetainSettings;
  readonly #clock: Clock;
  readonly #calls = new Map<string, RetainedCall>();
  #closed = false;

  constructor(settings: RetainSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Whether anything is kept. */
  get isOpen(): boolean {
    return !this.#closed && this.#settings.retain_ms > 0 && this.#settings.most > 0;
  }

  /** Keeps the call until its time has passed, or until too many others are kept. */
  add(call: OpenCall): void {
    const { activity_id } = call.assignment;
    this.drop(activity_id);
    const cancelTimer = this.#clock.after(this.#settings.retain_ms, () => this.drop(activity_id), { unref: true });
    this.#calls.set(activity_id, { call, cancelTimer });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > this.#settings.most) this.drop(oldest!);
  }

  /** Removes the call of the activity, and returns it if it can continue with this assignment. Otherwise it is dropped. */
  claim(assignment: Assignment): OpenCall | undefined {
    const call = this.#remove(assignment.activity_id);
    if (call === undefined || call.fits(assignment)) return call;
    call.drop();
    return undefined;
  }

  /** Drops the call of an activity whose last claim this was. */
  forget({ activity_id, epoch }: ClaimRef): void {
    if (this.#calls.get(activity_id)?.call.assignment.epoch === epoch) this.drop(activity_id);
  }

  drop(activity_id: string): void {
    this.#remove(activity_id)?.drop();
  }

  /** Drops all of them and keeps no others. */
  close(): void {
    this.#closed = true;
    for (const activity_id of [...this.#calls.keys()]) this.drop(activity_id);
  }

  #remove(activity_id: string): OpenCall | undefined {
    const retained = this.#calls.get(activity_id);
    if (retained === undefined) return undefined;
    this.#calls.delete(activity_id);
    retained.cancelTimer();
    return retained.call;
  }
}
