import { type Clock, type Ids, isServiceError, type Log } from '../../../kernel/contracts/index.ts';
import type { Masker, Maskers } from '../../masking/contract.ts';
import type { ClaimRef, Completion, LogChunk } from '../../runs/contract.ts';
import type { ActivityHost, AgentLink, Assignment, Executor, PassEnd, RunningPass } from '../contract.ts';
import { EXECUTOR_MISSING } from '../errors.ts';
import { Asker } from './asker.ts';
import { LogQueue } from './log-queue.ts';
import { MaskedLog } from './masked-log.ts';

export interface PassParts {
  link: AgentLink;
  clock: Clock;
  ids: Ids;
  log: Log;
  maskers: Maskers;
  agent: ActivityHost['agent'];
  executor: Executor | undefined;
  /** What becomes of an activity whose executor threw: failed, or given back after a while. */
  onExecutorFailure(assignment: Assignment, error: unknown): Promise<PassEnd>;
}

/** A new claim may have waited for its agent; until its first renewal it counts as this much of a lease. */
const FRESH_SHARE = 2 / 3;

/** One assignment on this agent: from its start to its report. */
export class Pass {
  readonly assignment: Assignment;
  readonly claim: ClaimRef;
  /** Resolves when the work has ended and was reported. Never rejects. */
  readonly done: Promise<void>;
  readonly #parts: PassParts;
  readonly #asker: Asker;
  readonly #logs: LogQueue;
  #masker: Masker | undefined;
  #output: MaskedLog | undefined;
  #deadline: number;
  #running: RunningPass | undefined;
  #leaving = false;
  #stopping: 'revoked' | 'draining' | undefined;

  /** Starts once `previous` is done: an older pass of the same activity may still be on its way out. */
  constructor(assignment: Assignment, parts: PassParts, previous: Promise<void> | undefined) {
    this.assignment = assignment;
    this.claim = { activity_id: assignment.activity_id, epoch: assignment.epoch };
    this.#parts = parts;
    const onLost = (reason: string) => this.lose(reason);
    this.#asker = new Asker({ ...parts, claim: this.claim, onLost });
    this.#logs = new LogQueue({ clock: parts.clock, send: (chunks) => this.#sendLogs(chunks) });
    this.#deadline = parts.clock.monotonic() + assignment.lease_ms * FRESH_SHARE;
    this.done = (previous ?? Promise.resolve()).then(() => this.#run());
  }

  get lost(): boolean {
    return this.#asker.lost;
  }

  /**
   * The request that gives the claim up is under way, or was granted: that the claim is gone is then no news, and the
   * answer to that request says what became of it.
   */
  get leaving(): boolean {
    return this.#leaving;
  }

  /** Is the claim certainly this agent's still? */
  held(): boolean {
    return !this.lost && this.#parts.clock.monotonic() < this.#deadline;
  }

  /** The claim was extended by a request that left at `sent_at` (monotonic ms). */
  renewed(sent_at: number, lease_ms: number): void {
    this.#deadline = Math.max(this.#deadline, sent_at + lease_ms);
  }

  /** Ends the pass before its claim can pass on to another agent. */
  fence(margin_ms: number): void {
    if (!this.lost && this.#parts.clock.monotonic() > this.#deadline - margin_ms)
      this.lose('it could not be renewed within its lease');
  }

  /** The claim is gone: nothing more is reported, and the work is ended. */
  lose(reason: string): void {
    if (this.lost) return;
    this.#parts.log.warn({ ...this.claim, run_id: this.assignment.run_id, reason }, 'a claim was lost');
    this.#asker.lose();
    this.#logs.close();
    this.#stop('revoked');
  }

  drain(): void {
    this.#stop('draining');
  }

  #stop(why: 'revoked' | 'draining'): void {
    this.#stopping ??= why;
    this.#running?.stop(why);
  }

  async #run(): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#report(this.#stopping ? { end: 'released' } : await this.#execute());
    } catch (error) {
      if (!isServiceError(error, 'lease_lost'))
        log.error(
          { ...this.claim, reason: (error as Error).message },
          'the end of a pass was not reported; its claim will expire',
        );
    } finally {
      this.#logs.close();
    }
  }

  async #execute(): Promise<PassEnd> {
    const { executor, agent } = this.#parts;
    if (!executor) {
      const message = `agent ${agent.name} has no executor "${this.assignment.executor}"; install the plugin that brings it`;
      return { end: 'completed', completion: { status: 'failed', code: EXECUTOR_MISSING, message } };
    }
    try {
      this.#masker = this.#parts.maskers.masker(secretsOf(this.assignment));
      this.#output = new MaskedLog(this.#masker, (stream, data) => this.#logs.add(stream, data));
      this.#running = executor.start(this.assignment, this.#host(this.#masker, this.#output));
      return await this.#running.ended;
    } catch (error) {
      return this.lost ? { end: 'lost' } : this.#parts.onExecutorFailure(this.assignment, error);
    }
  }

  /** Nothing leaves the agent with a secret in it, but for records: those the server seals as they are, for replays. */
  #host(masker: Masker, output: MaskedLog): ActivityHost {
    const { claim } = this;
    const labelled = <T extends { label?: string }>(call: T): T =>
      call.label === undefined ? call : { ...call, label: masker.text(call.label) };
    return {
      agent: this.#parts.agent,
      masker,
      append: async (record) => {
        await this.#asker.ask('append', { claim, record: labelled(record) });
      },
      perform: async (call) => (await this.#asker.ask('perform', { claim, call: labelled(call) })).record,
      park: async (wait) => {
        output.settle();
        await this.#logs.flush();
        const parks = () => this.#asker.ask('park', { claim, wait: labelled(wait) });
        return this.#leave(parks, (answer) => 'parked' in answer);
      },
      annotate: async (nth, text) => {
        await this.#asker.ask('annotate', { claim, nth, text: masker.text(text) });
      },
      log: (stream, data) => output.add(stream, data),
      logFull: () => this.#logs.full(),
      held: () => this.held(),
    };
  }

  async #sendLogs(chunks: LogChunk[]): Promise<void> {
    try {
      await this.#asker.ask('logs', { claim: this.claim, chunks });
    } catch (error) {
      const reason = (error as Error).message;
      if (!this.lost) this.#parts.log.error({ ...this.claim, reason }, 'the log of a pass was refused; it ends here');
      throw error;
    }
  }

  async #report(end: PassEnd): Promise<void> {
    if (this.lost || end.end === 'lost' || end.end === 'parked') return;
    this.#output?.end();
    await this.#logs.flush();
    const { claim } = this;
    if (end.end === 'completed') await this.#leave(() => this.#complete(this.#shown(end.completion)));
    else await this.#leave(() => this.#asker.ask('release', { claim }));
  }

  /** Asks for the end of the claim; `gone` tells from the answer whether that is what it came to. */
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

  /** A completion that the server refuses would come back with every pass: the refusal becomes the run's failure. */
  async #complete(completion: Completion): Promise<void> {
    const { claim } = this;
    try {
      await this.#asker.ask('complete', { claim, completion });
    } catch (error) {
      if (!isServiceError(error) || error.status >= 502 || this.lost) throw error;
      const failure = {
        status: 'failed' as const,
        code: error.code,
        message: `the result was refused: ${error.message}`,
      };
      await this.#asker.ask('complete', { claim, completion: failure });
    }
  }
}

function secretsOf({ environment: { below, above, masks = [] } }: Assignment): string[] {
  const secrets = [...below, ...above].filter(({ secret }) => secret);
  return [...masks, ...secrets.flatMap(({ value, masks: more = [] }) => [value, ...more])];
}
