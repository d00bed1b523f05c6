/** Frames of the spawner, described in frames.h. */
export const FRAME_VERSION = 4;
export const Request = { spawn: 1, kill: 2, pause: 3, resume: 4, sync: 5, prepare: 6, give: 7 } as const;
export const Report = { hello: 1, started: 2, output: 3, exit: 4, failed: 5, synced: 6, said: 7, lost: 8 } as const;
/** The stage at which a start failed. */
export const Stage = { prepare: 1, directory: 2, program: 3 } as const;

const HEAD = 9;
/** The spawner rejects longer frames. */
export const FRAME_LIMIT = 64 * 1024 * 1024;

export interface Frame {
  type: number;
  process: number;
  payload: Buffer;
}

export function frame(type: number, process: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32LE(HEAD - 4 + payload.length, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32LE(process, 5);
  return Buffer.concat([head, payload]);
}

/** A user of the machine, by number. */
export interface UserIds {
  uid: number;
  gid: number;
}

const SPAWNER_USER: UserIds = { uid: 0xffff_ffff, gid: 0xffff_ffff };

interface StartOptions {
  cwd: string;
  argv: readonly string[];
  env: Record<string, string>;
  user?: UserIds | undefined;
}

export function spawnPayload({ cwd, argv, env, user = SPAWNER_USER }: StartOptions): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const head = Buffer.allocUnsafe(16);
  head.writeUInt32LE(argv.length, 0);
  head.writeUInt32LE(variables.length, 4);
  head.writeUInt32LE(user.uid, 8);
  head.writeUInt32LE(user.gid, 12);
  return Buffer.concat([head, Buffer.from(`${[cwd, ...argv, ...variables].join('\0')}\0`)]);
}

export function signalPayload(signal: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeInt32LE(signal, 0);
  return payload;
}

/** Splits a byte stream into frames. */
export function frameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let remaining: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let bytes = remaining.length ? Buffer.concat([remaining, chunk]) : chunk;
    while (bytes.length >= HEAD) {
      const end = bytes.readUInt32LE(0) + 4;
      if (bytes.length < end) break;
      onFrame({ type: bytes.readUInt8(4), process: bytes.readUInt32LE(5), payload: bytes.subarray(HEAD, end) });
      bytes = bytes.subarray(end);
    }
    remaining = bytes;
  };
}
