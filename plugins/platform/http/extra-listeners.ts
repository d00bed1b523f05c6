import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:http';
import { createServer, type Server as SocketServer } from 'node:net';

/**
 * The number of listeners of one socket. Node accepts one connection of each listener in a turn of its event loop, so with a
 * single listener a burst of clients would wait for as many turns as there are clients.
 */
const LISTENERS = 32;

/**
 * How many connections the system queues while the server is busy, up to its own limit (net.core.somaxconn). Node asks for 511,
 * with which a burst of clients would be disconnected long after each was told that it is connected.
 */
export const BACKLOG = 65_535;

/** A program that sends back the socket that it inherits as often as it is asked to, and exits with its parent. */
const ECHO = `const { _handle: handle } = new (require('node:net').Socket)({ fd: 4, readable: false, writable: false, manualStart: true });
process.on('message', (count) => {
  for (let sent = 0; sent < count; sent += 1) process.send(sent, handle);
}).on('disconnect', () => process.exit());`;

/**
 * More listeners of the socket that a server listens on. Separate sockets would have to share the port (`SO_REUSEPORT`), and
 * then every process of this user, isolated runs among them, could listen on it and receive requests with tokens. Node
 * duplicates descriptors only for other processes, so a short-lived one sends the socket back.
 */
export class MoreListeners {
  /** Resolves when all listeners are open, or to the reason why they are not. */
  readonly opened: Promise<string | undefined>;
  readonly #server: Server;
  readonly #others: SocketServer[] = [];
  readonly #child: ChildProcess | undefined;
  /** Resolves when the process has exited and all that it sent has been read. A socket in transit holds the port too. */
  readonly #exited: Promise<unknown>;
  #closing = false;
  #failure: string | undefined;

  constructor(server: Server) {
    this.#server = server;
    this.#child = this.#start();
    this.#exited = this.#child ? this.#watchChild(this.#child) : Promise.resolve();
    this.opened = this.#exited.then(() =>
      this.#closing || this.#isComplete() ? undefined : (this.#failure ?? 'a process ended too early'),
    );
  }

  #start(): ChildProcess | undefined {
    const { _handle: handle } = this.#server as unknown as { _handle: { fd: number } };
    try {
      return spawn(process.execPath, ['-e', ECHO], {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc', handle.fd],
        env: {},
      });
    } catch (error) {
      this.#failure = (error as Error).message;
      return undefined;
    }
  }

  #watchChild(child: ChildProcess): Promise<unknown> {
    const recordFailure = (error: Error | null) => void (this.#failure ??= error?.message);
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.on('error', (error) => {
        recordFailure(error);
        if (child.pid === undefined) resolve();
      });
    });
    child.on('message', (_nth, handle) => this.#add(child, handle));
    // Without file descriptors there is no channel either.
    if (!child.connected) return ended;
    const disconnected = new Promise((resolve) => child.once('disconnect', resolve));
    child.send(LISTENERS - 1, recordFailure);
    return Promise.all([disconnected, ended]);
  }

  #add(child: ChildProcess, handle: unknown): void {
    if (this.#closing) return (handle as { close(): void }).close();
    // These are the options with which Node creates the server of an HTTP server.
    const options = { allowHalfOpen: true, noDelay: true };
    const other = createServer(options, (socket) => this.#server.emit('connection', socket));
    other.on('error', (error) => this.#server.emit('error', error));
    other.listen(handle, BACKLOG);
    this.#others.push(other);
    if (this.#isComplete()) child.disconnect();
  }

  #isComplete = (): boolean => this.#others.length === LISTENERS - 1;

  /** Stops accepting. Resolves when all connections have ended and nothing holds the port. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#child?.kill('SIGKILL');
    const closed = this.#others.map((other) => new Promise((resolve) => other.close(resolve)));
    await Promise.all([this.#exited, ...closed]);
  }
}
