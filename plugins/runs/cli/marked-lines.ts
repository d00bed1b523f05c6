import type { Output } from '../../../cli/contract.ts';

/** Who wrote a chunk, and what its lines begin with: nothing, a time, a name. */
export interface Writer {
  id: string;
  mark: string;
}

/** Prints a log. Where lines begin with marks, each is printed when it is complete. */
export class MarkedLines {
  readonly #output: Output;
  readonly #begun = new Map<string, { stream: string; mark: string; bytes: Buffer }>();

  constructor(output: Output) {
    this.#output = output;
  }

  print(stream: string, { id, mark }: Writer, bytes: Buffer): void {
    if (mark === '') return this.#write(stream, bytes);
    const key = `${id} ${stream}`;
    const begun = this.#begun.get(key);
    const whole = begun ? Buffer.concat([begun.bytes, bytes]) : bytes;
    const end = whole.lastIndexOf(10) + 1;
    // A line has the mark of the chunk in which it began.
    const first = begun?.mark ?? mark;
    if (end < whole.length) this.#begun.set(key, { stream, mark: end > 0 ? mark : first, bytes: whole.subarray(end) });
    else this.#begun.delete(key);
    if (end > 0) this.#write(stream, marked([first, mark], whole.subarray(0, end - 1)));
  }

  /** Lines without an end. */
  end(): void {
    for (const { stream, mark, bytes } of this.#begun.values())
      if (bytes.length > 0) this.#write(stream, marked([mark, mark], bytes));
    this.#begun.clear();
  }

  #write(stream: string, bytes: Buffer): void {
    if (stream === 'stdout' && !this.#output.json) this.#output.write(bytes);
    else this.#output.writeError(bytes);
  }
}

const latin = (text: string): string => Buffer.from(text).toString('latin1');

/** Byte by byte: a log may hold anything. */
const marked = ([first, mark]: readonly [string, string], lines: Buffer): Buffer =>
  Buffer.from(
    `${lines
      .toString('latin1')
      .split('\n')
      .map((line, n) => `${latin(n === 0 ? first : mark)}${line}`)
      .join('\n')}\n`,
    'latin1',
  );
