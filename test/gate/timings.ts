import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Part } from './parts.ts';

/** Seconds of parts, by name. */
type Seconds = Record<string, number>;

/** For a clone in which nothing has run yet. */
const COMMITTED = join(import.meta.dirname, 'timings.json');

/** Of a part that nobody has run yet. */
const UNKNOWN: Record<Part['counts'], number> = { check: 20, tap: 10, cucumber: 300 };

/** How long parts took, from run to run of this clone. */
export class Timings {
  readonly #file: string;
  readonly #seconds: Seconds;
  readonly #measured: Seconds = {};

  private constructor(file: string, seconds: Seconds) {
    this.#file = file;
    this.#seconds = seconds;
  }

  static async open(folder: string): Promise<Timings> {
    const file = join(folder, 'timings.json');
    return new Timings(file, { ...(await read(COMMITTED)), ...(await read(file)) });
  }

  of({ name, counts }: Part): number {
    return this.#seconds[name] ?? UNKNOWN[counts];
  }

  measured({ name }: Part, seconds: number): void {
    this.#measured[name] = Math.round(seconds * 10) / 10;
  }

  /** Keeps what was measured, and what is known of parts that did not run. `SVC_WRITE_TIMINGS=1` makes it the one of new clones. */
  async save(): Promise<void> {
    const known = { ...this.#seconds, ...this.#measured };
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(this.#file, text(known));
    if (process.env.SVC_WRITE_TIMINGS) await writeFile(COMMITTED, text(this.#measured));
  }
}

const text = (seconds: Seconds): string => {
  const sorted = Object.entries(seconds).sort(([, a], [, b]) => b - a);
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
};

/** Nothing where there is no such file, or one that a run left half written: only the order of the next run is the worse. */
async function read(file: string): Promise<Seconds> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Seconds;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
