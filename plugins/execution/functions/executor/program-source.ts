import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Clock, Log } from '../../../../kernel/contracts/index.ts';
import { functionsInvalid, workerNotStarted } from '../errors.ts';
import { FunctionProgram } from './program.ts';
import { readProgramFiles } from './program-files.ts';

const SDK = fileURLToPath(new URL('../../scripts/sdk/', import.meta.url));
/**
 * MiB to which young garbage may grow, of which V8 keeps three times as much. Without a limit the garbage of ten thousand short
 * passes, which wait and hold nothing, keeps 50 MB for as long as the program lives.
 */
const YOUNG_GARBAGE = '--max-semi-space-size=4';
/** The descriptor of the connection, in the program. */
const PROGRAM_FD = 3;
const GRACE_MS = 2000;

/** A program that was started or that has connected. */
export interface StartedProgram {
  program: FunctionProgram;
  /** The version of its files. */
  version: string;
  /** Ends it: SIGTERM, and SIGKILL after a moment. */
  end(): Promise<void>;
  kill(): void;
}

/** Where the programs of a worker come from. */
export interface ProgramSource {
  /** Folders in which a change makes another program necessary. */
  folders(): readonly string[];
  /** The version that a new program would have. */
  version(): Promise<string>;
  start(): Promise<StartedProgram>;
  /** False for the program that has started this worker. It ends with that program. */
  readonly restarts: boolean;
}

export interface SourceDeps {
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  /** Path of Node.js. */
  node: string;
}

/** The command that serves these files. Throws `functions_invalid` for files of two languages. */
function programCommand(files: readonly string[], node: string): string[] {
  const python = files.filter((file) => file.endsWith('.py'));
  if (python.length === 0) return [node, YOUNG_GARBAGE, '--enable-source-maps', `${SDK}worker.mjs`, ...files];
  if (python.length < files.length)
    throw functionsInvalid('a worker serves files of one language; start another worker for the others');
  return ['python3', '-m', 'svc_sdk.worker', ...files];
}

/** The variables of a program: those of the worker without the settings and the token of svc. */
function programEnvironment(env: SourceDeps['env']): Record<string, string> {
  const inherited = Object.entries(env).filter(([name, value]) => value !== undefined && !name.startsWith('SVC_'));
  const path = [SDK, env.PYTHONPATH].filter((folder) => folder !== undefined && folder !== '').join(':');
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    PYTHONPATH: path,
    SVC_WORKER_FD: String(PROGRAM_FD),
  };
}

/** Starts a process with the files of `svc worker`. */
export function createFileSource(files: readonly string[], { clock, log, env, node }: SourceDeps): ProgramSource {
  let folders: readonly string[] = [];
  const [command = '', ...args] = programCommand(files, node);
  const version = async () => {
    const read = await readProgramFiles(files);
    folders = read.folders;
    return read.version;
  };
  return {
    restarts: true,
    folders: () => folders,
    version,
    async start() {
      // Before the program reads them: a change in between makes another program, and not a wrong version.
      const started_version = await version();
      const child = spawn(command, args, {
        env: programEnvironment(env),
        stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      });
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      await new Promise<void>((started, failed) => {
        child.once('spawn', started);
        child.once('error', (error) => failed(workerNotStarted(`${command} could not be started: ${error.message}`)));
      });
      const program = new FunctionProgram(child.stdio[PROGRAM_FD] as Socket, {
        log,
        version: started_version,
        clock,
      });
      // A descendant of the program may keep the connection open.
      void exited.then(() => program.close());
      const kill = () => void child.kill('SIGKILL');
      return {
        program,
        version: started_version,
        kill,
        async end() {
          child.kill('SIGTERM');
          const cancel = clock.after(GRACE_MS, kill);
          await exited;
          cancel();
        },
      };
    },
  };
}

/** The program that has started this worker, at the other end of a descriptor. */
export function createAttachedSource(main: string, { clock, log }: Pick<SourceDeps, 'clock' | 'log'>): ProgramSource {
  const version = async () => (main === '' ? 'unknown' : (await readProgramFiles([main])).version);
  return {
    restarts: false,
    folders: () => [],
    version,
    async start() {
      const socket = new Socket({ fd: PROGRAM_FD });
      const started_version = await version();
      const program = new FunctionProgram(socket, { log, version: started_version, clock });
      return { program, version: started_version, end: async () => program.close(), kill: () => program.close() };
    },
  };
}
