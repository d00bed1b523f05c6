import { CallerClosed } from '../../replay/contract.ts';
import type { SocketRequest } from '../domain/requests.ts';
import type { Reply } from './replies.ts';

export type BeginRequest = Extract<SocketRequest, { op: 'begin' }>;
export type EndRequest = Extract<SocketRequest, { op: 'end' }>;

/** A request being served, which its reply goes to. */
export interface ServedRequest {
  id: number;
  /** When the last line of the request arrived, in monotonic milliseconds. */
  received_at: number;
}

/** A step whose function an SDK runs, from its `begin` to its `end`. */
export class OpenStep {
  readonly begin: BeginRequest;
  /** The `begin` request, and later the `end` request. */
  readonly served: ServedRequest;
  /** True when the caller may run the step already, so that the reply is sent only on request. */
  readonly is_leased: boolean;
  readonly ended: Promise<EndRequest>;
  readonly #end = Promise.withResolvers<EndRequest>();
  #begin_reply: Reply | undefined;
  #has_replied = false;
  #reply_requested: boolean;

  constructor(begin: BeginRequest, served: ServedRequest, ahead: boolean) {
    this.begin = begin;
    this.served = served;
    this.is_leased = ahead;
    this.#reply_requested = !ahead;
    this.ended = this.#end.promise;
    // The error reaches the callers that wait for the end; this only keeps the rejection from being reported as unhandled.
    this.ended.catch(() => undefined);
  }

  /** True when the caller may end the step. */
  get can_end(): boolean {
    return this.is_leased || this.#begin_reply !== undefined;
  }

  /** Records that the step has its position, and returns the reply to send now, if any. */
  setBeginReply(reply: Reply): Reply | undefined {
    this.#begin_reply = reply;
    return this.#takeReply();
  }

  /** Records that the caller asks for the reply to its `begin`, and returns it if it exists. */
  requestReply(): Reply | undefined {
    this.#reply_requested = true;
    return this.#takeReply();
  }

  end(request: EndRequest): void {
    this.#end.resolve(request);
  }

  /** Rejects the step when the caller disconnects. */
  abandon(): void {
    this.#end.reject(new CallerClosed());
  }

  #takeReply(): Reply | undefined {
    if (!this.#reply_requested || this.#has_replied || this.#begin_reply === undefined) return undefined;
    this.#has_replied = true;
    return this.#begin_reply;
  }
}
