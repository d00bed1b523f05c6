import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { until } from './process.ts';

/**
 * The machine on which the scripts of a scenario run, as far as its steps look at it. Paths are the same there and here:
 * what a command line writes here and what a script writes there is read alike.
 */
export interface Machine {
  /** Takes files that the scenario has written here to where scripts read them. */
  bring(): Promise<void>;
  /** Undefined where nothing is. */
  read(path: string): Promise<Buffer | undefined>;
  /** A gate is a pipe that a script reads one line of: it stands there until somebody opens it. */
  makeGate(path: string): Promise<void>;
  /** Once somebody stands there; an error after 30 s. */
  openGate(path: string): Promise<void>;
  /** Does the process with this id exist? */
  lives(pid: number): Promise<boolean>;
  /** The scenario is over. */
  leave(): void;
}

/** The tests run on it: nothing has to be brought, and everything is looked at directly. */
export class OwnMachine implements Machine {
  async bring(): Promise<void> {}

  leave(): void {}

  read(path: string): Promise<Buffer | undefined> {
    return readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
  }

  async makeGate(path: string): Promise<void> {
    await promisify(execFile)('mkfifo', [path]);
  }

  async openGate(path: string): Promise<void> {
    const pipe = await until(`somebody to stand at the gate ${path}`, 30_000, () =>
      open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENXIO') return undefined; // Nobody reads yet.
        throw error;
      }),
    );
    await pipe.write('\n');
    await pipe.close();
  }

  async lives(pid: number): Promise<boolean> {
    return existsSync(`/proc/${pid}`);
  }
}
