import {
  endOfOutput,
  type JournalRecord,
  PARKED_PAUSE_MS,
  pauseAfter,
  startOfMessage,
} from '../../../engine/runs/contract.ts';
import type { OpenSite, RecordedOutcome, ReplayedPass, FailedAttemptInfo } from '../contract.ts';
import { describeMismatch, type Recording } from '../domain/determinism.ts';
import type { Site } from './calls.ts';
import type { PassState } from './pass-state.ts';
import type { ReportedCall } from './reported-call.ts';
import { violationCompletion } from './rejections.ts';

/** Attempts of calls that are retried, both those of earlier passes and those that fail in this one. */
export class Attempts {
  readonly #pass: ReplayedPass;
  readonly #state: PassState;
  readonly #stored: () => Promise<unknown>;

  /** `stored` resolves when every record so far is durable. */
  constructor(pass: ReplayedPass, state: PassState, stored: () => Promise<unknown>) {
    this.#pass = pass;
    this.#state = state;
    this.#stored = stored;
  }

  /** Returns the call that was attempted at a position without a record, in the form of the record that it will get. */
  attemptedRecord(position: number): JournalRecord | undefined {
    const { tried } = this.#pass.assignment;
    if (tried?.position !== position) return undefined;
    const { kind, name, ordinal } = tried;
    return { position, kind, name, ordinal, digest: '', exit_code: 0, output: '', started_at: 0 };
  }

  /** Ends the pass when another call was attempted at this position. */
  assertSameCall(site: Site, recording: Recording): void {
    const attempted = this.attemptedRecord(site.position);
    const message = attempted && describeMismatch(attempted, site, recording);
    if (message !== undefined) this.#state.end({ end: 'completed', completion: violationCompletion(message) });
  }

  /** Called when the call begins. */
  begin(
    site: Site,
    report: ReportedCall,
  ): Pick<OpenSite, 'failed_attempts' | 'waitForPause' | 'reportAttempt' | 'recordFailure'> {
    const { tried } = this.#pass.assignment;
    let started_at = this.#pass.clock.now();
    const previous = tried?.position === site.position ? tried : undefined;
    // A call that was attempted before may have to pause first.
    if (previous === undefined) report.begin();
    return {
      failed_attempts: previous?.attempts ?? 0,
      waitForPause: () => this.#pause(previous?.pause_ms ?? 0),
      reportAttempt: (attempt, attempts) => report.begin({ attempt, attempts }),
      recordFailure: async (failed, attempt) => {
        report.end();
        await this.#recordFailure(site, failed, { ...attempt, started_at });
        started_at = this.#pass.clock.now();
      },
    };
  }

  async #recordFailure(
    site: Site,
    failed: RecordedOutcome,
    { attempt, policy, started_at }: FailedAttemptInfo & { started_at: number },
  ): Promise<void> {
    const { host, flushLog } = this.#pass;
    const pause_ms = pauseAfter(attempt, policy);
    const park = pause_ms >= PARKED_PAUSE_MS;
    // What a process reports while it is being killed is no outcome.
    this.#state.assertRunning();
    await this.#stored();
    if (park) await flushLog();
    this.#state.assertRunning();
    const { exit_code } = failed;
    const output = endOfOutput(host.masker.bytes(failed.output)).toString('base64');
    const message = failed.message && startOfMessage(host.masker.text(failed.message));
    const failed_attempt = {
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
    const reply = await this.#state.request(() => host.attempt(failed_attempt), 'fatal');
    if ('parked' in reply) this.#state.end({ end: 'parked' });
    await this.#pause(pause_ms);
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => void this.#pass.clock.after(ms, resolve));
    this.#state.assertRunning();
  }
}
