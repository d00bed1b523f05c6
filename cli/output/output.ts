import Table from 'cli-table3';
import pc from 'picocolors';
import type { CliError } from '../errors.ts';

export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Data on standard output, everything else on standard error; colour only on a terminal. */
export class Output {
  readonly json: boolean;
  readonly live: boolean;
  readonly #streams: Streams;
  readonly #colours: ReturnType<typeof pc.createColors>;
  #status = '';

  constructor(streams: Streams, options: { json: boolean; colour: boolean }) {
    this.#streams = streams;
    this.json = options.json;
    this.live = Boolean(streams.stderr.isTTY) && !options.json;
    this.#colours = pc.createColors(options.colour && Boolean(streams.stdout.isTTY));
  }

  /** The width of the terminal; undefined without a terminal, or when JSON is wanted. */
  get columns(): number | undefined {
    // The usual width, for a terminal that does not report its own.
    return this.json || !this.#streams.stdout.isTTY ? undefined : this.#streams.stdout.columns || 80;
  }

  get colours() {
    return this.#colours;
  }

  /** The command's result: `value` as JSON with --json, otherwise `text`. */
  data(value: unknown, text: () => string): void {
    const shown = this.json ? JSON.stringify(value, null, 2) : text();
    if (shown !== '') this.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  }

  /** Raw bytes for standard output: logs, values. */
  write(bytes: string | Buffer): void {
    this.#clear();
    this.#streams.stdout.write(bytes);
    this.#redraw();
  }

  writeError(bytes: string | Buffer): void {
    this.#clear();
    this.#streams.stderr.write(bytes);
    this.#redraw();
  }

  /** A line for people. */
  note(text: string): void {
    this.writeError(`${text}\n`);
  }

  /** Updates the last line on a terminal; does nothing elsewhere. */
  status(text: string): void {
    if (!this.live) return;
    this.#clear();
    this.#status = text;
    this.#redraw();
  }

  fail(error: CliError): void {
    this.status('');
    if (this.json) {
      const { code, message, next, details } = error;
      this.note(JSON.stringify({ error: { code, message, next, details } }));
      return;
    }
    const red = pc.createColors(Boolean(this.#streams.stderr.isTTY)).red;
    this.note(`${red('svc:')} ${error.message}${error.code === 'usage' ? '' : ` (${error.code})`}`);
    for (const detail of error.details) this.note(`  ${detail}`);
    if (error.next !== '') this.note(`  → ${error.next}`);
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): string {
    const none = {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
    };
    const more = {
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    };
    const table = new Table({
      head: head.map((title) => this.#colours.bold(title)),
      chars: { ...none, ...more },
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(...rows.map((row) => [...row]));
    return table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n');
  }

  #clear(): void {
    if (this.#status !== '') this.#streams.stderr.write('\r\u001b[2K');
  }

  #redraw(): void {
    if (this.#status !== '') this.#streams.stderr.write(this.#status);
  }
}
