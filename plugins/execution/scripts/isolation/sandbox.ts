import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskView } from '../contract/disk-view.ts';
import { findProgram } from '../domain/interpreter.ts';
import type { ProcessExit, SpawnRequest } from '../native/process-handle.ts';

/** Where the programs of one pass run: in a sandbox, or as the agent's user in the agent's folder. */
export interface Sandbox {
  /** The folder in which programs start by default. */
  readonly workdir: string;
  /** The files that the agent may read for them; undefined for any file. */
  readonly disk_view: DiskView | undefined;
  /**
   * Returns the path of a program, or undefined. Throws `interpreter_missing` for one that the sandbox does not show.
   */
  find(program: string, path: string): Promise<string | undefined>;
  /** Gives a new file of the agent to the programs. */
  grantAccess(path: string): Promise<void>;
  /** Creates a folder at `path`, within the folder of the pass, that programs started from now on may write to. */
  createFolder(path: string): Promise<void>;
  /**
   * Creates a folder at `path`, within the folder of the pass, in which the agent creates folders and files that it
   * gives to programs started from now on.
   */
  createParentFolder(path: string): Promise<void>;
  /**
   * Creates an empty folder whose files every program of the pass can read, also those that are running, and only the
   * agent can write. Returns its path: on the disk, because the files may be large. Whoever creates it removes it.
   */
  createReadableFolder(runtime_dir: string, name: string): Promise<string>;
  /** Returns the request that runs a program there. */
  toSpawnRequest(request: SpawnRequest): SpawnRequest;
  /** Returns the end of the last program, with an error if it did not start there. */
  interpretEnd(end: ProcessExit): Promise<ProcessExit>;
  /** Must be called after the last program has ended. Safe to call twice. */
  close(): Promise<void>;
}

/** Programs run as the agent's user and see what it sees. */
export class HostSandbox implements Sandbox {
  readonly workdir: string;
  readonly disk_view = undefined;

  constructor(workdir: string) {
    this.workdir = workdir;
  }

  find(program: string, path: string): Promise<string | undefined> {
    return findProgram(program, path, this.workdir);
  }

  async grantAccess(): Promise<void> {}

  async createFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
  }

  createParentFolder(path: string): Promise<void> {
    return this.createFolder(path);
  }

  async createReadableFolder(runtime_dir: string, name: string): Promise<string> {
    const path = join(runtime_dir, name);
    await this.createFolder(path);
    return path;
  }

  toSpawnRequest(request: SpawnRequest): SpawnRequest {
    return request;
  }

  async interpretEnd(end: ProcessExit): Promise<ProcessExit> {
    return end;
  }

  async close(): Promise<void> {}
}
