import Table from 'cli-table3';
import type { CliError } from '../errors.ts';
import type { Filter } from './jq.ts';
import { formatAgo, formatSpan } from './span.ts';
import { type Colours, LogText, tagColours, ourColours, escapeText, stripColourIds } from './terminal-text.ts';

export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

export interface Options {
  json: boolean;
  colour: boolean;
  /** Defaults to relative on a terminal. */
  time?: 'relative' | 'iso' | undefined;
  /** The jq filter that JSON is printed through. */
  filter?: Filter | undefined;
}

/**
 * Writes data to standard output and everything else to standard error. On a terminal it uses colours and makes control
 * characters visible; elsewhere it writes the exact bytes.
 */
export class Output {
  readonly json: boolean;
  readonly live: boolean;
  /** Formats times relative to now instead of as ISO 8601. */
  readonly relative: boolean;
  readonly #streams: Streams;
  readonly #filter: Filter | undefined;
  readonly #failsAsJson: boolean;
  readonly #colour: boolean;
  readonly #colours: Colours;
  readonly #logs = { stdout: new LogText(), stderr: new LogText() };
  #status = '';

  constructor(streams: Streams, options: Options) {
    this.#streams = streams;
    this.#filter = options.filter;
    this.#failsAsJson = options.json;
    this.#colour = options.colour;
    this.json = options.json || options.filter !== undefined;
    this.relative = options.time === undefined ? this.columns !== undefined : options.time === 'relative';
    this.live = Boolean(streams.stderr.isTTY) && !this.json;
    this.#colours = ourColours(options.colour && Boolean(streams.stdout.isTTY));
  }

  /** Returns an output for a command within a command, which prints to standard error. */
  redirectToStderr(): Output {
    const { stderr } = this.#streams;
    return new Output({ stdout: stderr, stderr }, { json: false, colour: false });
  }

  /** The width of the terminal; undefined without a terminal, or when JSON is wanted. */
  get columns(): number | undefined {
    // The usual width, for a terminal that does not report its own.
    return this.json || !this.#streams.stdout.isTTY ? undefined : this.#streams.stdout.columns || 80;
  }

  get colours(): Colours {
    return this.#colours;
  }

  /** Formats a time: `3m ago` on a terminal, elsewhere as the server wrote it. Empty when there is none. */
  time(iso: string | null | undefined): string {
    return (this.relative && iso ? formatAgo(iso, Date.now()) : undefined) || (iso ?? '');
  }

  /** Formats a deadline: `3m 20s left` on a terminal, elsewhere `until` and the time. */
  until(iso: string): string {
    const remaining_ms = Date.parse(iso) - Date.now();
    if (!this.relative || Number.isNaN(remaining_ms)) return `until ${iso}`;
    return remaining_ms > 0 ? `${formatSpan(remaining_ms)} left` : 'expired';
  }

  /** Prints the command's result: `value` as JSON with --json, through jq with --jq, otherwise `text`. */
  data(value: unknown, text: () => string): void {
    if (this.#filter) return this.values(JSON.stringify(value));
    const rendered = this.json ? JSON.stringify(value, null, 2) : text();
    if (rendered !== '') this.write(rendered.endsWith('\n') ? rendered : `${rendered}\n`);
  }

  /** Prints complete JSON values of a result that is written as it arrives. */
  values(json: string): void {
    if (!this.#filter) return this.write(json);
    const { stdout, messages, error } = this.#filter(json);
    if (stdout !== '') this.write(stdout);
    if (messages !== '') this.note(messages);
    if (error) throw error;
  }

  /** Writes text, or the bytes of a log or a file, to standard output. */
  write(bytes: string | Buffer): void {
    this.#write('stdout', bytes);
  }

  writeError(bytes: string | Buffer): void {
    this.#write('stderr', bytes);
  }

  /** Writes what is still buffered of logs. This must be the last call. */
  end(): void {
    for (const name of ['stdout', 'stderr'] as const) {
      const rest = this.#logs[name].end();
      if (rest !== '') this.#streams[name].write(rest);
    }
  }

  /** Writes a line for people to standard error. */
  note(text: string): void {
    this.writeError(`${text}\n`);
  }

  /** Says that a list is empty. With JSON, the data itself does. */
  noteEmpty(what: string): void {
    if (!this.json) this.note(`no ${what}`);
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
    if (this.#failsAsJson) {
      const { code, message, next, details } = error;
      this.note(JSON.stringify({ error: { code, message, next, details } }));
      return;
    }
    const { red } = ourColours(this.#colour && Boolean(this.#streams.stderr.isTTY));
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
      head: head.map((title) => this.#forTable(this.#colours.bold(title))),
      chars: { ...none, ...more },
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(...rows.map((row) => row.map((cell) => this.#forTable(cell))));
    // The library closes the colours that it knows. By now, all colours in the table are ours.
    return tagColours(table.toString())
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n');
  }

  #forTable(text: string): string {
    return this.#streams.stdout.isTTY ? escapeText(text) : stripColourIds(text);
  }

  #write(name: 'stdout' | 'stderr', bytes: string | Buffer): void {
    this.#clear();
    this.#streams[name].write(this.#streams[name].isTTY ? this.#forTerminal(name, bytes) : stripMarkers(bytes));
    this.#redraw();
  }

  #forTerminal(name: 'stdout' | 'stderr', bytes: string | Buffer): string {
    const log = this.#logs[name];
    return typeof bytes === 'string' ? log.end() + escapeText(bytes) : log.write(bytes);
  }

  #clear(): void {
    if (this.#status !== '') this.#streams.stderr.write('\r\u001b[2K');
  }

  #redraw(): void {
    if (this.#status !== '') this.#streams.stderr.write(escapeText(this.#status));
  }
}

const stripMarkers = (bytes: string | Buffer): string | Buffer =>
  typeof bytes === 'string' ? stripColourIds(bytes) : bytes;
