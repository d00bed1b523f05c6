import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { Connection, type Service } from './connection.ts';

/** Parallel verbs of one script; further ones wait to be accepted. */
const MAX_CONNECTIONS = 4096;

export interface SocketServer {
  /** Tells every waiting caller that no answer will come. */
  gone(): void;
  /** Closes all connections and removes the socket. */
  close(): Promise<void>;
}

/** Serves the agent socket of one pass at `path`, mode 0600. Rejects when the socket cannot be created. */
export async function openSocketServer(path: string, service: Service): Promise<SocketServer> {
  const connections = new Set<Connection>();
  const leases = { clock: service.clock, paused: 0 };
  const server = createServer((socket) => {
    const connection = new Connection(socket, service, leases);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, path);
  server.on('error', (error) => service.log.error({ error: error.message }, 'the agent socket of a pass failed'));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      for (const connection of connections) connection.close();
    });
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    gone: () => {
      for (const connection of connections) connection.gone();
    },
    close,
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen({ path, backlog: 511 }, () => {
      server.off('error', failed);
      listening();
    });
  });
}
