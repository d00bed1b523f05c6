import type { Cancel, Clock } from '../../../kernel/contracts/index.ts';
import type { KeptPlace, PlacesAhead } from '../../replay/contract.ts';

/** How long after an answer its caller may begin steps without another one. */
const LEASE_MS = 10;
/** Calls that one answer tells of. */
const MOST_TOLD = 256;
/** Answers without a lease after one that somebody else had to wait for. */
const PAUSE = 64;

/** What an answer says about the steps that its caller may begin without an answer. */
export interface Offer {
  /** Milliseconds, from when the request was sent that is answered. */
  ms: number;
  /** Names and ordinals of steps that this caller has not heard of. */
  steps?: [string, number][];
}

/** Shared by the callers of a pass. */
export interface Leases {
  clock: Clock;
  /** Answers from now on without a lease. */
  paused: number;
}

/**
 * The lease under which a caller begins steps without an answer: until it ends, the next places of the journal are those
 * of this caller.
 *
 * Why no other call can come between, and no function run for a place that is not its own:
 *
 * 1. A lease is given when every record has been read, no call is under way and nobody waits. From then on the turns are
 *    kept for this caller, and the calls of others wait.
 * 2. The caller counts its time from when it *sent* the request that was answered (its last line, where a request has
 *    several), this agent from when it answers, and tells a span that is longer by what lay in between. So the caller's lease never ends after the agent's. Both use the
 *    monotonic clock of one machine, of which only the pace has to be the same.
 * 3. The caller writes its `begin`, looks at its clock *after* that, and runs the function only when the lease was still
 *    on. So whatever was begun under the lease is in the socket before the lease ends.
 * 4. When others wait, this agent waits for the end of the lease, then reads whatever is in the socket (one whole turn of
 *    the event loop), serves what was begun, and only then lets the others go on. A `begin` that it finds later was not
 *    begun under the lease, and is answered, which its caller waits for.
 *
 * Nobody has to acknowledge anything, so a caller that blocks in a child that calls the agent (`execFileSync('svc', …)`)
 * holds that child up for a lease at most, and after that there are no leases for a while.
 *
 * The caller derives the key of a step itself, which takes the ordinal of its name: the offers tell which steps others
 * have made. A key that is not the one of the place is refused (see `Connection`).
 */
export class Ahead {
  readonly #places: PlacesAhead | undefined;
  readonly #leases: Leases;
  #kept: KeptPlace | undefined;
  #until = 0;
  /** The caller knows of the calls before this one. */
  #told = 0;
  #cancel: Cancel = () => undefined;
  #closed = false;

  constructor(places: PlacesAhead | undefined, leases: Leases) {
    this.#places = places;
    this.#leases = leases;
  }

  /** True while what the caller has begun may already run. */
  get holds(): boolean {
    return this.#kept !== undefined;
  }

  /** The caller knows of its own step at this position. */
  own(position: number): void {
    if (position === this.#told) this.#told += 1;
  }

  /** For the answer to a request whose last line came at `came_at`. Undefined: there is nothing to say. */
  offer(came_at: number): Offer | undefined {
    const places = this.#places;
    if (places === undefined) return undefined;
    const steps = this.#news(places);
    const ms = this.#told < places.made() ? 0 : this.#lease(places, came_at);
    if (steps.length > 0) return { ms, steps };
    return ms > 0 ? { ms } : undefined;
  }

  /** The caller is gone. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  #news(places: PlacesAhead): [string, number][] {
    const calls = places.calls(this.#told, MOST_TOLD);
    this.#told += calls.length;
    return calls.flatMap(({ kind, name, ordinal }) => (kind === 'step' ? [[name, ordinal] as [string, number]] : []));
  }

  #lease(places: PlacesAhead, came_at: number): number {
    const { clock } = this.#leases;
    if (this.#leases.paused > 0) {
      this.#leases.paused -= 1;
      return 0;
    }
    if (this.#closed) return 0;
    this.#kept ??= places.keep(() => this.#end());
    if (this.#kept?.lasts !== true) return 0;
    const now = clock.monotonic();
    this.#until = now + LEASE_MS;
    return now - came_at + LEASE_MS;
  }

  /** Lets the others go on when the lease has ended and everything that was begun under it has been read. */
  #end(): void {
    const left = this.#until - this.#leases.clock.monotonic();
    if (left > 0) {
      this.#leases.paused = PAUSE;
      this.#cancel = this.#leases.clock.after(left, () => this.#end());
      return;
    }
    // The first may run before sockets are read again; the second runs after that.
    setImmediate(() => setImmediate(() => this.#release()));
  }

  #release(): void {
    this.#cancel();
    this.#kept?.release();
    this.#kept = undefined;
  }
}
