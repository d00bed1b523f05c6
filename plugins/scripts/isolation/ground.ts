import { mkdir } from 'node:fs/promises';
import type { FileRoom } from '../contract/file-room.ts';
import { findProgram } from '../domain/interpreter.ts';
import type { ProcessEnd, SpawnRequest } from '../native/process-handle.ts';

/** Where the programs of one pass run: in a cell, or as the agent's user in the agent's folder. */
export interface Ground {
  /** The folder in which programs begin, unless somebody names another. */
  readonly workdir: string;
  /** Absent: the agent reads any file for them. */
  readonly room: FileRoom | undefined;
  /** The path of a program; undefined when there is none. Throws `interpreter_missing` for one that is out of sight. */
  find(program: string, path: string): Promise<string | undefined>;
  /** Makes a new file of the agent the program's own. */
  give(path: string): Promise<void>;
  /** A new folder at `path`, within the folder of the pass, that programs may write to which start from now on. */
  folder(path: string): Promise<void>;
  /**
   * A new folder at `path`, within the folder of the pass, in which the agent makes folders and files that it gives to programs
   * which start from now on.
   */
  parent(path: string): Promise<void>;
  /** The request that runs a program there. */
  request(request: SpawnRequest): SpawnRequest;
  /** The end of the last program: with an error, when it did not start there. */
  ended(end: ProcessEnd): Promise<ProcessEnd>;
  /** After the last program has ended. Safe to call twice. */
  close(): Promise<void>;
}

/** Programs run as the agent's user, and see what it sees. */
export class OpenGround implements Ground {
  readonly workdir: string;
  readonly room = undefined;

  constructor(workdir: string) {
    this.workdir = workdir;
  }

  find(program: string, path: string): Promise<string | undefined> {
    return findProgram(program, path, this.workdir);
  }

  async give(): Promise<void> {}

  async folder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
  }

  parent(path: string): Promise<void> {
    return this.folder(path);
  }

  request(request: SpawnRequest): SpawnRequest {
    return request;
  }

  async ended(end: ProcessEnd): Promise<ProcessEnd> {
    return end;
  }

  async close(): Promise<void> {}
}
