/** Releases the lock to the next in the queue. Safe to call twice. */
export type Release = () => void;

/** Called with the lock when it is granted. */
type Place = (release: Release) => void;

/** A lock that is granted in order of request. */
export class Lock {
  #held = false;
  readonly #line: { place: Place; party: unknown }[] = [];

  /** True while somebody holds it. */
  get held(): boolean {
    return this.#held;
  }

  acquire(): Promise<Release> {
    return new Promise((resolve) => this.queue(resolve));
  }

  /** True when the first in the queue belongs to `party`: the holder may leave it what it has begun. */
  nextIs(party: unknown): boolean {
    return this.#line[0] !== undefined && this.#line[0].party === party;
  }

  /** Leaves the queue; false when the lock was already granted. */
  leave(place: Place): boolean {
    const index = this.#line.findIndex((waiting) => waiting.place === place);
    if (index < 0) return false;
    this.#line.splice(index, 1);
    return true;
  }

  /** Like `acquire`, for callers that may leave the queue or belong to a party: `place` is called with the lock. */
  queue(place: Place, party?: unknown): void {
    if (this.#held) {
      this.#line.push({ place, party });
      return;
    }
    this.#held = true;
    place(this.#release());
  }

  #release(): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#line.shift();
      if (next) next.place(this.#release());
      else this.#held = false;
    };
  }
}

interface Shared {
  lock: Lock;
  users: number;
}

const files = new Map<string, Shared>();

/** The one writer lock of a file in this process, whoever opened it. Every `:memory:` is a separate database. */
export function writerLock(path: string): { lock: Lock; forget: () => void } {
  if (path === ':memory:') return { lock: new Lock(), forget: () => undefined };
  const shared = files.get(path) ?? { lock: new Lock(), users: 0 };
  files.set(path, shared);
  shared.users++;
  let forgotten = false;
  const forget = () => {
    if (forgotten) return;
    forgotten = true;
    if (--shared.users === 0) files.delete(path);
  };
  return { lock: shared.lock, forget };
}
