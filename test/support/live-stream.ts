import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { until } from '../kit/index.ts';

export interface Received {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages member by member
  data: any;
  at: number;
}

export interface StreamOptions {
  token?: string;
  last_id?: string | undefined;
  /** Does not read. */
  deaf?: boolean;
}

/** One stream, read with plain node:http, so that it can be cut and left unread. */
export class LiveStream {
  readonly messages: Received[] = [];
  status = 0;
  body = '';
  ended = false;
  /** It ended as an answer does, and was not cut. */
  complete = false;
  #rest = '';
  #id = '';
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;

  constructor(url: string, { token = 'viewer', last_id, deaf = false }: StreamOptions = {}) {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(last_id === undefined ? {} : { 'last-event-id': last_id }),
    };
    this.#request = get(url, { headers, agent: false }, (response) => {
      this.#response = response;
      this.status = response.statusCode!;
      response.setEncoding('utf8');
      response.on('close', () => {
        this.ended = true;
        this.complete = response.complete;
      });
      if (!deaf) this.listen();
    });
    this.#request.on('error', () => {
      this.ended = true;
    });
  }

  listen(): void {
    this.#response?.on('data', (text: string) => this.#take(text));
  }

  /** Resolves when it is open and the server has begun to read. */
  async ready(): Promise<this> {
    await this.until((messages) => messages.length > 0 || this.ended);
    return this;
  }

  until(found: (messages: readonly Received[]) => unknown, within_ms = 20_000): Promise<unknown> {
    return until(() => Boolean(found(this.messages)), { within_ms, what: `a message among ${this.messages.length}` });
  }

  /** Messages of a type. */
  of(event: string): Received[] {
    return this.messages.filter((message) => message.event === event);
  }

  /** What a browser would send as `Last-Event-ID`. */
  get last_id(): string {
    return this.#id;
  }

  cut(): void {
    this.#request.destroy();
  }

  #take(text: string): void {
    this.body += text;
    const frames = (this.#rest + text).split('\n\n');
    this.#rest = frames.pop()!;
    for (const frame of frames) this.#read(frame);
  }

  /** As the standard has it: an id without data moves the position, and is no message. */
  #read(frame: string): void {
    const fields = new Map(
      frame
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
    );
    this.#id = fields.get('id') ?? this.#id;
    const data = fields.get('data');
    if (data === undefined) return;
    this.messages.push({
      id: this.#id,
      event: fields.get('event') ?? 'message',
      data: JSON.parse(data),
      at: performance.now(),
    });
  }
}
