import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type ReadSpan, spansOfJson, spansOfProtobuf } from './read-spans.ts';

interface Waiting {
  met: () => boolean;
  resolve: () => void;
}

const PATIENCE_MS = 30_000;

/** A collector of OpenTelemetry for tests: it takes traces over HTTP, in protocol buffers or JSON. */
export class Collector {
  readonly spans: ReadSpan[] = [];
  readonly requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  /** How it answers; it may also answer never. */
  answer: (response: ServerResponse) => void = (response) => void response.end();
  readonly #server: Server;
  #waiting: Waiting[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const sent = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      collector.requests.push({ path: request.url ?? '', headers: request.headers });
      const json = request.headers['content-type'] === 'application/json';
      collector.spans.push(...(json ? spansOfJson(body) : spansOfProtobuf(body)));
      collector.answer(response);
      collector.#check();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the condition is met; it is looked at after each delivery. */
  until(met: () => boolean, what = 'the spans'): Promise<void> {
    return new Promise((resolve, reject) => {
      const names = () => [...new Set(this.spans.map(({ name }) => name))].join(', ');
      const late = setTimeout(() => reject(new Error(`${what} did not come; there are ${names()}`)), PATIENCE_MS);
      const found = () => {
        clearTimeout(late);
        resolve();
      };
      this.#waiting.push({ met, resolve: found });
      this.#check();
    });
  }

  /** Resolves when there is a span of this name. */
  async span(name: string, fits: (span: ReadSpan) => boolean = () => true): Promise<ReadSpan> {
    const find = () => this.spans.find((span) => span.name === name && fits(span));
    await this.until(() => find() !== undefined, name);
    return find()!;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    this.#server.closeAllConnections();
    await closed;
  }

  #check(): void {
    this.#waiting = this.#waiting.filter(({ met, resolve }) => {
      if (!met()) return true;
      resolve();
      return false;
    });
  }
}
