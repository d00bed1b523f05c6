import { chmodSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type ListenOptions, type Server as SocketServer } from 'node:net';
import type { Settings } from '../../../kernel/contracts/index.ts';
import { HttpErrors } from './errors.ts';
import { BACKLOG, MoreListeners } from './extra-listeners.ts';

type ListenAddress = Pick<Settings, 'host' | 'port' | 'socket_path'>;

/** On other systems there is a single listener. */
const CAN_WIDEN = process.platform === 'linux';

export interface Listening {
  /** `http://127.0.0.1:8787` or `unix:<path>`. */
  base_url: string;
  /** Resolves when many connections can be accepted in one turn of the event loop, or to the reason why they cannot. */
  widened: Promise<string | undefined>;
  /** Stops accepting. Resolves when every connection has ended. */
  close(): Promise<void>;
}

/** Listens for connections to `server`. Throws `address_in_use` or `address_unusable`. */
export async function listen(server: Server, address: ListenAddress): Promise<Listening> {
  const { host, port, socket_path } = address;
  try {
    await (socket_path === undefined ? tryListen(server, { host, port }) : listenOnSocket(server, socket_path));
  } catch (error) {
    throw toListenError((error as NodeJS.ErrnoException).code, address);
  }
  if (socket_path !== undefined) chmodSync(socket_path, 0o600);
  const more = CAN_WIDEN && socket_path === undefined ? new MoreListeners(server) : undefined;
  const close = async () => void (await Promise.all([closeServer(server), more?.close()]));
  return { base_url: baseUrl(server, address), widened: more?.opened ?? Promise.resolve(undefined), close };
}

/** Replaces a socket file that remains of a process that was killed. */
async function listenOnSocket(server: Server, path: string): Promise<void> {
  try {
    await tryListen(server, { path });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' || !(await isAbandoned(path))) throw error;
    unlinkSync(path);
    await tryListen(server, { path });
  }
}

function tryListen(server: SocketServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

const closeServer = (server: SocketServer): Promise<void> =>
  new Promise((resolve) => {
    if (server.listening) server.close(() => resolve());
    else resolve();
  });

function toListenError(code: string | undefined, { host, port, socket_path }: ListenAddress) {
  const name = socket_path ?? `${host}:${port}`;
  if (code === 'EADDRINUSE') return HttpErrors.addressInUse(`cannot listen on ${name}: another program is using it`);
  return HttpErrors.addressUnusable(`cannot listen on ${name}: ${code}`);
}

function isAbandoned(socket_path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket_path);
    probe
      .once('connect', () => resolve(false))
      .once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
    probe.once('connect', () => probe.destroy());
  });
}

/** A wildcard address is shown as the loopback address. */
function baseUrl(server: Server, { host, socket_path }: ListenAddress): string {
  if (socket_path !== undefined) return `unix:${socket_path}`;
  const bound = server.address() as AddressInfo;
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bound.address] ?? bound.address;
  const name = host === 'localhost' ? host : address.includes(':') ? `[${address}]` : address;
  return `http://${name}:${bound.port}`;
}
