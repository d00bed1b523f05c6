import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../contracts/index.ts';
import type { HttpLimits } from './limits.ts';
import type { Problem } from './problem.ts';

/** Answers on a socket that has no response object (bad HTTP, refused upgrades) and closes it. */
export function refuseRaw(
  socket: Duplex,
  { status, headers, body }: Problem,
  { clock, limits }: { clock: Clock; limits: HttpLimits },
): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const lines = Object.entries({
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': String(body.length),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`), body]),
  );
  // What the caller still sends is thrown away, so that it reads the answer before the connection goes.
  socket.resume();
  const cancel = clock.after(limits.linger_ms, () => socket.destroy(), { unref: true });
  socket.once('close', cancel);
}
