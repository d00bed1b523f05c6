import { chmodSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Settings } from '../contracts/index.ts';
import { HttpErrors } from './errors.ts';

type Place = Pick<Settings, 'host' | 'port' | 'socket_path'>;

/** Throws `address_in_use` or `address_unusable`, naming the address. */
export async function listen(server: Server, place: Place): Promise<void> {
  const { host, port, socket_path } = place;
  const name = socket_path ?? `${host}:${port}`;
  await new Promise<void>((resolve, reject) => {
    const onError = ({ code }: NodeJS.ErrnoException) => {
      const refuse = code === 'EADDRINUSE' ? HttpErrors.addressInUse : HttpErrors.addressUnusable;
      reject(refuse(`cannot listen on ${name}: ${code === 'EADDRINUSE' ? 'it is in use' : code}`));
    };
    server.once('error', onError);
    server.listen(socket_path === undefined ? { host, port } : { path: socket_path }, () => {
      server.off('error', onError);
      resolve();
    });
  });
  if (socket_path !== undefined) chmodSync(socket_path, 0o600);
}

/** `http://127.0.0.1:8787`, or `unix:<path>`; an address for all interfaces is named by its loopback. */
export function baseUrl(server: Server, { host, socket_path }: Place): string {
  if (socket_path !== undefined) return `unix:${socket_path}`;
  const found = server.address() as AddressInfo | null;
  if (!found) throw new Error('the server does not listen');
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[found.address] ?? found.address;
  const name = host === 'localhost' ? host : address.includes(':') ? `[${address}]` : address;
  return `http://${name}:${found.port}`;
}
