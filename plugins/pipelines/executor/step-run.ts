import { constants } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type Clock, rest } from '../../../kernel/contracts/index.ts';
import { idempotencyKey, PassOver } from '../../replay/contract.ts';
import type { CallUnderWay } from '../../runs/contract.ts';
import {
  type ProgramEnd,
  ProgramLost,
  type ProgramPlace,
  type StartedProgram,
  wholeMachine,
} from '../../scripts/contract.ts';
import { type Evaluate, filled, filledEnv, shown } from '../domain/holes.ts';
import type { JobSpec, StepSpec } from '../domain/job-spec.ts';
import { PipelineErrors } from '../errors.ts';
import type { JobScope, StepResult } from './job-scope.ts';
import type { JobJournal } from './step-journal.ts';
import { readOutputs } from './step-outputs.ts';

/** The folder of the job with a folder for each attempt of a step: one mount, however many there are. */
export const OUTPUTS = 'outputs';

export interface StepParts {
  step: StepSpec;
  index: number;
  spec: JobSpec;
  scope: JobScope;
  place: ProgramPlace;
  journal: JobJournal;
  workspace: string;
  clock: Clock;
  run_id: string;
  /** How many steps before it have its name. */
  ordinal: number;
  /** An attempt is carried out until the answered function is called. */
  underWay(call: CallUnderWay): (() => void) | undefined;
  started(program: StartedProgram): void;
  /** Resolves when the job is stopped. */
  stopped: Promise<void>;
  isStopped(): boolean;
  say(text: string): void;
}

/** One step of a job with all its attempts. */
export class StepRun {
  readonly #parts: StepParts;
  /** Of the last attempt. */
  exit_code: number | null = null;

  constructor(parts: StepParts) {
    this.#parts = parts;
  }

  /** The value of its condition. Throws `step_invalid`. */
  wanted(): boolean {
    const { step } = this.#parts;
    if (step.if === null) return true;
    const value = this.#evaluator()(step.if);
    if (typeof value === 'boolean') return value;
    throw PipelineErrors.stepInvalid(
      `the condition of the step ${step.name} is neither true nor false: ${step.if.slice(0, 200)}`,
    );
  }

  /** Throws what the last attempt failed with: `step_failed`, `step_timeout`, `step_invalid`. */
  async attempts(): Promise<StepResult> {
    const { step, ordinal, clock, stopped, say, isStopped, underWay } = this.#parts;
    const tried = step.attempts > 1;
    for (let attempt = 1; ; attempt++) {
      const which = tried ? { attempt, attempts: step.attempts } : {};
      const over = underWay({ kind: 'step', name: step.name, ordinal, ...which });
      try {
        return await this.#attempt(attempt).finally(over);
      } catch (error) {
        // A program that was lost is no failure of the step: the whole job is carried out again.
        if (attempt >= step.attempts || isStopped() || error instanceof ProgramLost) throw error;
        say(`${step.name}: attempt ${attempt} of ${step.attempts} failed`);
        let cancel = (): void => {};
        await Promise.race([new Promise<void>((done) => (cancel = rest(clock, step.backoff_ms, done))), stopped]);
        cancel();
        if (isStopped()) throw error;
      }
    }
  }

  async #attempt(attempt: number): Promise<StepResult> {
    const { step, index, place, journal } = this.#parts;
    const output_folder = join(place.folder, OUTPUTS, `${index}-${attempt}`);
    const output_file = join(output_folder, 'output');
    const source = join(place.folder, 'source', `step-${index}-${attempt}.sh`);
    await mkdir(output_folder, { mode: 0o700 });
    await this.#write(output_file, '');
    await place.give(output_folder);
    const evaluate = this.#evaluator();
    const own = filledEnv(step.env, evaluate);
    const whole = this.#evaluator(own);
    await this.#write(source, shown(filled(step.run, whole)));
    journal.begin(step.id ?? String(index));
    const end = await this.#program(source, await this.#folder(whole), this.#environment(own, output_file));
    this.exit_code = end.exit_code;
    if (end.exit_code !== 0) throw PipelineErrors.stepFailed(failureText(step, end));
    return {
      status: 'succeeded',
      exit_code: 0,
      output: { ...(await readOutputs(output_file, place.room)), ...journal.staged() },
    };
  }

  /** A file for the program, where nothing of it has been yet. */
  async #write(path: string, text: string): Promise<void> {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    await this.#parts.place.give(path);
  }

  async #program(source: string, cwd: string, env: Record<string, string>): Promise<ProgramEnd> {
    const { step, place, clock, started, isStopped } = this.#parts;
    const bash = await place.find('bash');
    if (isStopped()) throw new PassOver();
    const program = place.start({ argv: [bash, '-eu', source], env, cwd, names: [{ path: source, shown: step.name }] });
    started(program);
    if (step.timeout_ms === null) return program.ended;
    let late = false;
    const cancel = clock.after(step.timeout_ms, () => {
      late = true;
      program.stop();
    });
    const end = await program.ended
      .catch((error: unknown) => {
        // Whatever ended it: its time was over.
        if (late && error instanceof ProgramLost) return undefined;
        throw error;
      })
      .finally(cancel);
    if (late || end === undefined)
      throw PipelineErrors.stepTimeout(`the step ${step.name} took longer than ${step.timeout_ms} ms`);
    return end;
  }

  /** A credential of the same name wins, whatever a step says. */
  #environment(own: Record<string, string>, output_file: string): Record<string, string> {
    const { spec, place, run_id, step, index, workspace } = this.#parts;
    const site = { kind: 'job-step', name: step.id ?? String(index), ordinal: 0 };
    return {
      ...place.environment({ ...spec.env, ...own }),
      SVC_OUTPUT: output_file,
      SVC_WORKSPACE: workspace,
      SVC_IDEMPOTENCY_KEY: idempotencyKey({ run_id, job: spec.key }, site),
    };
  }

  /** The step's folder: within the workspace, also where links lead. */
  async #folder(evaluate: Evaluate): Promise<string> {
    const { workspace, step, place } = this.#parts;
    const given = shown(filled(step.working_directory, evaluate));
    const fault = (message: string) =>
      PipelineErrors.stepInvalid(
        `the working_directory ${JSON.stringify(given.slice(0, 200))} of the step ${step.name} ${message}`,
      );
    const path = resolve(workspace, given);
    const found = await place.room.open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
    if (!found) throw fault('is no folder of the workspace');
    await found.close();
    // Of an isolated step no link was followed, and its paths are others than those of the machine.
    if (place.room !== wholeMachine) {
      if (path === workspace || path.startsWith(workspace + sep)) return path;
      throw fault('leaves the workspace');
    }
    const [real, root] = await Promise.all([realpath(path), realpath(workspace)]);
    if (real !== root && !real.startsWith(root + sep)) throw fault('leaves the workspace');
    return path;
  }

  #evaluator(own: Readonly<Record<string, string>> = {}): Evaluate {
    const { scope, spec } = this.#parts;
    return scope.evaluator({ ...spec.env, ...own });
  }
}

function failureText({ name }: StepSpec, { exit_code, signal, tail }: ProgramEnd): string {
  const how = signal === null ? `exit code ${exit_code}` : `signal ${signal}`;
  const said = tail === '' ? '' : `\nthe end of its standard error:\n${tail}`;
  return `the step ${name} ended with ${how}${said}`;
}
