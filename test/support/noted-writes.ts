import { Duplex } from 'node:stream';

/** A socket that nobody reads, with what each write to it contained. */
export function noteWrites(): { socket: Duplex; writes: string[] } {
  const writes: string[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk.toString());
      done();
    },
  });
  return { socket, writes };
}
