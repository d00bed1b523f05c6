import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Connection, type Service } from './connection.ts';
import { LineRoom } from './line-room.ts';

/** Parallel verbs of one script; further ones are turned away. */
const MAX_CONNECTIONS = 4096;

export interface SocketServer {
  /** Tells every waiting caller that no answer will come. */
  gone(): void;
  /** Closes all connections and removes the socket. */
  close(): Promise<void>;
}

/** The agent socket of a pass that may be still to come: whoever calls before it is served is turned away. */
export class PassSocket {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #accept = (socket: Socket): void => void socket.destroy();
  #closed: Promise<void> | undefined;
  /** What failed while nobody was there to be told. */
  #faults: Error[] = [];
  #blame = (error: Error): void => void this.#faults.push(error);

  private constructor() {
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Listens at `path`, mode 0600. Rejects when the socket cannot be created. */
  static async open(path: string): Promise<PassSocket> {
    const socket = new PassSocket();
    await listen(socket.#server, path);
    socket.#server.on('error', (error) => socket.#blame(error));
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      await socket.close();
      throw error;
    }
    return socket;
  }

  serve(service: Service): SocketServer {
    const shared = { leases: { clock: service.clock, paused: 0 }, room: new LineRoom() };
    this.#blame = (error) => service.log.error({ error: error.message }, 'the agent socket of a pass failed');
    for (const fault of this.#faults.splice(0)) this.#blame(fault);
    this.#accept = (socket) => {
      const connection = new Connection(socket, service, shared);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    };
    return {
      gone: () => {
        for (const connection of this.#connections) connection.gone();
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
export const openSocketServer = async (path: string, service: Service): Promise<SocketServer> =>
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
