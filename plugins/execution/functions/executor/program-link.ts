import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Cancel, Clock, Log } from '../../../../kernel/contracts/index.ts';
import type { CallerStream } from '../../scripts/contract.ts';

const NEWLINE = 10;
const SPACE = 32;
/** Maximum size of a line: that of a line of the agent socket, and the number of its pass. */
const MAX_LINE_BYTES = 16 * 1024 * 1024 + 32;

/** How long a message may wait for another one with which it is written. */
const UNHURRIED_MS = 25;

/** How a line that is about no pass begins. */
const CONTROL_PREFIX = Buffer.from('0 ');

/** One pass on the connection that all passes of a program share. */
class PassStream extends EventEmitter implements CallerStream {
  destroyed = false;
  readonly #link: ProgramLink;
  readonly #number: number;

  constructor(link: ProgramLink, number: number) {
    super();
    this.#link = link;
    this.#number = number;
  }

  get writableLength(): number {
    return this.#link.unsent_bytes;
  }

  write(data: Buffer, sent?: () => void): boolean {
    return this.#link.write(this.#number, data, sent);
  }

  /** One pass cannot hold back the others. A line has a maximum size, and the program sends one request at a time for a pass. */
  pause(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#link.forget(this.#number);
    this.emit('close');
    return this;
  }

  destroySoon(): void {
    this.destroy();
  }
}

/** What a program says about itself and its passes. */
export type ProgramMessage =
  | { register: unknown }
  | { end: number; repeated?: number; output?: string; error?: ProgramError }
  | { log: number; stream: 'stdout' | 'stderr'; text: string }
  | { pong: number };

export interface ProgramError {
  code?: string;
  exit_code?: number;
  final?: boolean;
  text: string;
}

export interface ProgramLinkOptions {
  log: Log;
  clock: Pick<Clock, 'after'>;
  onMessage: (message: ProgramMessage) => void;
  onClose: () => void;
}

/**
 * The agent's end of the connection to a program with workflows. Each line begins with the number of a pass, followed by a
 * line of the agent socket (`scripts/contract/socket.ts`); number 0 is for the two programs themselves.
 */
export class ProgramLink {
  readonly #socket: Duplex;
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #streams = new Map<number, PassStream>();
  readonly #onMessage: (message: ProgramMessage) => void;
  /** Lines that are not written yet, and who wants to know when they are. */
  #unwritten: Buffer[] = [];
  #unwritten_bytes = 0;
  #onWritten: (() => void)[] = [];
  /** A flush at the end of this turn. */
  #is_scheduled = false;
  /** Set while only messages that nobody waits for are unwritten. */
  #cancelFlush: Cancel | undefined;
  #pieces: Buffer[] = [];
  #pending_bytes = 0;
  /** The rest of a line that is too long is not for anybody. */
  #skips_line = false;

  constructor(socket: Duplex, { log, clock, onMessage, onClose }: ProgramLinkOptions) {
    this.#clock = clock;
    this.#socket = socket;
    this.#log = log;
    this.#onMessage = onMessage;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#cancelFlush?.();
      for (const stream of this.#streams.values()) stream.destroy();
      onClose();
    });
  }

  get unsent_bytes(): number {
    return this.#unwritten_bytes + this.#socket.writableLength;
  }

  open(number: number): CallerStream {
    const stream = new PassStream(this, number);
    this.#streams.set(number, stream);
    return stream;
  }

  forget(number: number): void {
    this.#streams.delete(number);
  }

  /** Lines of one turn, such as replies that belong to one commit, are one write: each is a system call and wakes the program. */
  write(number: number, line: Buffer, sent?: () => void): boolean {
    if (!this.#is_scheduled) {
      this.#is_scheduled = true;
      queueMicrotask(() => process.nextTick(() => this.flush()));
    }
    this.#append(number, line);
    if (sent !== undefined) this.#onWritten.push(sent);
    return !this.#socket.writableNeedDrain;
  }

  send(message: object): void {
    this.write(0, Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /** Sends a message that nobody waits for: it is written with the next one, or after a moment. */
  sendLater(message: object): void {
    this.#append(0, Buffer.from(`${JSON.stringify(message)}\n`));
    this.#cancelFlush ??= this.#clock.after(UNHURRIED_MS, () => this.flush(), { unref: true });
  }

  #append(number: number, line: Buffer): void {
    const head = Buffer.from(`${number} `);
    this.#unwritten.push(head, line);
    this.#unwritten_bytes += head.length + line.length;
  }

  /** Writes now what would be written at the end of this turn. */
  flush(): void {
    this.#is_scheduled = false;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#unwritten.length === 0) return;
    const bytes = Buffer.concat(this.#unwritten, this.#unwritten_bytes);
    const written = this.#onWritten;
    this.#unwritten = [];
    this.#unwritten_bytes = 0;
    this.#onWritten = [];
    this.#socket.write(bytes, () => {
      for (const sent of written) sent();
    });
  }

  close(): void {
    this.flush();
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const last = chunk.subarray(from, end + 1);
      const line = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
      this.#pieces = [];
      this.#pending_bytes = 0;
      from = end + 1;
      if (this.#skips_line) this.#skips_line = false;
      else this.#handleLine(line);
    }
    if (from === chunk.length || this.#skips_line) return;
    this.#pieces.push(from === 0 ? chunk : chunk.subarray(from));
    this.#pending_bytes += chunk.length - from;
    if (this.#pending_bytes > MAX_LINE_BYTES) this.#endLongLine();
  }

  /** A pass whose line is too long is answered so by its caller, and ends. The other passes of the program go on. */
  #endLongLine(): void {
    const line = Buffer.concat(this.#pieces);
    if (!line.subarray(0, 2).equals(CONTROL_PREFIX)) {
      this.#pieces = [];
      this.#pending_bytes = 0;
      this.#skips_line = true;
      this.#handleLine(line);
      return;
    }
    this.#log.error({ bytes: this.#pending_bytes }, 'a program with workflows sent a line that does not end');
    this.#socket.destroy();
  }

  #handleLine(line: Buffer): void {
    const space = line.indexOf(SPACE);
    const number = Number(line.subarray(0, space).toString());
    if (number !== 0) return void this.#streams.get(number)?.emit('data', line.subarray(space + 1));
    let message: ProgramMessage;
    try {
      message = JSON.parse(line.subarray(space + 1).toString()) as ProgramMessage;
    } catch {
      this.#log.error({}, 'a program with workflows sent a line that is not JSON');
      this.#socket.destroy();
      return;
    }
    if (typeof message === 'object' && message !== null) this.#onMessage(message);
  }
}
