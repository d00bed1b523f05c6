import Table from 'cli-table3';
import type { CliError } from '../errors.ts';
import type { Filter } from './jq.ts';
import { ago, span } from './span.ts';
import { type Colours, LogText, marked, ourColours, shownText, withoutMarks } from './terminal-text.ts';

export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

export interface Options {
  json: boolean;
  colour: boolean;
  /** By default relative on a terminal. */
  time?: 'relative' | 'iso' | undefined;
  /** What JSON is shown through. */
  filter?: Filter | undefined;
}

/**
 * Data on standard output, everything else on standard error. On a terminal with colour, and with control characters
 * shown; elsewhere byte for byte.
 */
export class Output {
  readonly json: boolean;
  readonly live: boolean;
  /** Times as they pass for people, instead of as ISO 8601. */
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

  /** For a command within a command: what it prints goes to standard error. */
  aside(): Output {
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

  /** A time for people: `3m ago` on a terminal, elsewhere as the server wrote it; empty for none. */
  time(iso: string | null | undefined): string {
    return (this.relative && iso ? ago(iso, Date.now()) : undefined) || (iso ?? '');
  }

  /** The end of something that has a limit: `3m 20s left`, or `until` and the time. */
  until(iso: string): string {
    const left = Date.parse(iso) - Date.now();
    if (!this.relative || Number.isNaN(left)) return `until ${iso}`;
    return left > 0 ? `${span(left)} left` : 'its time is over';
  }

  /** The command's result: `value` as JSON with --json, through jq with --jq, otherwise `text`. */
  data(value: unknown, text: () => string): void {
    if (this.#filter) return this.values(JSON.stringify(value));
    const shown = this.json ? JSON.stringify(value, null, 2) : text();
    if (shown !== '') this.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  }

  /** Whole JSON values as a text, of results that are written as they come. */
  values(json: string): void {
    if (!this.#filter) return this.write(json);
    const { stdout, said, fault } = this.#filter(json);
    if (stdout !== '') this.write(stdout);
    if (said !== '') this.note(said);
    if (fault) throw fault;
  }

  /** For standard output: text, or the bytes of a log or a file. */
  write(bytes: string | Buffer): void {
    this.#write('stdout', bytes);
  }

  writeError(bytes: string | Buffer): void {
    this.#write('stderr', bytes);
  }

  /** Writes what was held back of logs; the last call. */
  end(): void {
    for (const name of ['stdout', 'stderr'] as const) {
      const rest = this.#logs[name].end();
      if (rest !== '') this.#streams[name].write(rest);
    }
  }

  /** A line for people. */
  note(text: string): void {
    this.writeError(`${text}\n`);
  }

  /** Says that a list is empty; JSON says it itself. */
  none(what: string): void {
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
      head: head.map((title) => this.#shown(this.#colours.bold(title))),
      chars: { ...none, ...more },
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(...rows.map((row) => row.map((cell) => this.#shown(cell))));
    // The library closes the colours that it knows; those of the cells are ours by now.
    return marked(table.toString())
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n');
  }

  #shown(text: string): string {
    return this.#streams.stdout.isTTY ? shownText(text) : withoutMarks(text);
  }

  #write(name: 'stdout' | 'stderr', bytes: string | Buffer): void {
    this.#clear();
    this.#streams[name].write(this.#streams[name].isTTY ? this.#forTerminal(name, bytes) : plain(bytes));
    this.#redraw();
  }

  #forTerminal(name: 'stdout' | 'stderr', bytes: string | Buffer): string {
    const log = this.#logs[name];
    return typeof bytes === 'string' ? log.end() + shownText(bytes) : log.shown(bytes);
  }

  #clear(): void {
    if (this.#status !== '') this.#streams.stderr.write('\r\u001b[2K');
  }

  #redraw(): void {
    if (this.#status !== '') this.#streams.stderr.write(shownText(this.#status));
  }
}

const plain = (bytes: string | Buffer): string | Buffer => (typeof bytes === 'string' ? withoutMarks(bytes) : bytes);
