import { constants } from 'node:os';
import { BytePieces } from '../../../../kernel/contracts/index.ts';
import { type Json, MAX_STEP_OUTPUT_BYTES } from '../../../engine/runs/contract.ts';
import type { RecordedOutcome } from '../../replay/contract.ts';
import type { CommandPolicy, ExecResult, ScriptFiles } from '../contract.ts';
import { scriptNotStarted } from '../errors.ts';

/** Reads the command of an activity's spec. Throws `script_not_started` for a spec of another version. */
export function readCommand(spec: Json): string[] {
  const argv = typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec.argv : undefined;
  if (Array.isArray(argv) && argv.length > 0 && argv.every((one) => typeof one === 'string')) return argv as string[];
  throw scriptNotStarted(
    'the record of the command cannot be read by this agent; run an agent with the same version as the server',
  );
}

/**
 * Reads the policy of an activity's spec, which the server has validated; undefined for a single attempt without a
 * timeout.
 */
export function readRecordedPolicy(spec: Json): CommandPolicy | undefined {
  const policy = typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec.policy : undefined;
  return policy === undefined || policy === null ? undefined : (policy as CommandPolicy & Json);
}

/** Reads the files included with the script that calls the command, with the folder by which the command names them. */
export function readIncludedFiles(spec: Json): ScriptFiles | undefined {
  const included = typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec.beside : undefined;
  return included === undefined || included === null ? undefined : (included as unknown as ScriptFiles);
}

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const SIGNALLED = 128;

export interface CommandExit {
  exit_code: number | null;
  signal: string | null;
}

/** Returns the exit code of a process as a shell reports it. */
export function toExitCode(exit: CommandExit): number {
  if (exit.exit_code !== null) return exit.exit_code;
  return SIGNALLED + (constants.signals[exit.signal as NodeJS.Signals] ?? 0);
}

/** Returns the result of a command that could not be started, as a shell would report it. */
export function notStartedResult(program: string, error_code: string | undefined): ExecResult {
  const exists = error_code !== 'ENOENT';
  const error = exists ? `${program} cannot be run: ${error_code}` : `there is no command ${program} on the agent`;
  return { exit_code: exists ? NOT_EXECUTABLE : NOT_FOUND, stdout: Buffer.alloc(0), size: 0, error };
}

/** Returns the output of a command's activity, as its parent reads it. */
export function commandOutput({ exit_code, output, message }: RecordedOutcome): Json {
  return { exit_code, stdout: output.toString('base64'), ...(message === undefined ? {} : { message }) };
}

/** Collects the beginning of a command's output, up to the limit, and counts all of it. */
export class Capture {
  readonly #pieces = new BytePieces();
  #kept = 0;
  size = 0;

  add(data: Buffer): void {
    this.size += data.length;
    const room = MAX_STEP_OUTPUT_BYTES - this.#kept;
    if (room <= 0) return;
    const part = data.subarray(0, room);
    this.#pieces.add(part);
    this.#kept += part.length;
  }

  bytes(): Buffer {
    return this.#pieces.concat();
  }
}
