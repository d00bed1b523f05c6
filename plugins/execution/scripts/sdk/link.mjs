import { EventEmitter } from 'node:events';

const NEWLINE = 10;
const SPACE = 32;
/** Taken now, so that no program with timers of its own keeps lines from being written. */
const { queueMicrotask, process } = globalThis;
const nextTick = process.nextTick.bind(process);
/** After everything that this turn and the promises settled in it lead to. */
const atEndOfTurn = (work) => queueMicrotask(() => nextTick(work));

/** One run's part of the connection to the agent. */
class RunStream extends EventEmitter {
  writable = true;
  #link;
  #number;

  constructor(link, number) {
    super();
    this.#link = link;
    this.#number = number;
  }

  get writableLength() {
    return this.#link.unsent;
  }

  write(line) {
    if (this.writable) this.#link.write(this.#number, line);
    return true;
  }

  flush() {
    this.#link.flush();
  }

  /** The connection belongs to the process, not to a run. */
  ref() {}
  unref() {}

  destroy() {
    if (!this.writable) return;
    this.writable = false;
    this.emit('close');
  }
}

/**
 * The connection between a program with workflows and its agent. Each line begins with the number of a pass and has a line
 * of the agent socket after it; number 0 is for the two programs themselves.
 */
export class Link {
  #socket;
  #streams = new Map();
  #unwritten = '';
  #pieces = [];
  #onControl;

  constructor(socket, onControl, onClose) {
    this.#socket = socket;
    this.#onControl = onControl;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', onClose);
  }

  get unsent() {
    return this.#unwritten.length + this.#socket.writableLength;
  }

  open(number) {
    const stream = new RunStream(this, number);
    this.#streams.set(number, stream);
    return stream;
  }

  close(number) {
    const stream = this.#streams.get(number);
    this.#streams.delete(number);
    stream?.destroy();
  }

  /** Lines of one turn, such as those of runs whose answers came together, are one write: each is a system call and wakes the agent. */
  write(number, line) {
    if (this.#unwritten === '') atEndOfTurn(() => this.flush());
    this.#unwritten += `${number} ${line}`;
  }

  send(message) {
    this.write(0, `${JSON.stringify(message)}\n`);
  }

  /** Writes now what would be written at the end of this turn. */
  flush() {
    if (this.#unwritten === '') return;
    const lines = this.#unwritten;
    this.#unwritten = '';
    this.#socket.write(lines);
  }

  end() {
    this.flush();
    this.#socket.end();
  }

  #receive(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const last = chunk.subarray(from, end + 1);
      const line = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
      this.#pieces = [];
      from = end + 1;
      this.#take(line);
    }
    if (from < chunk.length) this.#pieces.push(from === 0 ? chunk : chunk.subarray(from));
  }

  #take(line) {
    const space = line.indexOf(SPACE);
    const number = Number(line.subarray(0, space).toString());
    const rest = line.subarray(space + 1);
    if (number === 0) this.#onControl(JSON.parse(rest.toString()));
    else this.#streams.get(number)?.emit('data', rest);
  }
}
