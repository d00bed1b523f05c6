import { type Clock, type Ids, isServiceError, type Log } from '../../../kernel/contracts/index.ts';
import type { Masker, Maskers } from '../../masking/contract.ts';
import type { ClaimRef, Completion, LogChunk } from '../../runs/contract.ts';
import { readTrace } from '../../tracing/contract.ts';
import type {
  ActivityHost,
  AgentLink,
  Assignment,
  ContentCarrier,
  Executor,
  FileSender,
  Interruptions,
  PassEnd,
  RunningPass,
} from '../contract.ts';
import { EXECUTOR_MISSING, leaseLost } from '../errors.ts';
import { AppendLine } from './append-line.ts';
import type { CallTeller } from './call-teller.ts';
import { ClaimClient } from './claim-client.ts';
import { LogQueue } from './log-queue.ts';
import { MaskedLog } from './masked-log.ts';

export interface PassParts {
  link: AgentLink;
  clock: Clock;
  ids: Ids;
  log: Log;
  maskers: Maskers;
  agent: ActivityHost['agent'];
  calls: CallTeller;
  executor: Executor | undefined;
  /** Absent: no plugin stores files. */
  files?: FileSender | undefined;
  contents?: ContentCarrier | undefined;
  /** What happens to an activity whose executor threw: it fails, or is released after a pause. */
  onExecutorFailure(assignment: Assignment, error: unknown): Promise<PassEnd>;
  interruptions: Interruptions;
}

/** Share of a lease that a new claim gets until its first renewal, because it may have waited for its agent. */
const FRESH_SHARE = 2 / 3;

/** One assignment on this agent, from its start to its report. */
export class Pass {
  readonly assignment: Assignment;
  readonly claim: ClaimRef;
  /** Resolves when the work has ended and was reported. Never rejects. */
  readonly done: Promise<void>;
  readonly #parts: PassParts;
  /** Its lines carry the trace of the run, when the server traces. */
  readonly #log: Log;
  readonly #client: ClaimClient;
  readonly #appends: AppendLine;
  readonly #logs: LogQueue;
  #masker: Masker | undefined;
  #output: MaskedLog | undefined;
  #deadline: number;
  #running: RunningPass | undefined;
  #leaving = false;
  #stopping: 'revoked' | 'draining' | undefined;
  readonly #stopped = new AbortController();

  /** Starts after `previous`: an older pass of the same activity may still be ending. */
  constructor(assignment: Assignment, parts: PassParts, previous: Promise<void> | undefined) {
    this.assignment = assignment;
    this.claim = { activity_id: assignment.activity_id, epoch: assignment.epoch };
    this.#parts = parts;
    this.#log = parts.log.child(tracedBy(assignment));
    const onLost = (reason: string) => this.lose(reason);
    this.#client = new ClaimClient({ ...parts, claim: this.claim, onLost });
    this.#appends = new AppendLine(this.#client, this.claim);
    this.#logs = new LogQueue({ clock: parts.clock, send: (chunks) => this.#sendLogs(chunks) });
    this.#deadline = parts.clock.monotonic() + assignment.lease_ms * FRESH_SHARE;
    this.done = (previous ?? Promise.resolve()).then(() => this.#run());
  }

  get lost(): boolean {
    return this.#client.lost;
  }

  /**
   * True while a request that ends the claim is in flight or was granted. Then a lost claim is expected, and the answer
   * to that request tells the result.
   */
  get leaving(): boolean {
    return this.#leaving;
  }

  /** True when the claim certainly still belongs to this agent. */
  held(): boolean {
    return !this.lost && this.#parts.clock.monotonic() < this.#deadline;
  }

  /** The claim was extended by a request that was sent at `sent_at` (monotonic ms). */
  renewed(sent_at: number, lease_ms: number): void {
    this.#deadline = Math.max(this.#deadline, sent_at + lease_ms);
  }

  /** Ends the pass before another agent can get its claim. */
  fence(margin_ms: number): void {
    if (!this.lost && this.#parts.clock.monotonic() > this.#deadline - margin_ms)
      this.lose('it could not be renewed within its lease');
  }

  /** The claim is lost: ends the work and reports nothing more. */
  lose(reason: string): void {
    if (this.lost) return;
    this.#log.warn({ ...this.claim, run_id: this.assignment.run_id, reason }, 'a claim was lost');
    this.#client.lose();
    this.#logs.close();
    this.#stop('revoked');
  }

  drain(): void {
    this.#stop('draining');
  }

  #stop(why: 'revoked' | 'draining'): void {
    this.#stopping ??= why;
    this.#stopped.abort(leaseLost(`the work on activity ${this.claim.activity_id} is stopped`));
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
      this.#parts.calls.forget(this.claim);
    }
  }

  async #execute(): Promise<PassEnd> {
    const { executor, agent } = this.#parts;
    if (!executor) {
      const message = `agent ${agent.name} has no executor "${this.assignment.executor}"; install the plugin that provides it`;
      return { end: 'completed', completion: { status: 'failed', code: EXECUTOR_MISSING, message } };
    }
    try {
      this.#masker = this.#parts.maskers.masker(secretsOf(this.assignment));
      this.#output = new MaskedLog(this.#masker, (stream, data) => this.#logs.add(stream, data));
      this.#running = executor.start(this.assignment, this.#host(this.#masker, this.#output));
      return this.#judged(await this.#running.ended);
    } catch (error) {
      return this.lost ? { end: 'lost' } : this.#parts.onExecutorFailure(this.assignment, error);
    }
  }

  #judged(end: PassEnd): PassEnd {
    const { activity_id } = this.claim;
    if (end.end === 'interrupted') return this.#parts.interruptions.judge(activity_id, end);
    if (end.end === 'completed') this.#parts.interruptions.forget(activity_id);
    return end;
  }

  /** Everything that leaves the agent is masked, except records: the server seals them unchanged for replays. */
  #host(masker: Masker, output: MaskedLog): ActivityHost {
    const { claim } = this;
    const labelled = <T extends { label?: string }>(call: T): T =>
      call.label === undefined ? call : { ...call, label: masker.text(call.label) };
    return {
      agent: this.#parts.agent,
      masker,
      append: (record) => this.#appends.add(labelled(record)),
      perform: async (call) => (await this.#client.ask('perform', { claim, call: labelled(call) })).record,
      park: (wait) => this.#parking(output, () => this.#client.ask('park', { claim, wait: labelled(wait) })),
      attempt: (failed) => {
        const ask = () => this.#client.ask('attempt', { claim, failed: labelled(failed) });
        return failed.park ? this.#parking(output, ask) : ask();
      },
      annotate: async (nth, text) => {
        await this.#client.ask('annotate', { claim, nth, text: masker.text(text) });
      },
      log: (stream, data) => output.add(stream, data),
      logFrom: (site) => this.#logs.from(masker.text(site)),
      logFull: () => this.#logs.full(),
      underWay: (call) => this.#parts.calls.begin(claim, call, (text) => masker.text(text)),
      files: this.#parts.files?.files({ claim, signal: this.#stopped.signal }),
      contents: this.#parts.contents?.contents({
        claim,
        signal: this.#stopped.signal,
        runtime_dir: this.#parts.agent.runtime_dir,
      }),
      held: () => this.held(),
    };
  }

  /** A request that may end the claim. */
  async #parking<T extends object>(output: MaskedLog, ask: () => Promise<T>): Promise<T> {
    output.settle();
    await this.#logs.flush();
    return this.#leave(ask, (answer) => 'parked' in answer);
  }

  async #sendLogs(chunks: LogChunk[]): Promise<void> {
    try {
      await this.#client.ask('logs', { claim: this.claim, chunks });
    } catch (error) {
      const reason = (error as Error).message;
      if (!this.lost) this.#log.error({ ...this.claim, reason }, 'the log of a pass was refused; the rest is dropped');
      throw error;
    }
  }

  async #report(end: PassEnd): Promise<void> {
    if (this.lost || end.end === 'lost' || end.end === 'parked') return;
    this.#output?.end();
    await this.#logs.flush();
    // What has been done would be done again if the claim ended before its record is stored.
    await this.#appends.idle();
    const { claim } = this;
    if (end.end === 'completed') await this.#leave(() => this.#complete(this.#shown(end.completion)));
    else await this.#leave(() => this.#client.ask('release', { claim }));
  }

  /** Sends the request that ends the claim; `gone` decides from the answer whether it did. */
  async #leave<T>(ask: () => Promise<T>, gone: (answer: T) => boolean = () => true): Promise<T> {
    this.#leaving = true;
    let left = false;
    try {
      const answer = await ask();
      left = gone(answer);
      return answer;
    } finally {
      this.#leaving = left;
    }
  }

  #shown(completion: Completion): Completion {
    if (completion.status === 'succeeded' || !this.#masker) return completion;
    return { ...completion, message: this.#masker.text(completion.message) };
  }

  /** A completion that the server refuses would be refused at every pass, so the refusal becomes the run's failure. */
  async #complete(completion: Completion): Promise<void> {
    const { claim } = this;
    try {
      await this.#client.ask('complete', { claim, completion });
    } catch (error) {
      if (!isServiceError(error) || error.status >= 502 || this.lost) throw error;
      const failure = {
        status: 'failed' as const,
        code: error.code,
        message: `the result was refused: ${error.message}`,
      };
      await this.#client.ask('complete', { claim, completion: failure });
    }
  }
}

/** Fields of log lines. */
export function tracedBy({ trace }: Pick<Assignment, 'trace'>): { trace_id?: string; span_id?: string } {
  const span = readTrace(trace?.traceparent);
  return span ? { trace_id: span.trace_id, span_id: span.span_id } : {};
}

function secretsOf({ environment: { below, above, masks = [] } }: Assignment): string[] {
  const secrets = [...below, ...above].filter(({ secret }) => secret);
  return [...masks, ...secrets.flatMap(({ value, masks: more = [] }) => [value, ...more])];
}
