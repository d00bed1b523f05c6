import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Connection, type ConnectionServices } from './connection.ts';
import { MemoryBudget } from './memory-budget.ts';

/** How many verbs of one script may run at once; further connections are closed. */
const MAX_CONNECTIONS = 4096;

export interface SocketServer {
  /** Tells every waiting caller that no reply will come. */
  cancelCalls(): void;
  /** Closes all connections and removes the socket. */
  close(): Promise<void>;
}

/**
 * The agent socket of a pass, which may exist before its pass does: callers that connect before it is served are
 * disconnected.
 */
export class PassSocket {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #accept = (socket: Socket): void => void socket.destroy();
  #closed: Promise<void> | undefined;
  /** Errors that occurred before there was a log to write them to. */
  #early_errors: Error[] = [];
  #reportError = (error: Error): void => void this.#early_errors.push(error);

  private constructor() {
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Listens at `path` with mode 0600. Rejects when the socket cannot be created. */
  static async open(path: string): Promise<PassSocket> {
    const socket = new PassSocket();
    await listen(socket.#server, path);
    socket.#server.on('error', (error) => socket.#reportError(error));
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      await socket.close();
      throw error;
    }
    return socket;
  }

  serve(service: ConnectionServices): SocketServer {
    const shared = { leases: { clock: service.clock, paused: 0 }, room: new MemoryBudget() };
    this.#reportError = (error) => service.log.error({ error: error.message }, 'the agent socket of a pass failed');
    for (const error of this.#early_errors.splice(0)) this.#reportError(error);
    this.#accept = (socket) => {
      const connection = new Connection(socket, service, shared);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    };
    return {
      cancelCalls: () => {
        for (const connection of this.#connections) connection.cancelCalls();
      },
      close: () => this.close(),
    };
  }

  /** Closes all connections and removes the socket. Safe to call twice. */
  close(): Promise<void> {
    this.#closed ??= new Promise<void>((closed) => {
      this.#server.close(() => closed());
      for (const connection of this.#connections) connection.close();
    });
    return this.#closed;
  }
}

/** Serves the agent socket of one pass at `path`. Rejects when the socket cannot be created. */
export const openSocketServer = async (path: string, service: ConnectionServices): Promise<SocketServer> =>
  (await PassSocket.open(path)).serve(service);

function listen(server: Server, path: string): Promise<void> {
  return new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen({ path, backlog: 511 }, () => {
      server.off('error', failed);
      listening();
    });
  });
}
