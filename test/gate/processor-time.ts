import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** In seconds, as the system counts it; undefined where it does not tell. */
interface ProcessorTime {
  own: number;
  /** Of the children that have ended, and of all below them. */
  children: number;
}

export function processorTime(): ProcessorTime | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // Behind the name, which may hold spaces: utime, stime and those of children, in hundredths of a second.
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number);
    return { own: (utime + stime) / 100, children: (cutime + cstime) / 100 };
  } catch {
    return undefined;
  }
}

/**
 * What each child took, with all below it: what the sum of all children has grown by when it ends. Two that end within the
 * same turn of the loop are told together, at the first.
 */
export class ChildTimes {
  #before = processorTime()?.children;

  /** The seconds of a child that ends. Of all children that this process has, or they are told at the next one. */
  of(child: ChildProcess): Promise<number | undefined> {
    return new Promise((resolve) => {
      child.once('exit', () => {
        const now = processorTime()?.children;
        resolve(now === undefined || this.#before === undefined ? undefined : now - this.#before);
        this.#before = now;
      });
      child.once('error', () => resolve(undefined));
    });
  }
}
