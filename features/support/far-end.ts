import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reach } from './reach.ts';

/** One request as the far end saw it. */
export interface Seen {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** When it had come whole: milliseconds of this process's monotonic clock. */
  at_ms: number;
}

export type Reply = (seen: Seen, response: ServerResponse, nth: number) => void;

/** Answers at once. (Restify makes `writeHead` answer nothing, in every server of the process.) */
export function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | string[]> = {},
  body?: string | Buffer,
): void {
  response.writeHead(status, headers);
  response.end(body);
}

/** A server that keeps what it is asked, and answers what the test says. */
export class FarEnd {
  readonly seen: Seen[] = [];
  reply: Reply = (_seen, response) => response.end();
  readonly #server = createServer((request, response) => this.#take(request, response));

  static async open(reply?: Reply): Promise<FarEnd> {
    const end = new FarEnd();
    if (reply) end.reply = reply;
    await new Promise<void>((resolve) => end.#server.listen(0, reach().listens, resolve));
    return end;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/'): string {
    return `http://${reach().host}:${this.port}${path}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const seen = { method, path, headers, body: Buffer.concat(chunks).toString(), at_ms: performance.now() };
      this.seen.push(seen);
      this.reply(seen, response, this.seen.length);
    });
  }
}
