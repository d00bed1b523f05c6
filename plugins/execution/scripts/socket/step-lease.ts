import type { Cancel, Clock } from '../../../../kernel/contracts/index.ts';
import type { CallReservation, CallPipeline } from '../../replay/contract.ts';

/** How long after a reply its caller may begin steps without waiting for another. */
const LEASE_MS = 10;
/** The number of calls that one reply reports at most. */
const MAX_REPORTED_CALLS = 256;
/** The number of replies that carry no lease after another caller had to wait for one. */
const PAUSED_REPLIES = 64;

/** What a reply says about the steps that its caller may begin without waiting. */
export interface Offer {
  /** The length of the lease in milliseconds, counted from when the caller sent the request. */
  ms: number;
  /** The names and ordinals of steps that this caller has not been told of. */
  steps?: [string, number][];
}

/** State that the callers of a pass share. */
export interface Leases {
  clock: Clock;
  /** The number of replies, from now on, that carry no lease. */
  paused: number;
}

/**
 * A lease under which a caller begins steps without waiting for replies: until it ends, the next positions of the journal
 * belong to this caller.
 *
 * No other call can come between, and no function runs for a position that is not its own, because:
 *
 * 1. A lease is granted only when every record has been read, no call is running and nobody waits. From then on the
 *    journal is reserved for this caller, and the calls of others wait.
 * 2. The caller counts the lease from when it *sent* the request that was answered (from its last line, where a request
 *    has several). The agent counts from when it answers, and grants a span that is longer by the time between. So the
 *    caller's lease never ends after the agent's. Both use the monotonic clock of one machine, and only its rate matters.
 * 3. The caller writes its `begin`, reads its clock *after* that, and runs the function only if the lease has not ended.
 *    So whatever was begun under the lease is in the socket before the lease ends.
 * 4. When others wait, the agent waits for the end of the lease, reads whatever is in the socket (one full turn of the
 *    event loop), serves what was begun, and only then lets the others continue. A `begin` that it finds later was not
 *    begun under the lease; its caller waits for the reply.
 *
 * Nobody has to acknowledge anything. A caller that blocks in a child which calls the agent (`execFileSync('svc', …)`)
 * therefore delays that child by one lease at most, and then gets no leases for a while.
 *
 * The caller derives the key of a step itself, and the key contains the ordinal of its name, so the offers report which
 * steps others have made. A key that does not match its position is rejected (see `Connection`).
 */
export class StepLease {
  readonly #pipeline: CallPipeline | undefined;
  readonly #leases: Leases;
  #reservation: CallReservation | undefined;
  #ends_at = 0;
  /** The number of calls in the journal that the caller knows of. */
  #reported_calls = 0;
  #cancel: Cancel = () => undefined;
  #closed = false;

  constructor(pipeline: CallPipeline | undefined, leases: Leases) {
    this.#pipeline = pipeline;
    this.#leases = leases;
  }

  /** True while a step that the caller has begun may already be running. */
  get is_active(): boolean {
    return this.#reservation !== undefined;
  }

  /** Records that the caller knows of its own step at this position. */
  recordStep(position: number): void {
    if (position === this.#reported_calls) this.#reported_calls += 1;
  }

  /** Records that the caller knows the last `count` steps that the journal has repeated. */
  recordRepeated(count: number): void {
    const next = this.#pipeline?.callCount() ?? 0;
    if (this.#reported_calls === next - count) this.#reported_calls = next;
  }

  /**
   * Returns the offer for a reply to a request whose last line arrived at `received_at`, or undefined when there is
   * nothing to offer.
   */
  offer(received_at: number): Offer | undefined {
    const pipeline = this.#pipeline;
    if (pipeline === undefined) return undefined;
    const steps = this.#unreportedSteps(pipeline);
    const ms = this.#reported_calls < pipeline.callCount() ? 0 : this.#extend(pipeline, received_at);
    if (steps.length > 0) return { ms, steps };
    return ms > 0 ? { ms } : undefined;
  }

  /** Ends the lease when the caller disconnects. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  #unreportedSteps(pipeline: CallPipeline): [string, number][] {
    const calls = pipeline.calls(this.#reported_calls, MAX_REPORTED_CALLS);
    this.#reported_calls += calls.length;
    return calls.flatMap(({ kind, name, ordinal }) => (kind === 'step' ? [[name, ordinal] as [string, number]] : []));
  }

  #extend(pipeline: CallPipeline, received_at: number): number {
    const { clock } = this.#leases;
    if (this.#leases.paused > 0) {
      this.#leases.paused -= 1;
      return 0;
    }
    if (this.#closed) return 0;
    this.#reservation ??= pipeline.reserve(() => this.#expire());
    if (this.#reservation?.isValid !== true) return 0;
    const now = clock.monotonic();
    this.#ends_at = now + LEASE_MS;
    return now - received_at + LEASE_MS;
  }

  /** Lets other callers continue once the lease has ended and everything begun under it has been read. */
  #expire(): void {
    const remaining_ms = this.#ends_at - this.#leases.clock.monotonic();
    if (remaining_ms > 0) {
      this.#leases.paused = PAUSED_REPLIES;
      this.#cancel = this.#leases.clock.after(remaining_ms, () => this.#expire());
      return;
    }
    // The first callback may run before sockets are read again; the second runs after that.
    setImmediate(() => setImmediate(() => this.#release()));
  }

  #release(): void {
    this.#cancel();
    this.#reservation?.release();
    this.#reservation = undefined;
  }
}
