import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Mutant } from './planted.ts';
import type { Catcher, Verdict } from './trial.ts';

/** A line of the file: what became of a mutant, or whether a test that caught one passes without any. */
type Line = { mutant: string; verdict: Verdict; seconds: number } | { test: string; passes: boolean };

/** What is known of a mutant. */
export interface Known {
  verdict: Verdict;
  seconds: number;
  /** False: what caught it fails without it too, and proves nothing. Undefined: nobody has looked. */
  confirmed?: boolean;
}

/** By what it does, so that one whose text changes is tried again. */
const keyOf = ({ breaks, file, find, replace }: Mutant): string =>
  createHash('sha256')
    .update(JSON.stringify([breaks, file, find, replace]))
    .digest('hex')
    .slice(0, 16);

const testOf = ({ store, test }: Catcher): string => `${store} ${test}`;

/** Keeps a line for each mutant that was tried: a run that is cut off goes on where it was. */
export class Results {
  readonly #file: string;
  readonly #known = new Map<string, { verdict: Verdict; seconds: number }>();
  readonly #passes = new Map<string, boolean>();

  private constructor(file: string) {
    this.#file = file;
  }

  static async open(file: string): Promise<Results> {
    await mkdir(dirname(file), { recursive: true });
    const results = new Results(file);
    for (const line of (await linesOf(file)).filter((one) => one !== '')) results.#take(JSON.parse(line) as Line);
    return results;
  }

  of(mutant: Mutant): Known | undefined {
    const found = this.#known.get(keyOf(mutant));
    if (found === undefined) return undefined;
    const { verdict } = found;
    const confirmed = 'by' in verdict ? this.#passes.get(testOf(verdict.by)) : undefined;
    return { ...found, ...(confirmed === undefined ? {} : { confirmed }) };
  }

  async tried(mutant: Mutant, verdict: Verdict, seconds: number): Promise<void> {
    await this.#add({ mutant: keyOf(mutant), verdict, seconds: Math.round(seconds * 10) / 10 });
  }

  async looked(catcher: Catcher, passes: boolean): Promise<void> {
    await this.#add({ test: testOf(catcher), passes });
  }

  async #add(line: Line): Promise<void> {
    this.#take(line);
    await appendFile(this.#file, `${JSON.stringify(line)}\n`);
  }

  #take(line: Line): void {
    if ('test' in line) {
      this.#passes.set(line.test, line.passes);
      return;
    }
    const { mutant, verdict, seconds } = line;
    this.#known.set(mutant, { verdict, seconds });
    // It has caught one again: whether it passes without is looked at once more.
    if ('by' in verdict && this.#passes.get(testOf(verdict.by)) === false) this.#passes.delete(testOf(verdict.by));
  }
}

async function linesOf(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
