import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';

/** Connections that are opened at a time: a listener keeps a short list of those that it has not accepted. */
const AT_ONCE = 100;

/** Many requests that wait for their answers, each on a socket of its own. Sockets without a client cost this side little. */
export class HeldCalls {
  readonly #sockets: Socket[] = [];
  readonly #answered = Promise.withResolvers<void>();
  #answers = 0;
  #wanted = 0;

  /** Resolves when all are sent. */
  async open(url: URL, headers: Readonly<Record<string, string>>, count: number): Promise<void> {
    this.#wanted = count;
    const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const call = `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
    for (let from = 0; from < count; from += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, () => this.#call(url, call)));
  }

  async #call(url: URL, call: string): Promise<void> {
    const socket = createConnection({ host: url.hostname, port: Number(url.port) });
    this.#sockets.push(socket);
    await once(socket, 'connect');
    socket.once('data', (data: Buffer) => this.#answer(data.toString('latin1', 0, 12)));
    socket.on('error', (error) => this.#answered.reject(error));
    socket.write(call);
  }

  #answer(head: string): void {
    if (head !== 'HTTP/1.1 200') this.#answered.reject(new Error(`a waiting request was answered with ${head}`));
    this.#answers += 1;
    if (this.#answers === this.#wanted) this.#answered.resolve();
  }

  /** Rejects when one is answered in another way than with 200. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
