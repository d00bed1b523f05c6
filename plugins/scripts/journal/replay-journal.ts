import { failpoint, isServiceError } from '../../../kernel/contracts/index.ts';
import type { PassEnd } from '../../agents/contract.ts';
import type { JournalRecord } from '../../runs/contract.ts';
import { siteOf } from '../../runs/contract.ts';
import type { OpenSite, PassJournal, RecordedOutcome, SiteCall } from '../contract.ts';
import { endedEarly, mismatch, type Replay } from '../domain/determinism.ts';
import { idempotencyKey } from '../domain/site-key.ts';
import { determinismViolation } from '../errors.ts';
import { CallerGone, PassOver } from './interruptions.ts';
import type { JournalParts } from './journal-parts.ts';
import { fatalRefusal, refusalOutcome } from './refusals.ts';
import { StagedOutput } from './staged-output.ts';
import { Turns } from './turns.ts';

interface Answer {
  record: JournalRecord;
  replayed: boolean;
}

/** A site that a call has taken and that is not recorded yet. */
type Site = Required<Pick<SiteCall, 'kind' | 'name' | 'digest'>> & {
  label?: string;
  position: number;
  ordinal: number;
};

type Settle = ((outcome: RecordedOutcome) => unknown) | undefined;

/** How long the script may take to be seen dead after one of its verb clients is. */
const DEATH_NOTICE_MS = 250;
/** What a shell says of a process that was killed by SIGKILL. */
const KILLED = 137;

/** The codes with which the server says that this claim may write nothing any more. */
const CLAIM_OVER: ReadonlySet<string> = new Set(['lease_lost', 'run_finished', 'journal_conflict']);

/**
 * The journal during one pass: what is recorded is answered, in order and guarded; what is new is made durable
 * before it is answered. Calls are served one at a time.
 */
export class ReplayJournal {
  readonly #parts: JournalParts;
  readonly #records: JournalRecord[];
  readonly #claimed: number;
  readonly #turns = new Turns();
  readonly #ordinals = new Map<string, number>();
  readonly #output = new StagedOutput();
  #next = 0;
  #annotations = 0;
  #over = false;
  #abandoned: { site: Site; started_at: number; since: number; settle: Settle } | undefined;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#records = [...parts.records];
    this.#claimed = this.#records.length;
  }

  /** From now on nothing is recorded: the processes of the pass are about to be killed, and what they report is of that. */
  freeze(): void {
    this.#over = true;
  }

  /** Staged output. */
  output(): Record<string, unknown> {
    return this.#output.values();
  }

  /** The last call, when it failed. */
  failure(): { site: string; exit_code: number; message: string | undefined } | undefined {
    const last = this.#next === 0 ? undefined : this.#records[this.#next - 1];
    if (last === undefined || last.exit_code === 0) return undefined;
    return { site: siteOf(last), exit_code: last.exit_code, message: last.message };
  }

  /** How many calls are on record. */
  length(): number {
    return this.#records.length;
  }

  /** The violation of a script that ends well now: it repeated less than what is recorded. */
  endViolation(): string | undefined {
    const next = this.#records[this.#next];
    return next === undefined ? undefined : endedEarly(next, this.#replaying());
  }

  #replaying(): Replay {
    const { run_id, source } = this.#parts;
    return { run_id, source: source(), records: this.#records };
  }

  /** The journal for one caller. `alive` tells whether it still waits: a call of a dead one takes no position. */
  for(alive: () => boolean): PassJournal {
    const { run_id, activity_id } = this.#parts;
    return {
      run_id,
      activity_id,
      durable: (site, record, settle) => this.#call(alive, site, false, (open) => this.#record(open, record, settle)),
      perform: (site, args) => this.#call(alive, site, false, (open) => this.#perform(open, args)),
      wait: (site, wait) => this.#call(alive, site, true, (open) => this.#wait(open, wait)),
      stageOutput: (values) => this.#output.stage(values),
      annotate: (text) => this.#annotate(text),
    };
  }

  #call(
    alive: () => boolean,
    call: SiteCall,
    parks: boolean,
    make: (site: Site) => Promise<JournalRecord>,
  ): Promise<Answer> {
    return this.#turns.take(async () => {
      this.#passOn(alive);
      await this.#settleAbandoned();
      this.#passOn(alive);
      const site = this.#siteOf(call);
      const recorded = this.#records[site.position];
      if (recorded !== undefined) return this.#replay(recorded, site, parks);
      const record = await make(site);
      this.#records.push(record);
      this.#advance(site);
      return { record, replayed: false };
    });
  }

  #passOn(alive: () => boolean): void {
    if (this.#over) throw new PassOver();
    if (!alive()) throw new CallerGone();
  }

  #siteOf(call: SiteCall): Site {
    const { kind, name, digest = '', label } = call;
    const ordinal = this.#ordinals.get(`${kind}\0${name}`) ?? 0;
    return { kind, name, digest, ...(label === undefined ? {} : { label }), position: this.#next, ordinal };
  }

  #advance(site: Site): void {
    this.#next = site.position + 1;
    this.#ordinals.set(`${site.kind}\0${site.name}`, site.ordinal + 1);
  }

  #replay(recorded: JournalRecord, site: Site, parks: boolean): Answer {
    const message = mismatch(recorded, site, this.#replaying());
    if (message !== undefined) return this.#violate(message);
    this.#advance(site);
    // The outcome that woke this activity is news: the pass that began the wait did not live to print it.
    return { record: recorded, replayed: !(parks && recorded.position === this.#claimed - 1) };
  }

  #violate(message: string): never {
    this.#end({ end: 'completed', completion: { status: 'failed', code: determinismViolation.code, message } });
    throw new PassOver();
  }

  async #record(site: Site, work: (at: OpenSite) => Promise<RecordedOutcome>, settle: Settle): Promise<JournalRecord> {
    // An agent that was suspended or cut off may be on its own by now: another may run this very step.
    if (this.#parts.host.held?.() === false) this.#lose();
    const started_at = this.#parts.clock.now();
    const key = idempotencyKey(this.#parts, site);
    let outcome: RecordedOutcome;
    try {
      outcome = await work({ position: site.position, ordinal: site.ordinal, key });
    } catch (error) {
      if (error instanceof CallerGone && !this.#over)
        this.#abandoned = { site, started_at, since: this.#parts.clock.monotonic(), settle };
      if (!isServiceError(error) || error.status >= 500) throw error;
      outcome = refusalOutcome(error);
    }
    failpoint('scripts.call.made');
    // What a process reports while it is being killed is no outcome.
    if (this.#over) throw new PassOver();
    return await this.#append(site, started_at, outcome, settle);
  }

  async #append(site: Site, started_at: number, outcome: RecordedOutcome, settle: Settle): Promise<JournalRecord> {
    if (settle !== undefined) {
      const call = { ...site, args: settle(outcome) as never, started_at };
      const settled = await this.#asked(() => this.#parts.host.perform(call), 'fatal');
      failpoint('scripts.call.recorded');
      return settled;
    }
    const record: JournalRecord = {
      ...site,
      exit_code: outcome.exit_code,
      output: outcome.output.toString('base64'),
      ...(outcome.message === undefined ? {} : { message: outcome.message }),
      started_at,
    };
    await this.#asked(() => this.#parts.host.append(record), 'fatal');
    failpoint('scripts.call.recorded');
    return record;
  }

  #perform(site: Site, given: unknown): Promise<JournalRecord> {
    return this.#orRefusal(site, async (started_at) => {
      const args: unknown = typeof given === 'function' ? await (given as () => unknown)() : given;
      if (this.#over) throw new PassOver();
      const call = { ...site, args: args as never, started_at };
      return await this.#asked(() => this.#parts.host.perform(call), 'refusal');
    });
  }

  /**
   * What the service refuses at a place is the outcome of that place: a script may go on after it, and the next pass must
   * find there what this one did.
   */
  async #orRefusal(site: Site, work: (started_at: number) => Promise<JournalRecord>): Promise<JournalRecord> {
    const started_at = this.#parts.clock.now();
    try {
      return await work(started_at);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      if (this.#over) throw new PassOver();
      return await this.#append(site, started_at, refusalOutcome(error), undefined);
    }
  }

  async #wait(site: Site, wait: { args: unknown; timeout_ms?: number }): Promise<JournalRecord> {
    await this.#parts.flushLog();
    if (this.#over) throw new PassOver();
    const { args, timeout_ms } = wait;
    const limit = timeout_ms === undefined ? {} : { timeout_ms };
    return await this.#orRefusal(site, async (started_at) => {
      const arm = { ...site, args: args as never, ...limit, started_at };
      const answer = await this.#asked(() => this.#parts.host.park(arm), 'refusal');
      if ('record' in answer) return answer.record;
      failpoint('scripts.wait.parked');
      this.#end({ end: 'parked' });
      throw new PassOver();
    });
  }

  async #annotate(text: string): Promise<void> {
    if (this.#over) throw new PassOver();
    const nth = this.#annotations++;
    await this.#asked(() => this.#parts.host.annotate(nth, text), 'refusal');
  }

  /**
   * Asks the host. A claim that is over ends the pass, and so does a fault of the service, which is no outcome of the
   * call. A refusal goes to the caller, unless it is `fatal`: work was done that cannot be recorded, and going on
   * would only do more of it.
   */
  async #asked<T>(ask: () => Promise<T>, refusal: 'fatal' | 'refusal'): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (this.#over) throw new PassOver();
      if (isServiceError(error) && CLAIM_OVER.has(error.code)) this.#lose();
      if (!isServiceError(error) || error.status >= 500) {
        this.#over = true;
        this.#parts.fault(error);
        throw new PassOver();
      }
      if (refusal === 'refusal') throw error;
      this.#end({ end: 'completed', completion: fatalRefusal(error) });
      throw new PassOver();
    }
  }

  /**
   * A verb client that was killed in the middle of a call leaves a place without a record. When the script lives on
   * it has seen its child die of SIGKILL, so that is what later passes must see too; when the script died with it,
   * nothing happened that another pass could not repeat.
   */
  async #settleAbandoned(): Promise<void> {
    const abandoned = this.#abandoned;
    if (abandoned === undefined) return;
    const left = DEATH_NOTICE_MS - (this.#parts.clock.monotonic() - abandoned.since);
    if (left > 0) await new Promise<void>((done) => void this.#parts.clock.after(left, done));
    if (this.#over) throw new PassOver();
    const message = 'the verb client was killed before the outcome was known';
    const outcome = { exit_code: KILLED, output: Buffer.alloc(0), message };
    this.#records.push(await this.#append(abandoned.site, abandoned.started_at, outcome, abandoned.settle));
    this.#advance(abandoned.site);
    this.#abandoned = undefined;
  }

  #lose(): never {
    this.#end({ end: 'lost' });
    throw new PassOver();
  }

  #end(end: PassEnd): void {
    this.#over = true;
    this.#parts.end(end);
  }
}
