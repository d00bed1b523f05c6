import { type Clock, type Ids, isServiceError, type Log } from '../../../../kernel/contracts/index.ts';
import type { Maskers } from '../../../security/masking/contract.ts';
import type { ClaimRef, Completion, LogChunk } from '../../../engine/runs/contract.ts';
import { readTrace } from '../../../platform/tracing/contract.ts';
import type {
  ActivityHost,
  ActivityTokens,
  AgentLink,
  Assignment,
  ContentTransfer,
  Executor,
  FileSender,
  Interruptions,
  PassEnd,
  RunningPass,
  TokenSource,
} from '../contract.ts';
import { EXECUTOR_MISSING, leaseLost } from '../errors.ts';
import { AppendPipeline } from './append-pipeline.ts';
import type { CallReporter } from './call-reporter.ts';
import { ClaimClient } from './claim-client.ts';
import { GrowingMasker } from './growing-masker.ts';
import { LogQueue } from './log-queue.ts';
import { MaskedLog } from './masked-log.ts';

export interface PassDeps {
  link: AgentLink;
  clock: Clock;
  ids: Ids;
  log: Log;
  maskers: Maskers;
  agent: ActivityHost['agent'];
  call_reporter: CallReporter;
  executor: Executor | undefined;
  /** Undefined if no plugin stores files. */
  files?: FileSender | undefined;
  contents?: ContentTransfer | undefined;
  tokens?: TokenSource | undefined;
  /** What happens to an activity whose executor threw: it fails, or is released after a pause. */
  onExecutorFailure(assignment: Assignment, error: unknown): Promise<PassEnd>;
  interruptions: Interruptions;
}

/** Share of a lease that a new claim gets until its first renewal, because it may have waited for its agent. */
const INITIAL_LEASE_SHARE = 2 / 3;

/** One assignment on this agent, from its start to its report. */
export class Pass {
  readonly assignment: Assignment;
  readonly claim: ClaimRef;
  /** Resolves when the work has ended and was reported. Never rejects. */
  readonly ended: Promise<void>;
  readonly #deps: PassDeps;
  /** Its lines carry the trace of the run if the server traces. */
  readonly #log: Log;
  readonly #client: ClaimClient;
  readonly #appends: AppendPipeline;
  readonly #logs: LogQueue;
  #masker: GrowingMasker | undefined;
  #output: MaskedLog | undefined;
  #deadline: number;
  #running: RunningPass | undefined;
  #ending_claim = false;
  #stopping: 'revoked' | 'draining' | undefined;
  #paused = false;
  readonly #stopped = new AbortController();

  /** Starts after `previous`, because an older pass of the same activity may still be ending. */
  constructor(assignment: Assignment, deps: PassDeps, previous: Promise<void> | undefined) {
    this.assignment = assignment;
    this.claim = { activity_id: assignment.activity_id, epoch: assignment.epoch };
    this.#deps = deps;
    this.#log = deps.log.child(traceFields(assignment));
    const onLost = (reason: string) => this.lose(reason);
    this.#client = new ClaimClient({ ...deps, claim: this.claim, onLost });
    this.#appends = new AppendPipeline(this.#client, this.claim, () => this.pause());
    this.#logs = new LogQueue({ clock: deps.clock, send: (chunks) => this.#sendLogs(chunks) });
    this.#deadline = deps.clock.monotonic() + assignment.lease_ms * INITIAL_LEASE_SHARE;
    this.ended = (previous ?? Promise.resolve()).then(() => this.#run());
  }

  get isLost(): boolean {
    return this.#client.isLost;
  }

  /**
   * True while a request that ends the claim is in flight or has succeeded. Losing the claim is expected then, and
   * the response to that request decides the result.
   */
  get isEndingClaim(): boolean {
    return this.#ending_claim;
  }

  /** True when the claim certainly still belongs to this agent. */
  hasClaim(): boolean {
    return !this.isLost && this.#deps.clock.monotonic() < this.#deadline;
  }

  /** Called when a request sent at `sent_at` (monotonic ms) extended the claim. */
  renewed(sent_at: number, lease_ms: number): void {
    this.#deadline = Math.max(this.#deadline, sent_at + lease_ms);
  }

  /** Ends the pass before another agent can get its claim. */
  fence(margin_ms: number): void {
    if (!this.isLost && this.#deps.clock.monotonic() > this.#deadline - margin_ms)
      this.lose('it could not be renewed within its lease');
  }

  /** Ends the work of a lost claim; nothing more is reported. */
  lose(reason: string): void {
    if (this.isLost) return;
    this.#log.warn({ ...this.claim, run_id: this.assignment.run_id, reason }, 'a claim was lost');
    this.#client.reject();
    this.#logs.close();
    this.#stop('revoked');
  }

  /** The run was paused: the pass ends at its next call, and the activity is released. */
  pause(): void {
    this.#paused = true;
  }

  drain(): void {
    this.#stop('draining');
  }

  #stop(why: 'revoked' | 'draining'): void {
    this.#stopping ??= why;
    this.#stopped.abort(leaseLost(`the work on activity ${this.claim.activity_id} was stopped`));
    this.#running?.stop(why);
  }

  async #run(): Promise<void> {
    try {
      await this.#report(this.#stopping ? { end: 'released' } : await this.#execute());
    } catch (error) {
      if (!isServiceError(error, 'lease_lost'))
        this.#log.error(
          { ...this.claim, reason: (error as Error).message },
          'the end of a pass was not reported; its claim will expire',
        );
    } finally {
      this.#logs.close();
      this.#deps.call_reporter.drop(this.claim);
    }
  }

  async #execute(): Promise<PassEnd> {
    const { executor, agent } = this.#deps;
    if (!executor) {
      const message = `agent ${agent.name} has no executor "${this.assignment.executor}"; install the plugin that provides it`;
      return { end: 'completed', completion: { status: 'failed', code: EXECUTOR_MISSING, message } };
    }
    try {
      const { maskers, clock } = this.#deps;
      const first = await maskers.prepare(collectSecrets(this.assignment), '');
      this.#masker = new GrowingMasker(first, maskers, clock);
      if (this.isLost) return { end: 'lost' };
      if (this.#stopping) return { end: 'released' };
      this.#output = new MaskedLog(this.#masker, (stream, data) => this.#logs.add(stream, data));
      this.#running = executor.start(this.assignment, this.#host(this.#masker, this.#output));
      return this.#applyInterruption(await this.#running.result);
    } catch (error) {
      return this.isLost ? { end: 'lost' } : this.#deps.onExecutorFailure(this.assignment, error);
    }
  }

  #applyInterruption(end: PassEnd): PassEnd {
    const { activity_id } = this.claim;
    if (end.end === 'interrupted') return this.#deps.interruptions.releaseOrFail(activity_id, end);
    if (end.end === 'completed') this.#deps.interruptions.reset(activity_id);
    return end;
  }

  /** Everything that leaves the agent is masked, except records: the server seals them unchanged for replays. */
  #host(masker: GrowingMasker, output: MaskedLog): ActivityHost {
    const { claim } = this;
    const labelled = <T extends { label?: string }>(call: T): T =>
      call.label === undefined ? call : { ...call, label: masker.text(call.label) };
    return {
      agent: this.#deps.agent,
      masker,
      append: (record) => this.#appends.add(labelled(record)),
      perform: async (call) => (await this.#client.request('perform', { claim, call: labelled(call) })).record,
      park: (wait) => this.#requestPark(output, () => this.#client.request('park', { claim, wait: labelled(wait) })),
      attempt: (failed) => {
        const request = () => this.#client.request('attempt', { claim, failed: labelled(failed) });
        return failed.park ? this.#requestPark(output, request) : request();
      },
      annotate: async (nth, text) => {
        await this.#client.request('annotate', { claim, nth, text: masker.text(text) });
      },
      log: (stream, data) => output.add(stream, data),
      setLogSite: (site) => this.#logs.from(masker.text(site)),
      whenLogDrained: () => this.#logs.whenDrained(),
      reportCall: (call) => this.#deps.call_reporter.begin(claim, call, (text) => masker.text(text)),
      files: this.#deps.files?.files({ claim, signal: this.#stopped.signal }),
      contents: this.#deps.contents?.contents({
        claim,
        signal: this.#stopped.signal,
        runtime_dir: this.#deps.agent.runtime_dir,
      }),
      tokens: this.#tokens(masker),
      hasClaim: () => this.hasClaim(),
      isPaused: () => this.#paused,
    };
  }

  /** A token is masked before the program gets it. */
  #tokens(masker: GrowingMasker): ActivityTokens | undefined {
    const tokens = this.#deps.tokens?.tokens({ claim: this.claim, signal: this.#stopped.signal });
    return (
      tokens && {
        issue: async (request) => {
          const issued = await tokens.issue(request);
          await masker.add([issued.token, ...issued.masks], issued.masked_ms);
          return issued;
        },
      }
    );
  }

  /** Sends a request that may end the claim. */
  async #requestPark<T extends object>(output: MaskedLog, request: () => Promise<T>): Promise<T> {
    output.flush();
    await this.#logs.flush();
    return this.#endClaim(request, (reply) => 'parked' in reply);
  }

  async #sendLogs(chunks: LogChunk[]): Promise<void> {
    try {
      await this.#client.request('logs', { claim: this.claim, chunks });
    } catch (error) {
      const reason = (error as Error).message;
      if (!this.isLost)
        this.#log.error({ ...this.claim, reason }, 'the log of a pass was rejected; the rest is dropped');
      throw error;
    }
  }

  async #report(end: PassEnd): Promise<void> {
    if (this.isLost || end.end === 'lost' || end.end === 'parked') return;
    this.#output?.end();
    await this.#logs.flush();
    // Finished work would be repeated if the claim ended before its record is stored.
    await this.#appends.whenIdle();
    const { claim } = this;
    if (end.end === 'completed') await this.#endClaim(() => this.#complete(this.#maskFailure(end.completion)));
    else await this.#endClaim(() => this.#client.request('release', { claim }));
  }

  /** Sends the request that ends the claim; `gone` decides by the response whether it did. */
  async #endClaim<T>(ask: () => Promise<T>, endsClaim: (answer: T) => boolean = () => true): Promise<T> {
    this.#ending_claim = true;
    let ended = false;
    try {
      const answer = await ask();
      ended = endsClaim(answer);
      return answer;
    } finally {
      this.#ending_claim = ended;
    }
  }

  #maskFailure(completion: Completion): Completion {
    if (completion.status === 'succeeded' || !this.#masker) return completion;
    return { ...completion, message: this.#masker.text(completion.message) };
  }

  /**
   * A completion that the server rejects would be rejected at every pass, so the rejection becomes the run's failure.
   */
  async #complete(completion: Completion): Promise<void> {
    const { claim } = this;
    try {
      await this.#client.request('complete', { claim, completion });
    } catch (error) {
      if (!isServiceError(error) || error.status >= 502 || this.isLost) throw error;
      const failure = {
        status: 'failed' as const,
        code: error.code,
        message: `the result was rejected: ${error.message}`,
      };
      await this.#client.request('complete', { claim, completion: failure });
    }
  }
}

/** Returns fields for log lines. */
export function traceFields({ trace }: Pick<Assignment, 'trace'>): { trace_id?: string; span_id?: string } {
  const span = readTrace(trace?.traceparent);
  return span ? { trace_id: span.trace_id, span_id: span.span_id } : {};
}

function collectSecrets({ environment: { below, above, masks = [] } }: Assignment): string[] {
  const secrets = [...below, ...above].filter(({ secret }) => secret);
  return [...masks, ...secrets.flatMap(({ value, masks: secret_masks = [] }) => [value, ...secret_masks])];
}
