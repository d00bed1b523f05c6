import { constants } from 'node:os';
import { type Json, MAX_STEP_OUTPUT_BYTES } from '../../runs/contract.ts';
import type { RecordedOutcome } from '../../replay/contract.ts';
import type { CommandPolicy, ExecResult, ScriptFiles } from '../contract.ts';
import { scriptNotStarted } from '../errors.ts';

/** What the executor is told of a command. Throws `script_not_started` for a record of another version. */
export function readCommand(spec: Json): string[] {
  const argv = typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec.argv : undefined;
  if (Array.isArray(argv) && argv.length > 0 && argv.every((one) => typeof one === 'string')) return argv as string[];
  throw scriptNotStarted(
    'the record of the command cannot be read by this agent; run an agent of the version of the server',
  );
}

/** How it is tried. The server has checked it; undefined: once, without an end. */
export function readPolicyOf(spec: Json): CommandPolicy | undefined {
  const policy = typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec.policy : undefined;
  return policy === undefined || policy === null ? undefined : (policy as CommandPolicy & Json);
}

/** What lies beside the script that asks for the command, under the folder by which the command names it. */
export function readBesideOf(spec: Json): ScriptFiles | undefined {
  const beside = typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec.beside : undefined;
  return beside === undefined || beside === null ? undefined : (beside as unknown as ScriptFiles);
}

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const SIGNALLED = 128;

export interface CommandEnd {
  exit_code: number | null;
  signal: string | null;
}

/** The exit code of a process as a shell tells it. */
export function exitCodeOf(end: CommandEnd): number {
  if (end.exit_code !== null) return end.exit_code;
  return SIGNALLED + (constants.signals[end.signal as NodeJS.Signals] ?? 0);
}

/** What a command that could not be started comes to, as a shell would say it. */
export function notStarted(program: string, error_code: string | undefined): ExecResult {
  const found = error_code !== 'ENOENT';
  const error = found ? `${program} cannot be run: ${error_code}` : `there is no command ${program} on the agent`;
  return { exit_code: found ? NOT_EXECUTABLE : NOT_FOUND, stdout: Buffer.alloc(0), size: 0, error };
}

/** The output of a command's activity, as its parent reads it. */
export function commandOutput({ exit_code, output, message }: RecordedOutcome): Json {
  return { exit_code, stdout: output.toString('base64'), ...(message === undefined ? {} : { message }) };
}

/** Keeps the beginning of a command's output, up to the limit, and counts all of it. */
export class Capture {
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  size = 0;

  add(data: Buffer): void {
    this.size += data.length;
    const room = MAX_STEP_OUTPUT_BYTES - this.#kept;
    if (room <= 0) return;
    const part = data.subarray(0, room);
    this.#chunks.push(part);
    this.#kept += part.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
