import { CallerGone } from '../../replay/contract.ts';
import type { SocketRequest } from '../domain/requests.ts';
import type { Reply } from './replies.ts';

export type Begin = Extract<SocketRequest, { op: 'begin' }>;
export type End = Extract<SocketRequest, { op: 'end' }>;

/** A request that is being served: whom its answer goes to. */
export interface Served {
  id: number;
  /** Monotonic milliseconds: when the last line came that it answers. */
  came_at: number;
}

/** A step whose function an SDK runs: from its `begin` to its `end`. */
export class OpenStep {
  readonly begin: Begin;
  /** Its `begin`, and then its `end`. */
  readonly served: Served;
  /** The caller may run it already: the answer is given only when asked for. */
  readonly ahead: boolean;
  readonly ended: Promise<End>;
  readonly #end = Promise.withResolvers<End>();
  #begun: Reply | undefined;
  #answered = false;
  #asked: boolean;

  constructor(begin: Begin, served: Served, ahead: boolean) {
    this.begin = begin;
    this.served = served;
    this.ahead = ahead;
    this.#asked = !ahead;
    this.ended = this.#end.promise;
    // Whoever waits for the end has the error.
    this.ended.catch(() => undefined);
  }

  /** True when the caller may end it. */
  get begun(): boolean {
    return this.ahead || this.#begun !== undefined;
  }

  /** It has its place. Answers what the caller is to be told now. */
  placed(reply: Reply): Reply | undefined {
    this.#begun = reply;
    return this.#answer();
  }

  /** The caller asks for the answer to its `begin`. */
  ask(): Reply | undefined {
    this.#asked = true;
    return this.#answer();
  }

  end(request: End): void {
    this.#end.resolve(request);
  }

  /** The caller is gone. */
  abandon(): void {
    this.#end.reject(new CallerGone());
  }

  #answer(): Reply | undefined {
    if (!this.#asked || this.#answered || this.#begun === undefined) return undefined;
    this.#answered = true;
    return this.#begun;
  }
}
