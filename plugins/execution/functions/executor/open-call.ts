import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import { type JournalRecord, siteOf } from '../../../engine/runs/contract.ts';
import type { ActivityHost, Assignment, PassEnd } from '../../agents/contract.ts';
import { type RetainedWait, type OpenReplay, PassEnded, type Replay } from '../../replay/contract.ts';
import type { PassCallers, ServedCaller } from '../../scripts/contract.ts';
import { CurrentHost } from './current-host.ts';
import { bytesOf, journalBytes } from './journal-bytes.ts';
import type { RetainedCalls } from './retained-calls.ts';
import type { FunctionEnd, FunctionProgram } from './program.ts';
import { ReportedPass } from './reported-pass.ts';

export interface OpenCallDeps {
  callers: PassCallers;
  replay: Replay;
  clock: Clock;
  retained: RetainedCalls;
}

/** Why a pass ends before its function does. */
export type EarlyEnd = { end: PassEnd } | { error: unknown };

/** The pass that a call belongs to at the moment. */
export interface CallOwner {
  endEarly(early: EarlyEnd): void;
  /** The function has come to a wait, the run is parked, and the call is kept for the next pass. */
  retained(): void;
}

/** A call with a journal of more than this is not kept. */
const MAX_RETAINED_JOURNAL_BYTES = 1024 * 1024;

/**
 * One call of a workflow's function, with its journal. It belongs to one pass after the other while it is kept at waits; in
 * between it has no claim, records nothing and gets no answers.
 */
export class OpenCall {
  readonly journal: OpenReplay;
  readonly #deps: OpenCallDeps;
  readonly #host: CurrentHost;
  readonly #reported: ReportedPass;
  readonly #ended = Promise.withResolvers<FunctionEnd>();
  #assignment: Assignment;
  #owner: CallOwner | undefined;
  #caller: ServedCaller | undefined;
  #program: FunctionProgram | undefined;
  #closeProgram = (): void => undefined;
  /** The wait at which it is kept, and what continues after it. */
  #wait: (RetainedWait & PromiseWithResolvers<JournalRecord>) | undefined;
  #has_ended = false;
  #is_dropped = false;

  constructor(deps: OpenCallDeps, assignment: Assignment, host: ActivityHost, owner: CallOwner) {
    this.#deps = deps;
    this.#assignment = assignment;
    this.#owner = owner;
    this.#host = new CurrentHost(host, journalBytes(assignment.journal));
    this.#reported = new ReportedPass(this.#host);
    this.journal = deps.replay.open({
      assignment,
      host: this.#journalHost(host),
      clock: deps.clock,
      source: () => '',
      flushLog: async () => undefined,
      onCallBegin: (call) => {
        this.#host.setLogSite(siteOf(call));
        return undefined;
      },
      retainWait: (wait) => this.#retain(wait),
      endPass: (end) => this.#owner?.endEarly({ end }),
      onServiceError: (error) => this.#owner?.endEarly({ error }),
    });
  }

  #journalHost({ dryReplay }: ActivityHost) {
    const { append, perform, park, attempt, annotate, hasClaim, masker } = this.#host;
    const host = { append, perform, park, attempt, annotate, hasClaim, masker, reportCall: this.#reported.begin };
    return dryReplay === undefined ? host : { ...host, dryReplay };
  }

  get assignment(): Assignment {
    return this.#assignment;
  }

  get isDropped(): boolean {
    return this.#is_dropped;
  }

  /** Calls the function. Resolves with how it ended, which may be in a later pass. */
  start(program: FunctionProgram, name: string): Promise<FunctionEnd> {
    const pass = program.openPass({
      name,
      isRetained: () => this.#wait !== undefined,
      onRetire: () => this.#dropIfRetained(),
      onBlocked: (functions) => {
        if (!this.#has_ended) this.#reported.block(functions, this.journal.length());
      },
      onUnblocked: () => this.#reported.unblock(),
      onEnd: (end) => this.#onEnd(end),
      onLog: (stream, text) => {
        if (!this.#has_ended) this.#host.log(stream, Buffer.from(text));
      },
    });
    this.#program = program;
    this.#closeProgram = pass.close;
    const { callers } = this.#deps;
    const assignment = this.#assignment;
    this.#caller = callers.serve({ assignment, host: this.#host, journal: this.journal, stream: pass.stream });
    pass.start({
      name,
      run_id: assignment.run_id,
      envelope: JSON.stringify(assignment.envelope),
      greeting: this.#caller.greeting,
      ...callers.variables(assignment),
    });
    return this.#ended.promise;
  }

  /**
   * Whether the function can continue where it waits. The journal decides: it must have the record of that very wait, and
   * nothing else since. What the function has in its memory must be what a replay would give it.
   */
  fits({ epoch, journal, tried, environment }: Assignment): boolean {
    const wait = this.#wait;
    const record = journal.at(-1);
    if (wait === undefined || record === undefined || tried !== undefined) return false;
    if (epoch !== this.#assignment.epoch + 1 || journal.length !== wait.position + 1) return false;
    const is_same = (['position', 'kind', 'name', 'ordinal'] as const).every(
      (member) => record[member] === wait[member],
    );
    return is_same && isDeepStrictEqual(environment, this.#assignment.environment);
  }

  /** A pass takes over the call that it has found kept. */
  attach(assignment: Assignment, host: ActivityHost, owner: CallOwner): void {
    this.#assignment = assignment;
    this.#owner = owner;
    this.#host.attach(host);
  }

  /** Answers the wait with its record. Resolves as `start` does. */
  resume(): Promise<FunctionEnd> {
    const record = this.#assignment.journal.at(-1)!;
    this.#host.journal_bytes += bytesOf(record);
    this.#wait!.resolve(record);
    this.#wait = undefined;
    return this.#ended.promise;
  }

  /** Stops recording, and tells the program that no answer will come. */
  stop(): void {
    this.journal.freeze();
    this.#caller?.cancelCalls();
    this.#has_ended = true;
    this.#wait?.reject(new PassEnded());
  }

  /** Lets go of the function, unless another pass has it, or it is kept for one. */
  release(owner: CallOwner): void {
    this.#has_ended ||= this.#owner === owner;
    if (this.#owner === owner) this.#closeProgram();
  }

  /** Lets go of the function while it is kept, or before it continues. */
  drop(): void {
    if (this.#is_dropped) return;
    this.#is_dropped = true;
    this.stop();
    this.#wait = undefined;
    this.#closeProgram();
  }

  #retain(wait: RetainedWait): Promise<JournalRecord> | undefined {
    const { retained } = this.#deps;
    const owner = this.#owner;
    const is_lean = this.#host.journal_bytes <= MAX_RETAINED_JOURNAL_BYTES;
    if (owner === undefined || this.#has_ended || !is_lean || !retained.isOpen || this.#program?.isCurrent !== true)
      return undefined;
    const { position, kind, name, ordinal } = wait;
    this.#wait = { position, kind, name, ordinal, ...Promise.withResolvers<JournalRecord>() };
    this.#owner = undefined;
    this.#host.detach();
    retained.add(this);
    owner.retained();
    return this.#wait.promise;
  }

  /** A function that ends while its run waits did not wait for its call; the next pass decides what comes of that. */
  #onEnd(end: FunctionEnd): void {
    if (this.#wait === undefined) {
      if (!('lost' in end) && Number.isSafeInteger(end.repeated)) this.#caller?.repeat(end.repeated!);
      this.#ended.resolve(end);
    } else this.#dropIfRetained();
  }

  #dropIfRetained(): void {
    if (this.#wait === undefined) return;
    // A pass may have taken it, and waits for its turn.
    if (this.#owner === undefined) this.#deps.retained.drop(this.#assignment.activity_id);
    else this.drop();
  }
}
