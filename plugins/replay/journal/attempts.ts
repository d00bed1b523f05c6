import { endOfOutput, type JournalRecord, PARKED_PAUSE_MS, pauseAfter, startOfMessage } from '../../runs/contract.ts';
import type { OpenSite, RecordedOutcome, ReplayedPass, TriedAttempt } from '../contract.ts';
import { mismatch, type Recording } from '../domain/determinism.ts';
import type { Site } from './calls.ts';
import type { PassState } from './pass-state.ts';
import type { ShownCall } from './shown-call.ts';
import { violation } from './refusals.ts';

/** The attempts of calls that are tried again: those of earlier passes, and those that fail in this one. */
export class Attempts {
  readonly #pass: ReplayedPass;
  readonly #state: PassState;
  readonly #stored: () => Promise<unknown>;

  /** `stored` is settled when every record so far is durable. */
  constructor(pass: ReplayedPass, state: PassState, stored: () => Promise<unknown>) {
    this.#pass = pass;
    this.#state = state;
    this.#stored = stored;
  }

  /** What was tried at a position that has no record, as the record that it will get. */
  at(position: number): JournalRecord | undefined {
    const { tried } = this.#pass.assignment;
    if (tried?.position !== position) return undefined;
    const { kind, name, ordinal } = tried;
    return { position, kind, name, ordinal, digest: '', exit_code: 0, output: '', started_at: 0 };
  }

  /** Ends the pass when another call was tried at this position. */
  check(site: Site, recording: Recording): void {
    const tried = this.at(site.position);
    const message = tried && mismatch(tried, site, recording);
    if (message !== undefined) this.#state.end({ end: 'completed', completion: violation(message) });
  }

  /** The call begins. */
  of(site: Site, shown: ShownCall): Pick<OpenSite, 'tried' | 'rest' | 'begins' | 'again'> {
    const { tried } = this.#pass.assignment;
    let started_at = this.#pass.clock.now();
    const own = tried?.position === site.position ? tried : undefined;
    // One that was tried before may have to pause first.
    if (own === undefined) shown.begin();
    return {
      tried: own?.attempts ?? 0,
      rest: () => this.#rest(own?.pause_ms ?? 0),
      begins: (attempt, attempts) => shown.begin({ attempt, attempts }),
      again: async (failed, attempt) => {
        shown.end();
        await this.#again(site, failed, { ...attempt, started_at });
        started_at = this.#pass.clock.now();
      },
    };
  }

  async #again(
    site: Site,
    failed: RecordedOutcome,
    { attempt, policy, started_at }: TriedAttempt & { started_at: number },
  ): Promise<void> {
    const { host, flushLog } = this.#pass;
    const pause_ms = pauseAfter(attempt, policy);
    const park = pause_ms >= PARKED_PAUSE_MS;
    // What a process reports while it is being killed is no outcome.
    this.#state.check();
    await this.#stored();
    if (park) await flushLog();
    this.#state.check();
    const { exit_code } = failed;
    const output = endOfOutput(host.masker.bytes(failed.output)).toString('base64');
    const message = failed.message && startOfMessage(host.masker.text(failed.message));
    const kept = {
      ...site,
      attempt,
      attempts: policy.attempts,
      exit_code,
      output,
      message,
      pause_ms,
      park,
      started_at,
    };
    const answer = await this.#state.asked(() => host.attempt(kept), 'fatal');
    if ('parked' in answer) this.#state.end({ end: 'parked' });
    await this.#rest(pause_ms);
  }

  async #rest(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((over) => void this.#pass.clock.after(ms, over));
    this.#state.check();
  }
}
