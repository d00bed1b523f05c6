import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd, RunningPass } from '../../agents/contract.ts';
import {
  acceptInput,
  type Completion,
  inputInvalid,
  type Json,
  MAX_STEP_OUTPUT_BYTES,
} from '../../../engine/runs/contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import { functionFailed, workerKilled } from '../errors.ts';
import type { Admission } from './gate.ts';
import { type CallOwner, type EarlyEnd, OpenCall, type OpenCallDeps } from './open-call.ts';
import type { FunctionEnd } from './program.ts';
import type { FunctionPrograms } from './programs.ts';
import type { Suspects } from './suspects.ts';

export interface FunctionPassDeps extends OpenCallDeps {
  programs: FunctionPrograms;
  admit(name: string, limit: number | undefined): Admission;
  suspects: Suspects;
}

/** One call of a workflow's function, from its first line or a wait at which it was kept until it ends, parks or is stopped. */
export class FunctionPass implements RunningPass {
  readonly result: Promise<PassEnd>;
  readonly #deps: FunctionPassDeps;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  readonly #early = Promise.withResolvers<EarlyEnd>();
  readonly #owner: CallOwner;
  #call: OpenCall;

  constructor(deps: FunctionPassDeps, assignment: Assignment, host: ActivityHost) {
    this.#deps = deps;
    this.#assignment = assignment;
    this.#host = host;
    this.#owner = { endEarly: (early) => this.#endEarly(early), retained: () => this.#leaveParked() };
    const retained = deps.retained.claim(assignment);
    retained?.attach(assignment, host, this.#owner);
    this.#call = retained ?? this.#open();
    this.result = this.#run(retained).finally(() => this.#call.release(this.#owner));
  }

  #open(): OpenCall {
    return new OpenCall(this.#deps, this.#assignment, this.#host, this.#owner);
  }

  stop(why: 'revoked' | 'draining' | 'killed'): void {
    this.#deps.programs.passStopped();
    this.#endEarly({ end: why === 'draining' ? { end: 'released' } : { end: 'lost' } });
  }

  /** The function goes on until its next call, which is never answered. */
  #endEarly(early: EarlyEnd): void {
    if ('end' in early && early.end.end === 'parked') return this.#leaveParked(() => this.#call.stop());
    this.#call.stop();
    this.#early.resolve(early);
  }

  #leaveParked(stop: () => void = () => undefined): void {
    // It has come to a wait, and the program lives.
    this.#deps.suspects.clear(this.#assignment.activity_id);
    stop();
    this.#early.resolve({ end: { end: 'parked' } });
  }

  async #run(retained: OpenCall | undefined): Promise<PassEnd> {
    const { name, version } = readSpec(this.#assignment.spec);
    const early = this.#early.promise.then((one) => {
      if ('error' in one) throw one.error;
      return one.end;
    });
    // Whoever awaits it first reports it.
    early.catch(() => undefined);
    const { programs, callers, admit, suspects } = this.#deps;
    await callers.open(this.#host.agent);
    const suspicion = suspects.admit(this.#assignment.activity_id);
    const admission = admit(name, programs.find(name, version)?.concurrencyOf(name));
    try {
      const both = Promise.all([admission.admitted, suspicion.admitted]).then(() => undefined);
      const stopped = await Promise.race([both, early]);
      if (stopped !== undefined) return stopped;
      if (retained?.isDropped === false) return await Promise.race([this.#conclude(retained.resume()), early]);
      // What was kept has gone while this pass waited.
      if (retained !== undefined) this.#call = this.#open();
      // Only now: the program may have ended while this pass waited.
      const program = programs.find(name, version);
      if (program === undefined) return await Promise.race([programs.whenReplaced().then(released), early]);
      this.#checkInput(program.schemaOf(name));
      return await Promise.race([this.#conclude(this.#call.start(program, name)), early]);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      return completed({ status: 'failed', code: error.code, message: `${error.message}\n${error.next}` });
    } finally {
      admission.leave();
      suspicion.leave();
    }
  }

  /** An event starts runs too, and its payload was not checked at a submit. Throws `input_invalid`. */
  #checkInput(schema: string | undefined): void {
    if (schema === undefined || this.#call.journal.length() > 0) return;
    const { inputs, input, payload } = this.#assignment.envelope as { inputs?: Json; input?: Json; payload?: Json };
    acceptInput(schema, inputs ?? input ?? payload ?? null);
  }

  async #conclude(ended: Promise<FunctionEnd>): Promise<PassEnd> {
    const end = await ended;
    const { journal } = this.#call;
    journal.freeze();
    const { suspects } = this.#deps;
    const { activity_id } = this.#assignment;
    if ('lost' in end) {
      // Only a pass that certainly was the cause is counted.
      const is_cause = end.is_single || suspects.has(activity_id);
      suspects.add(activity_id);
      if (!is_cause) return { end: 'released' };
      const { code, message, next } = workerKilled('the program of the worker ended repeatedly without progress');
      const otherwise: Completion = { status: 'failed', code, message: `${message}\n${next}` };
      return { end: 'interrupted', at: journal.length(), otherwise };
    }
    suspects.clear(activity_id);
    if ('error' in end) {
      const { code, exit_code, final, text } = end.error;
      return completed({
        status: 'failed',
        code: code === inputInvalid.code ? code : functionFailed.code,
        message: text,
        ...(exit_code !== undefined && { exit_code }),
        ...(final === true && { final }),
      });
    }
    const staged = journal.success();
    if (staged.status === 'failed' || end.output === undefined) return completed(staged);
    const excess_bytes = Buffer.byteLength(end.output) - MAX_STEP_OUTPUT_BYTES;
    if (excess_bytes <= 0) return completed({ status: 'succeeded', output: parseExact(end.output) as Json });
    const message = `the function returned ${excess_bytes} bytes more than the ${MAX_STEP_OUTPUT_BYTES} allowed for an output; store large data elsewhere, for example as an artifact, and return its name`;
    return completed({ status: 'failed', code: functionFailed.code, message });
  }
}

const released = (): PassEnd => ({ end: 'released' });

const completed = (completion: Completion): PassEnd => ({ end: 'completed', completion });

function readSpec(spec: Json): { name: string; version: string | undefined } {
  const { function: name, version = null } = (spec ?? {}) as { function?: unknown; version?: unknown };
  if (typeof name !== 'string') throw new Error('the record of the work does not contain a function');
  return { name, version: typeof version === 'string' ? version : undefined };
}
