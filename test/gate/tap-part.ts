import { Parser } from 'tap-parser';
import type { Counted } from './count.ts';

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

  /** `told` hears of each file as soon as it has ended, where several share a process. */
  constructor(told: (file: FileCount) => void = () => undefined) {
    this.#told = told;
    this.#parser.on('assert', ({ ok, name, skip, todo }) => {
      const [, ended] = END.exec(name) ?? [];
      if (ended !== undefined && ok) this.#end(ended);
      else if (ok || skip || todo) this.#passed += 1;
      else this.#failed += 1;
    });
  }

  write(chunk: Buffer): void {
    this.#parser.write(chunk);
  }

  /** Ends the count. What belongs to no file that has ended is in `rest`. */
  end(): { files: readonly FileCount[]; rest: Counted } {
    this.#parser.end();
    return { files: this.#files, rest: { passed: this.#passed, failed: this.#failed } };
  }

  #end(file: string): void {
    const counted = { file, passed: this.#passed, failed: this.#failed };
    [this.#passed, this.#failed] = [0, 0];
    this.#files.push(counted);
    this.#told(counted);
  }
}
