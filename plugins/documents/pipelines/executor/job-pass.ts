import { join } from 'node:path';
import {
  type Clock,
  type Expressions,
  formatDuration,
  isServiceError,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd, RunningPass } from '../../../execution/agents/contract.ts';
import { PassEnded } from '../../../execution/replay/contract.ts';
import type { Completion, Json } from '../../../engine/runs/contract.ts';
import {
  ProgramLost,
  type ProgramHost,
  type Programs,
  readCheckout,
  describeCommit,
  type StartedProgram,
  type Verb,
} from '../../../execution/scripts/contract.ts';
import { fillTemplates, toText } from '../domain/templates.ts';
import type { JobSpec, StepSpec } from '../domain/job-spec.ts';
import { PipelineErrors } from '../errors.ts';
import { fetchArtifacts, type JobVerbDeps, storeArtifacts } from './artifacts.ts';
import { JobCaches } from './caches.ts';
import { JobScope, type StepResult } from './job-scope.ts';
import { readJobSpec } from './job-spec.ts';
import { JobJournal } from './step-journal.ts';
import { OUTPUTS, StepRun } from './step-run.ts';

export interface JobPassDeps {
  clock: Clock;
  expressions: Expressions;
  programs: Programs;
  verbs: ReadonlyMap<string, Verb>;
}

/** One attempt of a job on one agent. It runs the steps in order in one folder. */
export class JobPass implements RunningPass {
  readonly result: Promise<PassEnd>;
  readonly #deps: JobPassDeps;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  #place: ProgramHost | undefined;
  #journal: JobJournal | undefined;
  #program: StartedProgram | undefined;
  #interruption: PassEnd | undefined;
  readonly #interrupted = Promise.withResolvers<void>();
  /** The time limit of the job has passed. */
  #timed_out = false;
  #failure: ServiceError | undefined;
  #exit_code: number | undefined;

  constructor(deps: JobPassDeps, assignment: Assignment, host: ActivityHost) {
    this.#deps = deps;
    this.#assignment = assignment;
    this.#host = host;
    this.result = this.#run();
  }

  stop(reason: 'revoked' | 'draining' | 'killed'): void {
    if (this.#interruption !== undefined) return;
    this.#interruption = reason === 'draining' ? { end: 'released' } : { end: 'lost' };
    this.#journal?.freeze();
    this.#place?.cancelCalls();
    this.#interrupted.resolve();
    this.#program?.stop();
  }

  async #run(): Promise<PassEnd> {
    try {
      const spec = readJobSpec(this.#assignment.spec);
      const completion = await this.#runWithTimeout(spec);
      return this.#interruption ?? { end: 'completed', completion };
    } catch (error) {
      if (this.#interruption !== undefined) return this.#interruption;
      if (error instanceof ProgramLost) return error.interrupted;
      if (!isServiceError(error) || error.status >= 500) throw error;
      return { end: 'completed', completion: toFailure(error) };
    } finally {
      this.#journal?.freeze();
      await this.#place?.close();
    }
  }

  /** Runs a job without a timeout for at most its limit. Then its program is stopped and no further step begins. */
  async #runWithTimeout(spec: JobSpec): Promise<Completion> {
    const { limit_ms } = spec;
    if (limit_ms === undefined) return this.#runJob(spec);
    const cancel = this.#deps.clock.after(limit_ms, () => {
      this.#timed_out = true;
      this.#interrupted.resolve();
      this.#program?.stop();
    });
    try {
      const completion = await this.#runJob(spec);
      return completion.status === 'succeeded' || !this.#timed_out ? completion : toFailure(jobTimedOut(limit_ms));
    } catch (error) {
      if (this.#interruption !== undefined || !this.#timed_out) throw error;
      return toFailure(jobTimedOut(limit_ms));
    } finally {
      cancel();
    }
  }

  async #runJob(spec: JobSpec): Promise<Completion> {
    const { clock, expressions, programs, verbs } = this.#deps;
    const journal = new JobJournal(this.#assignment, this.#host, clock, spec.key);
    this.#journal = journal;
    const place = await programs.open({
      assignment: this.#assignment,
      host: this.#host,
      verbs,
      journal: (alive) => journal.createPassJournal(alive),
    });
    this.#place = place;
    const workspace = join(place.folder, 'work');
    await place.createFolder(workspace);
    await place.createParentFolder(join(place.folder, OUTPUTS));
    const checkout = readCheckout(spec.checkout as Json);
    if (checkout !== undefined) {
      this.#log(spec, `checking out ${describeCommit(checkout)}`);
      await place.checkOut({
        checkout,
        workspace,
        onStart: (program) => this.#onProgramStarted(program),
        isStopped: () => this.#isStopped(),
      });
    }
    const scope = new JobScope(expressions, spec);
    const deps: JobVerbDeps = {
      verbs,
      journal,
      workspace,
      files: this.#host.files,
      place,
      onStarted: (program) => this.#onProgramStarted(program),
      isStopped: () => this.#isStopped(),
    };
    await this.#fetchArtifacts(spec, scope, deps);
    const caches = new JobCaches(deps, spec.caches ?? [], (text) => this.#log(spec, text));
    if (!this.#isStopped()) await caches.restore(scope.createEvaluator(spec.env));
    for (const [index, step] of spec.steps.entries()) {
      if (this.#isStopped()) break;
      const run = new StepRun({
        step,
        index,
        spec,
        scope,
        place,
        journal,
        workspace,
        clock,
        run_id: this.#assignment.run_id,
        ordinal: spec.steps.slice(0, index).filter(({ name }) => name === step.name).length,
        reportCall: (call) => this.#host.reportCall?.(call),
        onStarted: (program) => this.#onProgramStarted(program),
        stopped: this.#interrupted.promise,
        isStopped: () => this.#isStopped(),
        log: (text) => this.#log(spec, text),
      });
      await this.#runStep(run, step, spec, scope);
    }
    if (this.#isStopped()) throw new PassEnded();
    if (this.#failure !== undefined) return toFailure(this.#failure, this.#exit_code);
    const evaluate = scope.createEvaluator(spec.env);
    const artifacts = (fillTemplates(spec.artifacts, evaluate) as unknown[]).map(toText);
    await storeArtifacts(deps, artifacts);
    await caches.save();
    return { status: 'succeeded', output: fillTemplates(spec.outputs, evaluate) as Json };
  }

  /** Puts the artifacts that the job needs into its workspace. */
  async #fetchArtifacts(spec: JobSpec, scope: JobScope, deps: JobVerbDeps): Promise<void> {
    const { needed_artifacts = [] } = spec;
    if (needed_artifacts.length === 0 || this.#isStopped()) return;
    const paths = (fillTemplates(needed_artifacts, scope.createEvaluator(spec.env)) as unknown[]).map(toText);
    this.#log(spec, `fetching artifacts: ${paths.join(', ')}`);
    await fetchArtifacts(deps, paths);
  }

  /**
   * True when no further program may begin. An agent that stood still may go on before it hears that its claim is in the
   * past, and another agent may do the same job.
   */
  #isStopped(): boolean {
    if (this.#host.hasClaim?.() === false) this.stop('revoked');
    return this.#interruption !== undefined || this.#timed_out;
  }

  async #runStep(run: StepRun, step: StepSpec, spec: JobSpec, scope: JobScope): Promise<void> {
    let result: StepResult = { status: 'skipped', exit_code: null, output: {} };
    let failure: ServiceError | undefined;
    try {
      if ((this.#failure === undefined || step.always) && run.shouldRun()) {
        this.#log(spec, `${step.name}`);
        result = await run.runAttempts();
      } else this.#log(spec, `${step.name}: skipped`);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      failure = error;
      result = { ...result, status: 'failed', exit_code: run.exit_code };
      if (this.#interruption === undefined)
        this.#log(spec, `${step.name}: failed${step.continue_on_error ? ', and the job continues' : ''}`);
    }
    scope.recordStep(step.id, result);
    if (failure === undefined || step.continue_on_error || this.#failure !== undefined) return;
    this.#failure = failure;
    this.#exit_code = run.exit_code ?? undefined;
  }

  #onProgramStarted(program: StartedProgram): void {
    this.#program = program;
    if (this.#interruption !== undefined || this.#timed_out) program.stop();
  }

  /** Writes a line of the service to the log that names the job and step of the following lines. */
  #log({ key }: JobSpec, text: string): void {
    this.#host.log('system', Buffer.from(`[${key}] ${text}\n`));
  }
}

const jobTimedOut = (limit_ms: number) =>
  PipelineErrors.jobTimeout(
    `the job took longer than ${formatDuration(limit_ms)}, the limit for a job without a timeout (SVC_JOB_TIMEOUT)`,
  );

const toFailure = (error: ServiceError, exit_code?: number): Completion => ({
  status: 'failed',
  code: error.code,
  message: error.message,
  ...(exit_code === undefined ? {} : { exit_code }),
});
