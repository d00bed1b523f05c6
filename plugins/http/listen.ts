import { chmodSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Settings } from '../../kernel/contracts/index.ts';
import { HttpErrors } from './errors.ts';

type Place = Pick<Settings, 'host' | 'port' | 'socket_path'>;

/** Answers the address: `http://127.0.0.1:8787` or `unix:<path>`. Throws `address_in_use` or `address_unusable`. */
export async function listen(server: Server, place: Place): Promise<string> {
  try {
    await attempt(server, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' || !(await isAbandoned(place.socket_path))) throw refusal(code, place);
    unlinkSync(place.socket_path!);
    await attempt(server, place).catch(({ code }: NodeJS.ErrnoException) => Promise.reject(refusal(code, place)));
  }
  if (place.socket_path !== undefined) chmodSync(place.socket_path, 0o600);
  return baseUrl(server, place);
}

function attempt(server: Server, { host, port, socket_path }: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket_path === undefined ? { host, port } : { path: socket_path }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function refusal(code: string | undefined, { host, port, socket_path }: Place) {
  const name = socket_path ?? `${host}:${port}`;
  if (code === 'EADDRINUSE') return HttpErrors.addressInUse(`cannot listen on ${name}: another program uses it`);
  return HttpErrors.addressUnusable(`cannot listen on ${name}: ${code}`);
}

/** A socket file may remain after its process was killed; then nobody answers on it. */
function isAbandoned(socket_path: string | undefined): Promise<boolean> {
  if (socket_path === undefined) return Promise.resolve(false);
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
