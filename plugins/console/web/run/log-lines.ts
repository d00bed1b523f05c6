import { bytesOf } from '../kit/text.ts';

/** One `log` event of a followed log. */
export interface LogEvent {
  stream: string;
  at: string;
  activity_id: string;
  /** Name of who wrote it; only where several write. */
  activity?: string;
  /** Base64: a chunk may end in the middle of a character. */
  data: string;
}

export interface LogLine {
  /** As it was written, with its escape sequences; without the end of the line. */
  text: string;
  stream: string;
  at: string;
  activity?: string | undefined;
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
  /** Lines that were dropped from the beginning. */
  dropped = 0;

  add({ stream, at, activity_id, activity, data }: LogEvent): void {
    const key = `${activity_id} ${stream}`;
    const writer = this.#writers.get(key) ?? { decoder: new TextDecoder() };
    this.#writers.set(key, writer);
    const parts = writer.decoder.decode(bytesOf(data), { stream: true }).split('\n');
    parts.forEach((part, index) => {
      if (part !== '') this.#append(writer, part, { stream, at, activity });
      // The last part has no end yet.
      if (index === parts.length - 1) return;
      if (writer.open === undefined && part === '') this.lines.push({ text: '', stream, at, activity });
      writer.open = undefined;
    });
    this.#drop();
  }

  clear(): void {
    this.lines.length = 0;
    this.#writers.clear();
    this.dropped = 0;
  }

  #append(writer: Writer, text: string, rest: Omit<LogLine, 'text'>): void {
    const open = writer.open === undefined ? undefined : this.lines[writer.open - this.dropped];
    if (open && open.text.length < MAX_LENGTH) {
      this.lines[writer.open! - this.dropped] = { ...open, text: (open.text + text).slice(0, MAX_LENGTH) };
      return;
    }
    if (open) return;
    writer.open = this.lines.length + this.dropped;
    this.lines.push({ text: text.slice(0, MAX_LENGTH), ...rest });
  }

  #drop(): void {
    // In larger pieces: each one moves all that stay.
    if (this.lines.length <= MAX_LINES * 1.1) return;
    const beyond = this.lines.length - MAX_LINES;
    this.lines.splice(0, beyond);
    this.dropped += beyond;
  }
}
