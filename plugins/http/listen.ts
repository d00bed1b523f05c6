import { chmodSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type ListenOptions, type Server as SocketServer } from 'node:net';
import type { Settings } from '../../kernel/contracts/index.ts';
import { HttpErrors } from './errors.ts';
import { BACKLOG, MoreListeners } from './more-listeners.ts';

type Place = Pick<Settings, 'host' | 'port' | 'socket_path'>;

/** Elsewhere it is not tried, and there is one listener. */
const WIDENS = process.platform === 'linux';

export interface Listening {
  /** `http://127.0.0.1:8787` or `unix:<path>`. */
  base_url: string;
  /** Resolves when many connections are accepted in a turn of the event loop: to why they are not, if they are not. */
  widened: Promise<string | undefined>;
  /** Accepts nothing more. Resolves when every connection has ended, too. */
  close(): Promise<void>;
}

/** Listens for connections to `server`. Throws `address_in_use` or `address_unusable`. */
export async function listen(server: Server, place: Place): Promise<Listening> {
  const { host, port, socket_path } = place;
  try {
    await (socket_path === undefined ? attempt(server, { host, port }) : onPath(server, socket_path));
  } catch (error) {
    throw refusal((error as NodeJS.ErrnoException).code, place);
  }
  if (socket_path !== undefined) chmodSync(socket_path, 0o600);
  const more = WIDENS && socket_path === undefined ? new MoreListeners(server) : undefined;
  const close = async () => void (await Promise.all([closed(server), more?.close()]));
  return { base_url: baseUrl(server, place), widened: more?.opened ?? Promise.resolve(undefined), close };
}

/** A socket file may remain after its process was killed; then it is replaced. */
async function onPath(server: Server, path: string): Promise<void> {
  try {
    await attempt(server, { path });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' || !(await isAbandoned(path))) throw error;
    unlinkSync(path);
    await attempt(server, { path });
  }
}

function attempt(server: SocketServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

const closed = (server: SocketServer): Promise<void> =>
  new Promise((resolve) => {
    if (server.listening) server.close(() => resolve());
    else resolve();
  });

function refusal(code: string | undefined, { host, port, socket_path }: Place) {
  const name = socket_path ?? `${host}:${port}`;
  if (code === 'EADDRINUSE') return HttpErrors.addressInUse(`cannot listen on ${name}: another program uses it`);
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
function baseUrl(server: Server, { host, socket_path }: Place): string {
  if (socket_path !== undefined) return `unix:${socket_path}`;
  const found = server.address() as AddressInfo;
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[found.address] ?? found.address;
  const name = host === 'localhost' ? host : address.includes(':') ? `[${address}]` : address;
  return `http://${name}:${found.port}`;
}
