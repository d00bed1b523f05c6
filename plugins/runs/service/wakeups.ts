import type { Log } from '../../../kernel/contracts/index.ts';
import type { ClaimRef, Wakeups } from '../contract.ts';

type Revoked = ClaimRef & { agent_id: string; reason: string };
type Listener<A extends unknown[]> = (...args: A) => void;

/** Listeners of one kind. One that throws is logged and takes no other down. */
class Channel<A extends unknown[]> {
  readonly #listeners = new Set<{ listen: Listener<A> }>();
  readonly #blame: (error: unknown) => void;

  constructor(blame: (error: unknown) => void) {
    this.#blame = blame;
  }

  get empty(): boolean {
    return this.#listeners.size === 0;
  }

  /** The same function may listen twice; each returned function removes its own place only. */
  on(listen: Listener<A>): () => void {
    const place = { listen };
    this.#listeners.add(place);
    return () => {
      this.#listeners.delete(place);
    };
  }

  emit(...args: A): void {
    const listeners = [...this.#listeners];
    for (const { listen } of listeners) {
      try {
        listen(...args);
      } catch (error) {
        this.#blame(error);
      }
    }
  }
}

/**
 * Wake-ups inside this process: hints that make things fast and never make them right, for another server's
 * changes are only found by polling. A run that nobody listens to takes no memory.
 */
export function createWakeups(log: Log): Wakeups {
  const blame = (error: unknown) => log.error({ err: error }, 'a wake-up listener failed');
  const work = new Channel<[]>(blame);
  const timer = new Channel<[deadline: number]>(blame);
  const revoked = new Channel<[claim: Revoked]>(blame);
  const runs = new Map<string, Channel<[]>>();

  const onRun = (run_id: string, listen: () => void) => {
    const channel = runs.get(run_id) ?? new Channel<[]>(blame);
    runs.set(run_id, channel);
    const off = channel.on(listen);
    return () => {
      off();
      if (channel.empty && runs.get(run_id) === channel) runs.delete(run_id);
    };
  };

  return {
    work: () => work.emit(),
    timer: (deadline) => timer.emit(deadline),
    run: (run_id) => runs.get(run_id)?.emit(),
    revoked: (claim) => revoked.emit(claim),
    onWork: (listen) => work.on(listen),
    onTimer: (listen) => timer.on(listen),
    onRun,
    onRevoked: (listen) => revoked.on(listen),
  };
}
