/** Releases the lock to the next in the queue. Safe to call twice. */
export type Release = () => void;

/** Called with the lock when it is granted. */
type Waiter = (release: Release) => void;

/** A mutex that is granted in the order of the requests. */
export class Lock {
  #locked = false;
  readonly #waiters: { waiter: Waiter; group: unknown }[] = [];

  /** True while the lock is held. */
  get locked(): boolean {
    return this.#locked;
  }

  acquire(): Promise<Release> {
    return new Promise((resolve) => this.queue(resolve));
  }

  /** True when the first in the queue belongs to `party`, to which the holder may pass on an open transaction. */
  nextIs(group: unknown): boolean {
    return this.#waiters[0] !== undefined && this.#waiters[0].group === group;
  }

  /** Removes a waiter from the queue. Returns false when the lock was already granted to it. */
  leave(waiter: Waiter): boolean {
    const index = this.#waiters.findIndex((waiting) => waiting.waiter === waiter);
    if (index < 0) return false;
    this.#waiters.splice(index, 1);
    return true;
  }

  /** Like `acquire`, for callers that may leave the queue or that belong to a group. `waiter` is called with the lock. */
  queue(waiter: Waiter, group?: unknown): void {
    if (this.#locked) {
      this.#waiters.push({ waiter, group });
      return;
    }
    this.#locked = true;
    waiter(this.#release());
  }

  #release(): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiters.shift();
      if (next) next.waiter(this.#release());
      else this.#locked = false;
    };
  }
}

interface SharedLock {
  lock: Lock;
  users: number;
}

const files = new Map<string, SharedLock>();

/** Returns the one writer lock that this process has for a file. Every `:memory:` is a separate database. */
export function writerLock(path: string): { lock: Lock; release: () => void } {
  if (path === ':memory:') return { lock: new Lock(), release: () => undefined };
  const shared = files.get(path) ?? { lock: new Lock(), users: 0 };
  files.set(path, shared);
  shared.users++;
  let released_lock = false;
  const release = () => {
    if (released_lock) return;
    released_lock = true;
    if (--shared.users === 0) files.delete(path);
  };
  return { lock: shared.lock, release };
}
