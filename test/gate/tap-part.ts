import { Parser } from 'tap-parser';
import type { Counted } from './count.ts';
import { type Lack, lackOf } from './left-out.ts';

/** Begins the name of the test that stands at the end of a file, where several share a process. */
export const END_OF = 'the end of ';
/** Tests of the files may have names that begin alike. */
const END = new RegExp(`^${END_OF}(\\S+\\.test\\.ts)$`);

export interface FileCount extends Counted {
  file: string;
}

/** Counts the top-level tests of a program's output, of each of its files: every one is one subtest or assert. */
export class TapCount {
  readonly #parser = new Parser();
  readonly #files: FileCount[] = [];
  #passed = 0;
  #failed = 0;
  readonly #told: (file: FileCount) => void;
  readonly #leftOut: Lack[] = [];

  /** `told` hears of each file as soon as it has ended, where several share a process. */
  constructor(told: (file: FileCount) => void = () => undefined) {
    this.#told = told;
    this.#parser.on('assert', ({ ok, name, skip, todo }) => {
      const [, ended] = END.exec(name) ?? [];
      if (ended !== undefined && ok) this.#end(ended);
      else if (skip && lackOf(String(skip)))
        return; // It did not run.
      else if (ok || skip || todo) this.#passed += 1;
      else this.#failed += 1;
    });
    this.#hear(this.#parser);
    this.#parser.on('complete', ({ plan }) => this.#note(plan.skipReason));
  }

  write(chunk: Buffer): void {
    this.#parser.write(chunk);
  }

  /** Tests within tests too. */
  #hear(parser: Parser): void {
    parser.on('assert', ({ skip }) => this.#note(skip));
    parser.on('child', (child: Parser) => this.#hear(child));
  }

  #note(skip: unknown): void {
    const lack = typeof skip === 'string' ? lackOf(skip) : undefined;
    if (lack) this.#leftOut.push(lack);
  }

  /** Ends the count. What belongs to no file that has ended is in `rest`. */
  end(): { files: readonly FileCount[]; rest: Counted; left_out: readonly Lack[] } {
    this.#parser.end();
    const rest = { passed: this.#passed, failed: this.#failed };
    return { files: this.#files, rest, left_out: this.#leftOut };
  }

  #end(file: string): void {
    const counted = { file, passed: this.#passed, failed: this.#failed };
    [this.#passed, this.#failed] = [0, 0];
    this.#files.push(counted);
    this.#told(counted);
  }
}
