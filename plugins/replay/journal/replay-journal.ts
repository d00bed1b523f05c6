import { failpoint, isServiceError } from '../../../kernel/contracts/index.ts';
import { type Completion, type JournalRecord, type Json, siteOf } from '../../runs/contract.ts';
import type {
  JournalAnswer,
  KeptPlace,
  OpenReplay,
  OpenSite,
  PassJournal,
  RecordedOutcome,
  ReplayedPass,
  SiteCall,
} from '../contract.ts';
import { CallerGone, idempotencyKey } from '../contract.ts';
import { endedEarly, mismatch, type Recording } from '../domain/determinism.ts';
import { linesOf } from '../domain/source-lines.ts';
import { Attempts } from './attempts.ts';
import { type Caller, done, type Made, recordOf, type Settle, type Site } from './calls.ts';
import { PassState } from './pass-state.ts';
import { type ShownCall, shownWhile } from './shown-call.ts';
import { Sites } from './sites.ts';
import { refusalOutcome, violation } from './refusals.ts';
import { StagedOutput } from './staged-output.ts';
import { Turns } from './turns.ts';

/** How long the script may take to be seen dead after one of its verb clients is. */
const DEATH_NOTICE_MS = 250;
/** Outputs whose records are not durable yet; a script may run thousands of steps at once, and the next then waits. */
const UNSTORED_BYTES = 32 * 1024 * 1024;
/** What a shell says of a process that was killed by SIGKILL. */
const KILLED = 137;

/**
 * The journal during one pass: what is recorded is answered, in order and guarded; what is new is made durable
 * before it is answered. Calls are served one at a time.
 */
export class ReplayJournal implements OpenReplay {
  readonly #pass: ReplayedPass;
  readonly #records: JournalRecord[];
  readonly #claimed: number;
  readonly #state: PassState;
  readonly #turns = new Turns();
  readonly #sites: Sites;
  readonly #output = new StagedOutput();
  readonly #attempts: Attempts;
  #next = 0;
  #annotations = 0;
  /** Until every record so far is durable. */
  #stored: Promise<unknown> = Promise.resolve();
  /** Bytes of the outputs of those that are not. */
  #unstored = 0;
  #abandoned: { site: Site; started_at: number; since: number; settle: Settle } | undefined;

  constructor(pass: ReplayedPass) {
    this.#pass = pass;
    this.#state = new PassState(pass);
    this.#sites = new Sites(pass.host.masker);
    this.#records = [...pass.assignment.journal];
    this.#claimed = this.#records.length;
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
    const next = this.#records[this.#next] ?? this.#attempts.at(this.#next);
    if (next !== undefined) {
      this.#pass.host.dry?.differs(next, undefined);
      return violation(endedEarly(next, this.#recording()));
    }
    return { status: 'succeeded', output: this.#output.values() as Json };
  }

  #recording(): Recording {
    const { assignment, source } = this.#pass;
    return { run_id: assignment.run_id, source: source(), records: this.#records };
  }

  for(alive: () => boolean): PassJournal {
    const { run_id, activity_id } = this.#pass.assignment;
    const caller: Caller = { alive, kept: undefined };
    return {
      run_id,
      activity_id,
      job: this.#job,
      mask: (name) => this.#pass.host.masker.text(name),
      durable: (site, work, settle) =>
        this.#call(caller, site, false, (open) =>
          shownWhile(this.#pass.host, open, (shown) => this.#record(open, work, settle, shown)),
        ),
      perform: (site, args) => this.#call(caller, site, false, (open) => this.#perform(open, args)),
      wait: (site, wait) => this.#call(caller, site, true, (open) => this.#wait(open, wait)),
      ahead: {
        keep: (wanted) => this.#keep(caller, wanted),
        made: () => this.#next,
        calls: (from, most) => this.#records.slice(from, Math.min(this.#next, from + most)),
      },
      stageOutput: (values) => this.#output.stage(values),
      annotate: (text) => this.#annotate(text),
    };
  }

  get #job(): string {
    const { assignment, job = assignment.activity_id } = this.#pass;
    return job;
  }

  #keep(caller: Caller, wanted: () => void): KeptPlace | undefined {
    const { dry, masker } = this.#pass.host;
    const tried = this.#attempts.at(this.#next) !== undefined;
    const unread = tried || this.#next < this.#records.length || this.#abandoned !== undefined;
    if (!this.#goesOn() || unread || dry !== undefined || !masker.idle) return undefined;
    const kept = this.#turns.keep(wanted);
    if (kept === undefined) return undefined;
    caller.kept = kept;
    const lasts = () => !kept.wanted && this.#goesOn();
    return {
      get lasts() {
        return lasts();
      },
      release: () => {
        if (caller.kept === kept) caller.kept = undefined;
        kept.release();
      },
    };
  }

  /** False when nothing new may be begun: an agent that was suspended or cut off may have lost its claim by now. */
  #goesOn(): boolean {
    return !this.#state.over && this.#pass.host.held?.() !== false;
  }

  async #call(
    caller: Caller,
    call: SiteCall,
    parks: boolean,
    make: (site: Site) => Promise<Made>,
  ): Promise<JournalAnswer> {
    const { answer, stored } = await (caller.kept ?? this.#turns).take(async () => {
      this.#passOn(caller.alive);
      await this.#settleAbandoned();
      this.#passOn(caller.alive);
      const recorded = this.#records[this.#next];
      const site = this.#sites.at(this.#next, call, recorded ?? this.#attempts.at(this.#next));
      if (recorded !== undefined) return { answer: this.#replay(recorded, site, parks), stored: undefined };
      this.#attempts.check(site, this.#recording());
      this.#stayDry(site);
      await this.#pass.begins?.(site);
      const { record, stored } = await make(site);
      this.#records.push(record);
      this.#next = this.#sites.after(site);
      return { answer: { record, replayed: false }, stored };
    });
    await stored;
    return answer;
  }

  #passOn(alive: () => boolean): void {
    this.#state.check();
    if (!alive()) throw new CallerGone();
  }

  #replay(recorded: JournalRecord, site: Site, parks: boolean): JournalAnswer {
    const message = mismatch(recorded, site, this.#recording());
    if (message !== undefined) {
      this.#pass.host.dry?.differs(recorded, this.#placed(site));
      this.#state.end({ end: 'completed', completion: violation(message) });
    }
    this.#pass.host.dry?.read(recorded);
    this.#next = this.#sites.after(site);
    // The outcome that woke this activity is news: the pass that began the wait did not live to print it.
    return { record: recorded, replayed: !(parks && recorded.position === this.#claimed - 1) };
  }

  /** A dry replay ends where something would be carried out. */
  #stayDry(site: Site): void {
    const { dry } = this.#pass.host;
    if (!dry) return;
    dry.beyond(this.#placed(site));
    this.#state.lose();
  }

  #placed(site: Site) {
    const { kind, name, ordinal } = site;
    return { kind, name, ordinal, lines: linesOf(this.#pass.source(), site).map(({ number }) => number) };
  }

  async #record(
    site: Site,
    work: (at: OpenSite) => Promise<RecordedOutcome>,
    settle: Settle,
    shown: ShownCall,
  ): Promise<Made> {
    // An agent that was suspended or cut off may be on its own by now: another may run this very step.
    if (this.#pass.host.held?.() === false) this.#state.lose();
    const started_at = this.#pass.clock.now();
    const key = idempotencyKey({ run_id: this.#pass.assignment.run_id, job: this.#job }, site);
    let outcome: RecordedOutcome;
    try {
      outcome = await work({ position: site.position, ordinal: site.ordinal, key, ...this.#attempts.of(site, shown) });
    } catch (error) {
      if (error instanceof CallerGone && !this.#state.over)
        this.#abandoned = { site, started_at, since: this.#pass.clock.monotonic(), settle };
      if (!isServiceError(error) || error.status >= 500) throw error;
      outcome = refusalOutcome(error);
    }
    failpoint('replay.call.made');
    // What a process reports while it is being killed is no outcome.
    this.#state.check();
    return await this.#append(site, started_at, outcome, settle);
  }

  /**
   * The next call need not wait until the record is durable, but its own caller does. Unless too much waits already: then this
   * call keeps its turn until it is stored, which depends on no other call.
   */
  async #append(site: Site, started_at: number, outcome: RecordedOutcome, settle: Settle): Promise<Made> {
    if (settle !== undefined) {
      await this.#stored;
      const call = { ...site, args: settle(outcome) as never, started_at };
      const settled = await this.#state.asked(() => this.#pass.host.perform(call), 'fatal');
      failpoint('replay.call.recorded');
      return done(settled);
    }
    const bytes = outcome.output.length;
    if (this.#unstored + bytes > UNSTORED_BYTES) {
      await this.#stored;
      this.#state.check();
    }
    const record = recordOf(site, started_at, outcome);
    this.#unstored += bytes;
    const stored = this.#state
      .asked(() => this.#pass.host.append(record), 'fatal')
      .finally(() => void (this.#unstored -= bytes))
      .then(() => failpoint('replay.call.recorded'));
    this.#stored = Promise.all([this.#stored, stored]);
    // Whoever waits for it has the error, and the pass is over with it.
    this.#stored.catch(() => undefined);
    return { record, stored };
  }

  #perform(site: Site, given: unknown): Promise<Made> {
    return this.#orRefusal(site, async (started_at) => {
      const call = { ...site, args: await this.#argsOf(given), started_at };
      return await this.#state.asked(() => this.#pass.host.perform(call), 'refusal');
    });
  }

  /**
   * What the service refuses at a place is the outcome of that place: a script may go on after it, and the next pass must
   * find there what this one did.
   */
  async #orRefusal(site: Site, work: (started_at: number) => Promise<JournalRecord>): Promise<Made> {
    const started_at = this.#pass.clock.now();
    try {
      return done(await work(started_at));
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      this.#state.check();
      return await this.#append(site, started_at, refusalOutcome(error), undefined);
    }
  }

  async #wait(site: Site, wait: { args: unknown; timeout_ms?: number }): Promise<Made> {
    await this.#pass.flushLog();
    this.#state.check();
    return await this.#orRefusal(site, async (started_at) => {
      const arm = { ...site, args: await this.#argsOf(wait.args), timeout_ms: wait.timeout_ms, started_at };
      const answer = await this.#state.asked(() => this.#pass.host.park(arm), 'refusal');
      if ('record' in answer) return answer.record;
      failpoint('replay.wait.parked');
      this.#state.end({ end: 'parked' });
    });
  }

  async #argsOf(given: unknown): Promise<never> {
    const args: unknown = typeof given === 'function' ? await (given as () => unknown)() : given;
    await this.#stored;
    this.#state.check();
    return args as never;
  }

  async #annotate(text: string): Promise<void> {
    this.#state.check();
    const nth = this.#annotations++;
    await this.#state.asked(() => this.#pass.host.annotate(nth, text), 'refusal');
  }

  /**
   * A verb client that was killed in the middle of a call leaves a place without a record. When the script lives on
   * it has seen its child die of SIGKILL, so that is what later passes must see too; when the script died with it,
   * nothing happened that another pass could not repeat.
   */
  async #settleAbandoned(): Promise<void> {
    const abandoned = this.#abandoned;
    if (abandoned === undefined) return;
    const left = DEATH_NOTICE_MS - (this.#pass.clock.monotonic() - abandoned.since);
    if (left > 0) await new Promise<void>((done) => void this.#pass.clock.after(left, done));
    this.#state.check();
    const message = 'the verb client was killed before the outcome was known';
    const outcome = { exit_code: KILLED, output: Buffer.alloc(0), message };
    const { record, stored } = await this.#append(abandoned.site, abandoned.started_at, outcome, abandoned.settle);
    await stored;
    this.#records.push(record);
    this.#next = this.#sites.after(abandoned.site);
    this.#abandoned = undefined;
  }
}
