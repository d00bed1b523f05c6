import type { Output } from '../../../../cli/contract.ts';
import { type Line, LineBuffer } from '../local/line-buffer.ts';

/** One event of a followed log. */
export interface FollowedChunk {
  stream: string;
  at: string;
  activity_id: string;
  /** Its name, where several nodes write. */
  activity?: string;
  pass: number;
  site?: string;
  /** base64 */
  data: string;
}

/** How lines are shown. */
export interface LineFormat {
  timestamps?: boolean;
  /** Only lines that contain this text. */
  grep?: string | undefined;
  /** Objects on standard output. */
  objects?: boolean;
}

/** More than an error quotes of standard error. */
const MAX_BUFFERED_BYTES = 32 * 1024;
const MAX_BUFFERED_ACTIVITIES = 64;

type LineSource = Omit<FollowedChunk, 'data' | 'activity_id'>;

/** Prints a log as it comes: as it is, or line by line where something is said or asked of each. */
export class FollowedLines {
  readonly #output: Output;
  readonly #form: LineFormat;
  readonly #lines = new LineBuffer<LineSource>();
  readonly #passes = new Map<string, number>();
  /** The end of the standard error of each activity, as its program wrote it. */
  readonly #errors = new Map<string, Buffer>();
  #shown_at = '';

  constructor(output: Output, form: LineFormat = {}) {
    this.#output = output;
    this.#form = form;
  }

  /** When the last of what was printed was written; empty before. */
  get shown_at(): string {
    return this.#shown_at;
  }

  print({ activity_id, data, ...mark }: FollowedChunk): void {
    if (mark.at > this.#shown_at) this.#shown_at = mark.at;
    const { timestamps, grep, objects } = this.#form;
    const bytes = Buffer.from(data, 'base64');
    if (mark.stream === 'stderr') this.#keepError(activity_id, bytes);
    if (mark.activity === undefined && !timestamps && grep === undefined && !objects)
      return this.#write(mark.stream, bytes);
    const writer = `${activity_id} ${mark.stream}`;
    if (this.#passes.get(writer) !== mark.pass) this.#show(this.#lines.close(writer));
    this.#passes.set(writer, mark.pass);
    this.#show(this.#lines.push(writer, mark, bytes));
  }

  /** Whether this text was printed lately as standard error. */
  hasShown(text: string): boolean {
    return [...this.#errors.values()].some((bytes) => bytes.toString().includes(text));
  }

  #keepError(activity_id: string, bytes: Buffer): void {
    const all = Buffer.concat([this.#errors.get(activity_id) ?? Buffer.alloc(0), bytes]);
    // At worst, a forgotten line is printed again.
    if (this.#errors.size >= MAX_BUFFERED_ACTIVITIES) this.#errors.clear();
    this.#errors.set(activity_id, Buffer.from(all.subarray(-MAX_BUFFERED_BYTES)));
  }

  /** Lines without an end. */
  end(): void {
    this.#show(this.#lines.end());
  }

  #show(lines: Iterable<Line<LineSource>>): void {
    const { grep, objects } = this.#form;
    for (const { mark, text } of lines) {
      if (grep !== undefined && !text.includes(grep)) continue;
      if (objects) this.#output.values(renderJsonLine(mark, text));
      else this.#write(mark.stream, Buffer.concat([Buffer.from(this.#begin(mark)), text, Buffer.from('\n')]));
    }
  }

  #begin({ at, activity }: LineSource): string {
    return `${this.#form.timestamps ? `${at} ` : ''}${activity === undefined ? '' : `${activity} | `}`;
  }

  #write(stream: string, bytes: Buffer): void {
    if (stream === 'stdout' && !this.#output.json) this.#output.write(bytes);
    else this.#output.writeError(bytes);
  }
}

/** As the server writes the lines of a log that is not followed. */
function renderJsonLine({ at, stream, pass, site, activity }: LineSource, bytes: Buffer): string {
  const said = bytes.toString();
  const shown = Buffer.from(said).equals(bytes) ? { text: said } : { text_base64: bytes.toString('base64') };
  return `${JSON.stringify({ at, stream, pass, site, activity, ...shown })}\n`;
}
