import { constants } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type Clock, rest } from '../../../../kernel/contracts/index.ts';
import { idempotencyKey, PassEnded } from '../../../execution/replay/contract.ts';
import type { CallUnderWay } from '../../../engine/runs/contract.ts';
import {
  type ProgramExit,
  ProgramLost,
  type ProgramHost,
  type StartedProgram,
  unrestrictedDisk,
} from '../../../execution/scripts/contract.ts';
import { type Evaluate, fillTemplates, fillEnv, toText } from '../domain/templates.ts';
import type { JobSpec, StepSpec } from '../domain/job-spec.ts';
import { PipelineErrors } from '../errors.ts';
import type { JobScope, StepResult } from './job-scope.ts';
import type { JobJournal } from './step-journal.ts';
import { readOutputs } from './step-outputs.ts';

/** A folder of the job that contains one folder for each attempt of a step, so that a sandbox needs one mount. */
export const OUTPUTS = 'outputs';

/** Errors of `mkdir` that an earlier step can cause, because its program may write there. */
const CAUSED_BY_A_STEP: ReadonlySet<string> = new Set(['EEXIST', 'EACCES', 'ENOENT', 'ENOTDIR', 'ELOOP']);

export interface StepRunDeps {
  step: StepSpec;
  index: number;
  spec: JobSpec;
  scope: JobScope;
  place: ProgramHost;
  journal: JobJournal;
  workspace: string;
  clock: Clock;
  run_id: string;
  /** The number of earlier steps with the same name. */
  ordinal: number;
  /** An attempt is carried out until the answered function is called. */
  reportCall(call: CallUnderWay): (() => void) | undefined;
  onStarted(program: StartedProgram): void;
  /** Resolves when the job is stopped. */
  stopped: Promise<void>;
  isStopped(): boolean;
  log(text: string): void;
}

/** One step of a job with all its attempts. */
export class StepRun {
  readonly #deps: StepRunDeps;
  /** The exit code of the last attempt. */
  exit_code: number | null = null;

  constructor(deps: StepRunDeps) {
    this.#deps = deps;
  }

  /** Evaluates the condition of the step. Throws `step_invalid`. */
  shouldRun(): boolean {
    const { step } = this.#deps;
    if (step.if === null) return true;
    const value = this.#evaluator()(step.if);
    if (typeof value === 'boolean') return value;
    throw PipelineErrors.stepInvalid(
      `the condition of ${nameStep(step.name)} is neither true nor false: ${step.if.slice(0, 200)}`,
    );
  }

  /** Throws what the last attempt failed with: `step_failed`, `step_timeout`, `step_invalid`. */
  async runAttempts(): Promise<StepResult> {
    const { step, ordinal, clock, stopped, log, isStopped, reportCall } = this.#deps;
    const repeats = step.attempts > 1;
    for (let attempt = 1; ; attempt++) {
      const which = repeats ? { attempt, attempts: step.attempts } : {};
      const finishCall = reportCall({ kind: 'step', name: step.name, ordinal, ...which });
      try {
        return await this.#runAttempt(attempt).finally(finishCall);
      } catch (error) {
        // A program that was lost is no failure of the step: the whole job is carried out again.
        if (attempt >= step.attempts || isStopped() || error instanceof ProgramLost) throw error;
        log(`${step.name}: attempt ${attempt} of ${step.attempts} failed`);
        let cancel = (): void => {};
        await Promise.race([new Promise<void>((done) => (cancel = rest(clock, step.backoff_ms, done))), stopped]);
        cancel();
        if (isStopped()) throw error;
      }
    }
  }

  async #runAttempt(attempt: number): Promise<StepResult> {
    const { step, index, place, journal } = this.#deps;
    const output_folder = join(place.folder, OUTPUTS, `${index}-${attempt}`);
    const output_file = join(output_folder, 'output');
    const source = join(place.folder, 'source', `step-${index}-${attempt}.sh`);
    await this.#createFolder(output_folder);
    await this.#writeFile(output_file, '');
    await place.grantAccess(output_folder);
    const evaluate = this.#evaluator();
    const step_env = fillEnv(step.env, evaluate);
    const evaluateInStep = this.#evaluator(step_env);
    await this.#writeFile(source, toText(fillTemplates(step.run, evaluateInStep)));
    journal.begin(step.id ?? String(index));
    const end = await this.#runProgram(
      source,
      await this.#openFolder(evaluateInStep),
      this.#environment(step_env, output_file),
    );
    this.exit_code = end.exit_code;
    if (end.exit_code !== 0) throw PipelineErrors.stepFailed(failureText(step, end));
    return {
      status: 'succeeded',
      exit_code: 0,
      output: { ...(await readOutputs(output_file, place.disk_view)), ...journal.staged() },
    };
  }

  /** Throws `step_invalid` if an earlier step has created the folder, or made its parent folder unusable. */
  async #createFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (!CAUSED_BY_A_STEP.has(error.code ?? '')) throw error;
      const { step } = this.#deps;
      throw PipelineErrors.stepInvalid(
        `the folder of $SVC_OUTPUT for ${nameStep(step.name)} cannot be created (${error.code}): an earlier step changed the folders of other steps`,
      );
    });
  }

  /** Creates a new file for the program. Fails when it exists. */
  async #writeFile(path: string, text: string): Promise<void> {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    await this.#deps.place.grantAccess(path);
  }

  async #runProgram(source: string, cwd: string, env: Record<string, string>): Promise<ProgramExit> {
    const { step, place, clock, onStarted, isStopped } = this.#deps;
    const bash = await place.find('bash');
    if (isStopped()) throw new PassEnded();
    const program = place.start({ argv: [bash, '-eu', source], env, cwd, names: [{ path: source, shown: step.name }] });
    onStarted(program);
    if (step.timeout_ms === null) return program.ended;
    let late = false;
    const cancel = clock.after(step.timeout_ms, () => {
      late = true;
      program.stop();
    });
    const end = await program.ended
      .catch((error: unknown) => {
        // The timeout counts, whatever else ended the program.
        if (late && error instanceof ProgramLost) return undefined;
        throw error;
      })
      .finally(cancel);
    if (late || end === undefined)
      throw PipelineErrors.stepTimeout(`${nameStep(step.name)} took longer than ${step.timeout_ms} ms`);
    return end;
  }

  /** A credential wins over a variable of the same name. */
  #environment(step_env: Record<string, string>, output_file: string): Record<string, string> {
    const { spec, place, run_id, step, index, workspace } = this.#deps;
    const site = { kind: 'job-step', name: step.id ?? String(index), ordinal: 0 };
    return {
      ...place.environment({ ...spec.env, ...step_env }),
      SVC_OUTPUT: output_file,
      SVC_WORKSPACE: workspace,
      SVC_IDEMPOTENCY_KEY: idempotencyKey({ run_id, job: spec.key }, site),
    };
  }

  /** Resolves the working directory of the step. It must lie within the workspace, after links are followed. */
  async #openFolder(evaluate: Evaluate): Promise<string> {
    const { workspace, step, place } = this.#deps;
    const folder_name = toText(fillTemplates(step.working_directory, evaluate));
    const toError = (message: string) =>
      PipelineErrors.stepInvalid(
        `the working_directory ${JSON.stringify(folder_name.slice(0, 200))} of ${nameStep(step.name)} ${message}`,
      );
    const path = resolve(workspace, folder_name);
    const folder = await place.disk_view.open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
    if (!folder) throw toError('is not a folder in the workspace');
    await folder.close();
    // An isolated step follows no link, and its paths differ from those of the machine.
    if (place.disk_view !== unrestrictedDisk) {
      if (path === workspace || path.startsWith(workspace + sep)) return path;
      throw toError('is outside the workspace');
    }
    const [real, root] = await Promise.all([realpath(path), realpath(workspace)]);
    if (real !== root && !real.startsWith(root + sep)) throw toError('is outside the workspace');
    return path;
  }

  #evaluator(step_env: Readonly<Record<string, string>> = {}): Evaluate {
    const { scope, spec } = this.#deps;
    return scope.createEvaluator({ ...spec.env, ...step_env });
  }
}

function failureText({ name }: StepSpec, { exit_code, signal, tail }: ProgramExit): string {
  const ending = signal === null ? `exit code ${exit_code}` : `signal ${signal}`;
  const stderr_text = tail === '' ? '' : `\nthe end of its standard error:\n${tail}`;
  return `${nameStep(name)} ended with ${ending}${stderr_text}`;
}

/** A step without a name and an ID is called `step 2`. */
const nameStep = (name: string): string => (/^step \d+$/.test(name) ? name : `the step ${name}`);
