import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP connection between agent and server that a test can break or make swallow everything. */
export class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Number of server responses that are lost. */
  swallowAnswers = false;
  #dead = false;

  constructor(target: () => number) {
    this.#server = createServer((agent) => {
      const server = connect(target(), '127.0.0.1');
      agent.on('data', (data) => this.#dead || server.write(data));
      server.on('data', (data) => this.#dead || this.swallowAnswers || agent.write(data));
      for (const [one, other] of [
        [agent, server],
        [server, agent],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => {});
        one.on('close', () => {
          this.#sockets.delete(one);
          if (!this.#dead) other.destroy();
        });
      }
    });
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection; new ones work again. */
  cut(): void {
    this.swallowAnswers = false;
    this.#dead = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /**
   * Makes connections half-open: both ends think they are connected, but nothing passes. Affects new connections too.
   */
  die(): void {
    this.#dead = true;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
