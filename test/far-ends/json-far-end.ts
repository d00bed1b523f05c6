import type { ServerResponse } from 'node:http';
import { type FarEnd, type Seen, send } from '../../features/support/far-end.ts';

/** What a far end answers: a status, and JSON. */
export interface JsonAnswer {
  status: number;
  json?: unknown;
  headers?: Record<string, string>;
}

/** A request as far ends look at it. */
export interface Asked extends Seen {
  url: URL;
  /** The body as JSON; undefined when it is none. */
  json: unknown;
}

/** A far end that speaks JSON. Each of the next `busy` requests is answered by `whenBusy` instead. */
export abstract class JsonFarEnd {
  readonly end: FarEnd;
  busy = 0;
  /** Breaks the connection after the work is done: the answer is lost. */
  losesAnswers = 0;
  /** So many requests are never answered: whoever asks waits, or is killed. */
  silent = 0;

  constructor(end: FarEnd) {
    this.end = end;
    end.reply = (seen, response) => this.#reply(seen, response);
  }

  abstract answer(asked: Asked): JsonAnswer;
  abstract whenBusy(): JsonAnswer;

  get seen(): readonly Seen[] {
    return this.end.seen;
  }

  #reply(seen: Seen, response: ServerResponse): void {
    if (this.silent > 0) {
      this.silent--;
      return;
    }
    const { status, json, headers } = this.busy > 0 ? this.whenBusy() : this.answer(askedOf(seen));
    if (this.busy > 0) this.busy--;
    if (this.losesAnswers > 0) {
      this.losesAnswers--;
      response.destroy();
      return;
    }
    const body = json === undefined ? undefined : JSON.stringify(json);
    send(response, status, { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers }, body);
  }
}

function askedOf(seen: Seen): Asked {
  const url = new URL(seen.path, 'http://far-end');
  try {
    return { ...seen, url, json: JSON.parse(seen.body) as unknown };
  } catch {
    return { ...seen, url, json: undefined };
  }
}

/** The members of a JSON object; none of anything else. */
export const membersOf = (json: unknown): Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : {};

export const bearerOf = ({ headers }: Seen): string | undefined =>
  /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
