import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:http';
import { createServer, type Server as SocketServer } from 'node:net';

/**
 * Listeners of one socket. Node accepts one connection of each in a turn of its event loop, so with a single one clients that
 * connect at once would wait for as many turns as there are of them.
 */
const LISTENERS = 32;

/**
 * Connections that the system keeps while the server is busy, as many as it lets a socket have (net.core.somaxconn). Node asks
 * for 511: a crowd of clients that comes at once would be cut off, long after each was told that it is connected.
 */
export const BACKLOG = 65_535;

/** Sends a socket that it inherits so many times, reads and accepts nothing, and ends with its parent. */
const ECHO = `const { _handle: handle } = new (require('node:net').Socket)({ fd: 4, readable: false, writable: false, manualStart: true });
process.on('message', (count) => {
  for (let sent = 0; sent < count; sent += 1) process.send(sent, handle);
}).on('disconnect', () => process.exit());`;

/**
 * Further listeners of the socket that a server listens on. Sockets of their own would have to share its port
 * (`SO_REUSEPORT`), and then every process of this user could listen there too, isolated runs among them, and be sent requests
 * with the tokens in them. Node copies descriptors for other processes only, so a short one sends back what it is given.
 */
export class MoreListeners {
  /** Resolves when all are open, or to why they are not. */
  readonly opened: Promise<string | undefined>;
  readonly #server: Server;
  readonly #others: SocketServer[] = [];
  readonly #child: ChildProcess | undefined;
  /** The process has ended, and everything that it sent has been read: what is on its way holds the port too. */
  readonly #gone: Promise<unknown>;
  #closing = false;
  #fault: string | undefined;

  constructor(server: Server) {
    this.#server = server;
    this.#child = this.#start();
    this.#gone = this.#child ? this.#follow(this.#child) : Promise.resolve();
    this.opened = this.#gone.then(() =>
      this.#closing || this.#isWhole() ? undefined : (this.#fault ?? 'a process ended too early'),
    );
  }

  #start(): ChildProcess | undefined {
    const { _handle: own } = this.#server as unknown as { _handle: { fd: number } };
    try {
      return spawn(process.execPath, ['-e', ECHO], {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc', own.fd],
        env: {},
      });
    } catch (error) {
      this.#fault = (error as Error).message;
      return undefined;
    }
  }

  #follow(child: ChildProcess): Promise<unknown> {
    const noted = (error: Error | null) => void (this.#fault ??= error?.message);
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.on('error', (error) => {
        noted(error);
        if (child.pid === undefined) resolve();
      });
    });
    child.on('message', (_nth, handle) => this.#add(child, handle));
    // Without descriptors there is no channel either.
    if (!child.connected) return ended;
    const parted = new Promise((resolve) => child.once('disconnect', resolve));
    child.send(LISTENERS - 1, noted);
    return Promise.all([parted, ended]);
  }

  #add(child: ChildProcess, handle: unknown): void {
    if (this.#closing) return (handle as { close(): void }).close();
    // As Node creates the server of an HTTP server.
    const options = { allowHalfOpen: true, noDelay: true };
    const other = createServer(options, (socket) => this.#server.emit('connection', socket));
    other.on('error', (error) => this.#server.emit('error', error));
    other.listen(handle, BACKLOG);
    this.#others.push(other);
    if (this.#isWhole()) child.disconnect();
  }

  #isWhole = (): boolean => this.#others.length === LISTENERS - 1;

  /** Accepts nothing more. Resolves when their connections have ended, and nothing holds the port. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#child?.kill('SIGKILL');
    const closed = this.#others.map((other) => new Promise((resolve) => other.close(resolve)));
    await Promise.all([this.#gone, ...closed]);
  }
}
