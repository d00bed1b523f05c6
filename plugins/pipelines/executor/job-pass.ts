import { join } from 'node:path';
import {
  type Clock,
  type Expressions,
  formatDuration,
  isServiceError,
  type ServiceError,
} from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd, RunningPass } from '../../agents/contract.ts';
import { PassOver } from '../../replay/contract.ts';
import type { Completion, Json } from '../../runs/contract.ts';
import {
  ProgramLost,
  type ProgramPlace,
  type Programs,
  readCheckout,
  shownCommit,
  type StartedProgram,
  type Verb,
} from '../../scripts/contract.ts';
import { filled, shown } from '../domain/holes.ts';
import type { JobSpec, StepSpec } from '../domain/job-spec.ts';
import { PipelineErrors } from '../errors.ts';
import { storeArtifacts } from './artifacts.ts';
import { JobScope, type StepResult } from './job-scope.ts';
import { readJobSpec } from './job-spec.ts';
import { JobJournal } from './step-journal.ts';
import { OUTPUTS, StepRun } from './step-run.ts';

export interface PassParts {
  clock: Clock;
  expressions: Expressions;
  programs: Programs;
  verbs: ReadonlyMap<string, Verb>;
}

/** One attempt of a job on one agent: its steps in order, in one folder. */
export class JobPass implements RunningPass {
  readonly ended: Promise<PassEnd>;
  readonly #parts: PassParts;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  #place: ProgramPlace | undefined;
  #journal: JobJournal | undefined;
  #program: StartedProgram | undefined;
  #cut: PassEnd | undefined;
  readonly #cutShort = Promise.withResolvers<void>();
  /** Its time is over. */
  #late = false;
  #failure: ServiceError | undefined;
  #exit_code: number | undefined;

  constructor(parts: PassParts, assignment: Assignment, host: ActivityHost) {
    this.#parts = parts;
    this.#assignment = assignment;
    this.#host = host;
    this.ended = this.#run();
  }

  stop(why: 'revoked' | 'draining' | 'killed'): void {
    if (this.#cut !== undefined) return;
    this.#cut = why === 'draining' ? { end: 'released' } : { end: 'lost' };
    this.#journal?.freeze();
    this.#place?.gone();
    this.#cutShort.resolve();
    this.#program?.stop();
  }

  async #run(): Promise<PassEnd> {
    try {
      const spec = readJobSpec(this.#assignment.spec);
      const completion = await this.#inTime(spec);
      return this.#cut ?? { end: 'completed', completion };
    } catch (error) {
      if (this.#cut !== undefined) return this.#cut;
      if (error instanceof ProgramLost) return error.interrupted;
      if (!isServiceError(error) || error.status >= 500) throw error;
      return { end: 'completed', completion: failed(error) };
    } finally {
      this.#journal?.freeze();
      await this.#place?.close();
    }
  }

  /** The job, until the time of one without a timeout is over: then its program ends, and nothing of it begins any more. */
  async #inTime(spec: JobSpec): Promise<Completion> {
    const { limit_ms } = spec;
    if (limit_ms === undefined) return this.#job(spec);
    const cancel = this.#parts.clock.after(limit_ms, () => {
      this.#late = true;
      this.#cutShort.resolve();
      this.#program?.stop();
    });
    try {
      const completion = await this.#job(spec);
      return completion.status === 'succeeded' || !this.#late ? completion : failed(tooLong(limit_ms));
    } catch (error) {
      if (this.#cut !== undefined || !this.#late) throw error;
      return failed(tooLong(limit_ms));
    } finally {
      cancel();
    }
  }

  async #job(spec: JobSpec): Promise<Completion> {
    const { clock, expressions, programs, verbs } = this.#parts;
    const journal = new JobJournal(this.#assignment, this.#host, clock, spec.key);
    this.#journal = journal;
    const place = await programs.open({
      ...{ assignment: this.#assignment, host: this.#host, verbs },
      journal: (alive) => journal.for(alive),
    });
    this.#place = place;
    const workspace = join(place.folder, 'work');
    await place.makeFolder(workspace);
    await place.makeParent(join(place.folder, OUTPUTS));
    const checkout = readCheckout(spec.checkout as Json);
    if (checkout !== undefined) {
      this.#say(spec, `checking out ${shownCommit(checkout)}`);
      await place.checkOut({
        ...{ checkout, workspace },
        started: (program) => this.#started(program),
        isStopped: () => this.#isOver(),
      });
    }
    const scope = new JobScope(expressions, spec);
    for (const [index, step] of spec.steps.entries()) {
      if (this.#isOver()) break;
      const run = new StepRun({
        ...{ step, index, spec, scope, place, journal, workspace, clock },
        run_id: this.#assignment.run_id,
        ordinal: spec.steps.slice(0, index).filter(({ name }) => name === step.name).length,
        underWay: (call) => this.#host.underWay?.(call),
        started: (program) => this.#started(program),
        stopped: this.#cutShort.promise,
        isStopped: () => this.#isOver(),
        say: (text) => this.#say(spec, text),
      });
      await this.#step(run, step, spec, scope);
    }
    if (this.#isOver()) throw new PassOver();
    if (this.#failure !== undefined) return failed(this.#failure, this.#exit_code);
    const evaluate = scope.evaluator(spec.env);
    const artifacts = (filled(spec.artifacts, evaluate) as unknown[]).map(shown);
    await storeArtifacts({ artifacts, verbs, journal, workspace, files: this.#host.files, room: place.room });
    return { status: 'succeeded', output: filled(spec.outputs, evaluate) as Json };
  }

  /**
   * True when no further program may begin. An agent that stood still may go on before it hears that its claim is in the
   * past, and another agent may do the same job.
   */
  #isOver(): boolean {
    if (this.#host.held?.() === false) this.stop('revoked');
    return this.#cut !== undefined || this.#late;
  }

  async #step(run: StepRun, step: StepSpec, spec: JobSpec, scope: JobScope): Promise<void> {
    let result: StepResult = { status: 'skipped', exit_code: null, output: {} };
    let failure: ServiceError | undefined;
    try {
      if ((this.#failure === undefined || step.always) && run.wanted()) {
        this.#say(spec, `${step.name}`);
        result = await run.attempts();
      } else this.#say(spec, `${step.name}: skipped`);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      failure = error;
      result = { ...result, status: 'failed', exit_code: run.exit_code };
      if (this.#cut === undefined)
        this.#say(spec, `${step.name}: failed${step.continue_on_error ? ', and the job goes on' : ''}`);
    }
    scope.ended(step.id, result);
    if (failure === undefined || step.continue_on_error || this.#failure !== undefined) return;
    this.#failure = failure;
    this.#exit_code = run.exit_code ?? undefined;
  }

  #started(program: StartedProgram): void {
    this.#program = program;
    if (this.#cut !== undefined || this.#late) program.stop();
  }

  /** A line of the service in the log: which job and step the next lines belong to. */
  #say({ key }: JobSpec, text: string): void {
    this.#host.log('system', Buffer.from(`[${key}] ${text}\n`));
  }
}

const tooLong = (limit_ms: number) =>
  PipelineErrors.jobTimeout(
    `the job took longer than ${formatDuration(limit_ms)}, which is what a job without a timeout may take (SVC_JOB_TIMEOUT)`,
  );

const failed = (error: ServiceError, exit_code?: number): Completion => ({
  ...{ status: 'failed', code: error.code, message: error.message },
  ...(exit_code === undefined ? {} : { exit_code }),
});
