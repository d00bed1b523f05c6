import { failpoint, isServiceError } from '../../../../kernel/contracts/index.ts';
import { type Completion, type JournalRecord, type Json, siteOf } from '../../../engine/runs/contract.ts';
import type {
  JournalResult,
  CallReservation,
  OpenReplay,
  OpenSite,
  PassJournal,
  RecordedOutcome,
  ReplayedPass,
  SiteCall,
} from '../contract.ts';
import { CallerClosed, idempotencyKey } from '../contract.ts';
import { describeEarlyEnd, describeMismatch, type Recording } from '../domain/determinism.ts';
import { findLines } from '../domain/source-lines.ts';
import { Attempts } from './attempts.ts';
import { type Caller, durableResult, type CallResult, toRecord, type BuildArgs, type Site } from './calls.ts';
import { PassState } from './pass-state.ts';
import { type ReportedCall, reportWhile } from './reported-call.ts';
import { Sites } from './sites.ts';
import { rejectionOutcome, violationCompletion } from './rejections.ts';
import { StagedOutput } from './staged-output.ts';
import { Mutex } from './mutex.ts';

/** How long after the death of a verb client the script may still appear alive. */
const DEATH_NOTICE_MS = 250;
/**
 * Maximum bytes of outputs whose records are not durable yet. A script may run thousands of steps at once; the next
 * one then waits.
 */
const MAX_UNSTORED_BYTES = 32 * 1024 * 1024;
/** What a record has in a page besides its output. */
const RECORD_BYTES = 128;
/** The exit code that a shell reports for a process killed by SIGKILL. */
const EXIT_KILLED = 137;

/**
 * The journal during one pass. Recorded calls are answered in order, guarded for determinism; new ones are made
 * durable before they are answered. Calls are served one at a time.
 */
export class ReplayJournal implements OpenReplay {
  readonly #pass: ReplayedPass;
  readonly #records: JournalRecord[];
  readonly #claimed_count: number;
  readonly #state: PassState;
  readonly #mutex = new Mutex();
  readonly #sites: Sites;
  readonly #output = new StagedOutput();
  readonly #attempts: Attempts;
  #next = 0;
  #annotations = 0;
  /** Resolves when every record so far is durable. */
  #stored: Promise<unknown> = Promise.resolve();
  /** Bytes of the outputs whose records are not durable yet. */
  #unstored_bytes = 0;
  #abandoned: { site: Site; started_at: number; since: number; settle: BuildArgs } | undefined;

  constructor(pass: ReplayedPass) {
    this.#pass = pass;
    this.#state = new PassState(pass);
    this.#sites = new Sites(pass.host.masker);
    this.#records = [...pass.assignment.journal];
    this.#claimed_count = this.#records.length;
    this.#attempts = new Attempts(pass, this.#state, () => this.#stored);
  }

  freeze(): void {
    this.#state.freeze();
  }

  failure(): ReturnType<OpenReplay['failure']> {
    const last = this.#next === 0 ? undefined : this.#records[this.#next - 1];
    if (last === undefined || last.exit_code === 0) return undefined;
    return { site: siteOf(last), exit_code: last.exit_code, message: last.message };
  }

  length(): number {
    return this.#records.length;
  }

  success(): Completion {
    const next = this.#records[this.#next] ?? this.#attempts.attemptedRecord(this.#next);
    if (next !== undefined) {
      this.#pass.host.dryReplay?.onDivergence(next, undefined);
      return violationCompletion(describeEarlyEnd(next, this.#recording()));
    }
    return { status: 'succeeded', output: this.#output.values() as Json };
  }

  #recording(): Recording {
    const { assignment, source } = this.#pass;
    return { run_id: assignment.run_id, source: source(), records: this.#records };
  }

  for(alive: () => boolean): PassJournal {
    const { run_id, activity_id } = this.#pass.assignment;
    const caller: Caller = { alive, reservation: undefined };
    const { masker } = this.#pass.host;
    return {
      get masks() {
        return !masker.idle;
      },
      run_id,
      activity_id,
      job: this.#job,
      mask: (name) => this.#pass.host.masker.text(name),
      durable: (site, work, settle) =>
        this.#call(caller, site, false, (open) =>
          reportWhile(this.#pass.host, open, (report) => this.#record(open, work, settle, report)),
        ),
      perform: (site, args) => this.#call(caller, site, false, (open) => this.#perform(open, args)),
      wait: (site, wait) => this.#call(caller, site, true, (open) => this.#wait(open, wait)),
      pipeline: {
        reserve: (wanted) => this.#reserve(caller, wanted),
        callCount: () => this.#next,
        calls: (from, most) => this.#records.slice(from, Math.min(this.#next, from + most)),
      },
      recorded: {
        count: this.#claimed_count,
        page: (from, limit) => this.#page(from, limit),
        repeat: (count) => this.#repeat(count),
      },
      stageOutput: (values) => this.#output.stage(values),
      annotate: (text) => this.#annotate(text),
    };
  }

  #page(from: number, limit: number): readonly JournalRecord[] {
    let bytes = 0;
    let to = from;
    while (to < this.#claimed_count && bytes < limit) bytes += this.#records[to++]!.output.length + RECORD_BYTES;
    return this.#records.slice(from, to);
  }

  #repeat(count: number): boolean {
    const repeated = this.#records.slice(this.#next, Math.min(this.#next + count, this.#claimed_count));
    if (repeated.length < count || repeated.some(({ kind }) => kind !== 'step')) return false;
    for (const { position, kind, name, ordinal, digest } of repeated)
      this.#next = this.#sites.advance({ position, kind, name, ordinal, digest });
    return true;
  }

  get #job(): string {
    const { assignment, job = assignment.activity_id } = this.#pass;
    return job;
  }

  #reserve(caller: Caller, wanted: () => void): CallReservation | undefined {
    const { dryReplay, masker } = this.#pass.host;
    const attempted = this.#attempts.attemptedRecord(this.#next) !== undefined;
    const has_unread = attempted || this.#next < this.#records.length || this.#abandoned !== undefined;
    if (!this.#canBegin() || has_unread || dryReplay !== undefined || !masker.idle) return undefined;
    const reservation = this.#mutex.reserve(wanted);
    if (reservation === undefined) return undefined;
    caller.reservation = reservation;
    const lasts = () => !reservation.isContended && this.#canBegin();
    return {
      get isValid() {
        return lasts();
      },
      release: () => {
        if (caller.reservation === reservation) caller.reservation = undefined;
        reservation.release();
      },
    };
  }

  /**
   * False when nothing new may begin, because an agent that was suspended or cut off may have lost its claim by now.
   */
  #canBegin(): boolean {
    const { host } = this.#pass;
    return !this.#state.hasEnded && host.hasClaim?.() !== false && host.isPaused?.() !== true;
  }

  async #call(
    caller: Caller,
    call: SiteCall,
    parks: boolean,
    execute: (site: Site) => Promise<CallResult>,
  ): Promise<JournalResult> {
    const { answer, stored } = await (caller.reservation ?? this.#mutex).run(async () => {
      this.#assertCanCall(caller.alive);
      await this.#recordAbandoned();
      this.#assertCanCall(caller.alive);
      const recorded = this.#records[this.#next];
      const site = this.#sites.assign(this.#next, call, recorded ?? this.#attempts.attemptedRecord(this.#next));
      if (recorded !== undefined) return { answer: this.#replay(recorded, site, parks), stored: undefined };
      this.#attempts.assertSameCall(site, this.#recording());
      this.#endDryReplay(site);
      await this.#endIfPaused();
      await this.#pass.onCallBegin?.(site);
      const { record, stored } = await execute(site);
      this.#records.push(record);
      this.#next = this.#sites.advance(site);
      return { answer: { record, replayed: false }, stored };
    });
    await stored;
    return answer;
  }

  #assertCanCall(alive: () => boolean): void {
    this.#state.assertRunning();
    if (!alive()) throw new CallerClosed();
  }

  #replay(recorded: JournalRecord, site: Site, parks: boolean): JournalResult {
    const message = describeMismatch(recorded, site, this.#recording());
    if (message !== undefined) {
      this.#pass.host.dryReplay?.onDivergence(recorded, this.#withLines(site));
      this.#state.end({ end: 'completed', completion: violationCompletion(message) });
    }
    this.#pass.host.dryReplay?.onRecorded(recorded);
    this.#next = this.#sites.advance(site);
    // The outcome that woke this activity is new: the pass that began the wait did not live to print it.
    return { record: recorded, replayed: !(parks && recorded.position === this.#claimed_count - 1) };
  }

  /** Ends a dry replay where something would be executed. */
  #endDryReplay(site: Site): void {
    const { dryReplay } = this.#pass.host;
    if (!dryReplay) return;
    dryReplay.onNewCall(this.#withLines(site));
    this.#state.endLost();
  }

  /** A paused run begins no new call: its pass ends, and the next one makes the call. The answer to a record may say so. */
  async #endIfPaused(): Promise<void> {
    const { host } = this.#pass;
    if (host.isPaused?.() !== true) return;
    await this.#stored;
    this.#state.assertRunning();
    failpoint('replay.call.paused');
    this.#state.end({ end: 'released' });
  }

  #withLines(site: Site) {
    const { kind, name, ordinal } = site;
    return { kind, name, ordinal, lines: findLines(this.#pass.source(), site).map(({ number }) => number) };
  }

  async #record(
    site: Site,
    work: (at: OpenSite) => Promise<RecordedOutcome>,
    settle: BuildArgs,
    shown: ReportedCall,
  ): Promise<CallResult> {
    // If the agent was suspended or cut off, another agent may by now be running this very step.
    if (this.#pass.host.hasClaim?.() === false) this.#state.endLost();
    const started_at = this.#pass.clock.now();
    const key = idempotencyKey({ run_id: this.#pass.assignment.run_id, job: this.#job }, site);
    let outcome: RecordedOutcome;
    try {
      outcome = await work({
        position: site.position,
        ordinal: site.ordinal,
        key,
        ...this.#attempts.begin(site, shown),
      });
    } catch (error) {
      if (error instanceof CallerClosed && !this.#state.hasEnded)
        this.#abandoned = { site, started_at, since: this.#pass.clock.monotonic(), settle };
      if (!isServiceError(error) || error.status >= 500) throw error;
      outcome = rejectionOutcome(error);
    }
    failpoint('replay.call.made');
    // What a process reports while it is being killed is no outcome.
    this.#state.assertRunning();
    return await this.#append(site, started_at, outcome, settle);
  }

  /**
   * Appends a record. The next call need not wait until the record is durable, but its own caller does. If too many
   * bytes wait already, this call occupies the journal until it is stored, which depends on no other call.
   */
  async #append(site: Site, started_at: number, outcome: RecordedOutcome, settle: BuildArgs): Promise<CallResult> {
    if (settle !== undefined) {
      await this.#stored;
      const call = { ...site, args: settle(outcome) as never, started_at };
      const record = await this.#state.request(() => this.#pass.host.perform(call), 'fatal');
      failpoint('replay.call.recorded');
      return durableResult(record);
    }
    const bytes = outcome.output.length;
    if (this.#unstored_bytes + bytes > MAX_UNSTORED_BYTES) {
      await this.#stored;
      this.#state.assertRunning();
    }
    const record = toRecord(site, started_at, outcome);
    this.#unstored_bytes += bytes;
    const stored = this.#state
      .request(() => this.#pass.host.append(record), 'fatal')
      .finally(() => void (this.#unstored_bytes -= bytes))
      .then(() => failpoint('replay.call.recorded'));
    this.#stored = Promise.all([this.#stored, stored]);
    // The caller that waits for the record handles the error, which has also ended the pass.
    this.#stored.catch(() => undefined);
    return { record, stored };
  }

  #perform(site: Site, args_or_function: unknown): Promise<CallResult> {
    return this.#recordRejection(site, async (started_at) => {
      const call = { ...site, args: await this.#resolveArgs(args_or_function), started_at };
      return await this.#state.request(() => this.#pass.host.perform(call), 'refusal');
    });
  }

  /**
   * A rejection by the service is the outcome of that position: a script may continue after it, and the next pass
   * must find there what this one did.
   */
  async #recordRejection(site: Site, work: (started_at: number) => Promise<JournalRecord>): Promise<CallResult> {
    const started_at = this.#pass.clock.now();
    try {
      return durableResult(await work(started_at));
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      this.#state.assertRunning();
      return await this.#append(site, started_at, rejectionOutcome(error), undefined);
    }
  }

  async #wait(site: Site, wait: { args: unknown; timeout_ms?: number }): Promise<CallResult> {
    await this.#pass.flushLog();
    this.#state.assertRunning();
    return await this.#recordRejection(site, async (started_at) => {
      const arm = { ...site, args: await this.#resolveArgs(wait.args), timeout_ms: wait.timeout_ms, started_at };
      const reply = await this.#state.request(() => this.#pass.host.park(arm), 'refusal');
      if ('record' in reply) return reply.record;
      failpoint('replay.wait.parked');
      const woken = this.#pass.retainWait?.(site);
      if (woken === undefined) this.#state.end({ end: 'parked' });
      return await this.#state.retainUntil(woken);
    });
  }

  async #resolveArgs(given: unknown): Promise<never> {
    const args: unknown = typeof given === 'function' ? await (given as () => unknown)() : given;
    await this.#stored;
    this.#state.assertRunning();
    return args as never;
  }

  async #annotate(text: string): Promise<void> {
    this.#state.assertRunning();
    const nth = this.#annotations++;
    await this.#state.request(() => this.#pass.host.annotate(nth, text), 'refusal');
  }

  /**
   * A verb client that was killed in the middle of a call leaves a position without a record. If the script lives on,
   * it has seen its child die of SIGKILL, so later passes must see that too. If the script died as well, nothing
   * happened that another pass could not repeat.
   */
  async #recordAbandoned(): Promise<void> {
    const abandoned = this.#abandoned;
    if (abandoned === undefined) return;
    const remaining_ms = DEATH_NOTICE_MS - (this.#pass.clock.monotonic() - abandoned.since);
    if (remaining_ms > 0) await new Promise<void>((done) => void this.#pass.clock.after(remaining_ms, done));
    this.#state.assertRunning();
    const message = 'the verb client was killed before the outcome was known';
    const outcome = { exit_code: EXIT_KILLED, output: Buffer.alloc(0), message };
    const { record, stored } = await this.#append(abandoned.site, abandoned.started_at, outcome, abandoned.settle);
    await stored;
    this.#records.push(record);
    this.#next = this.#sites.advance(abandoned.site);
    this.#abandoned = undefined;
  }
}
