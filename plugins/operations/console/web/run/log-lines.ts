import { bytesOf } from '../kit/text.ts';

/** One `log` event of a followed log. */
export interface LogEvent {
  stream: string;
  at: string;
  activity_id: string;
  /** Name of who wrote it; only where several write. */
  activity?: string;
  /** From 1: a program is started anew for each. */
  pass?: number;
  /** Base64: a chunk may end in the middle of a character. */
  data: string;
}

export interface LogLine {
  /** As it was written, with its escape sequences; without the end of the line. */
  text: string;
  stream: string;
  at: string;
  activity?: string | undefined;
  activity_id: string;
  pass: number;
}

/** Lines kept in the page; `svc logs` has all of them. */
export const MAX_LINES = 1_000_000;
/** A line that never ends is cut here. */
const MAX_LENGTH = 16_384;

interface Writer {
  decoder: TextDecoder;
  /** Number of the line that has no end yet. */
  open?: number | undefined;
}

/** The lines of a log as its chunks come. A writer's unfinished line is there already, and grows. */
export class LogLines {
  readonly lines: LogLine[] = [];
  readonly #writers = new Map<string, Writer>();
  /** The last pass of each program that was started more than once. */
  readonly #last = new Map<string, number>();
  readonly #first = new Map<string, number>();
  /** Lines that were dropped from the beginning. */
  dropped = 0;

  /** True for a line of a pass before the last one of its program. */
  isEarlier({ activity_id, pass }: LogLine): boolean {
    return pass < (this.#last.get(activity_id) ?? 0);
  }

  /** True when there may be such lines. */
  get hasEarlier(): boolean {
    return this.#last.size > 0;
  }

  add({ stream, at, activity_id, activity, pass = 1, data }: LogEvent): void {
    this.#notePass(activity_id, pass);
    const of = { stream, at, activity, activity_id, pass };
    const key = `${activity_id} ${stream}`;
    const writer = this.#writers.get(key) ?? { decoder: new TextDecoder() };
    this.#writers.set(key, writer);
    const parts = writer.decoder.decode(bytesOf(data), { stream: true }).split('\n');
    parts.forEach((part, index) => {
      if (part !== '') this.#append(writer, part, of);
      // The last part has no end yet.
      if (index === parts.length - 1) return;
      if (writer.open === undefined && part === '')
        this.lines.push({ text: '', stream, at, activity, activity_id, pass });
      writer.open = undefined;
    });
    this.#drop();
  }

  clear(): void {
    this.lines.length = 0;
    this.#writers.clear();
    this.#first.clear();
    this.#last.clear();
    this.dropped = 0;
  }

  #notePass(activity_id: string, pass: number): void {
    const first = this.#first.get(activity_id);
    if (first === undefined) this.#first.set(activity_id, pass);
    else if (pass > (this.#last.get(activity_id) ?? first)) this.#last.set(activity_id, pass);
  }

  #append(writer: Writer, text: string, rest: Omit<LogLine, 'text'>): void {
    const open = writer.open === undefined ? undefined : this.lines[writer.open - this.dropped];
    if (open && open.text.length < MAX_LENGTH) {
      this.lines[writer.open! - this.dropped] = { ...open, text: (open.text + text).slice(0, MAX_LENGTH) };
      return;
    }
    if (open) return;
    writer.open = this.lines.length + this.dropped;
    // Member by member: a million lines are made like this, and a spread takes several times as long.
    const { stream, at, activity, activity_id, pass } = rest;
    this.lines.push({ text: text.slice(0, MAX_LENGTH), stream, at, activity, activity_id, pass });
  }

  #drop(): void {
    // In larger pieces: each one moves all that stay.
    if (this.lines.length <= MAX_LINES * 1.1) return;
    const beyond = this.lines.length - MAX_LINES;
    this.lines.splice(0, beyond);
    this.dropped += beyond;
  }
}
