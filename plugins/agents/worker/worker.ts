import {
  BoundedMap,
  type Cancel,
  type Clock,
  type Ids,
  isServiceError,
  type Log,
} from '../../../kernel/contracts/index.ts';
import type { Maskers } from '../../masking/contract.ts';
import { type ClaimRef, ISOLATES } from '../../runs/contract.ts';
import {
  type Agent,
  type AgentHello,
  type AgentIsolation,
  type AgentLink,
  type AgentStatus,
  type Assignment,
  CHANNEL_PROTOCOL,
  type ChannelPush,
  type ContentCarrier,
  type Executor,
  type FileSender,
  Interruptions,
  type PassEnd,
} from '../contract.ts';
import { AgentErrors, EXECUTOR_FAILED } from '../errors.ts';
import { pause } from './backoff.ts';
import { CallTeller } from './call-teller.ts';
import { isolationOf } from './isolation.ts';
import { Pass, tracedBy } from './pass.ts';
import { Places } from './places.ts';
import type { WorkerSettings } from './settings.ts';

export interface WorkerParts {
  link: AgentLink;
  executors: readonly Executor[];
  /** Absent: no plugin stores files. */
  files?: FileSender | undefined;
  /** Absent: no plugin keeps them. */
  contents?: ContentCarrier | undefined;
  maskers: Maskers;
  settings: WorkerSettings;
  /** The folder of this process, mode 0700. */
  runtime_dir: string;
  memory_dir?: string | undefined;
  /** An agent that is root does not serve several projects. Not of one that somebody has for himself, as in `svc dev`. */
  org_wide_refused?: boolean;
  version: string;
  machine: { os: string; arch: string; pid: number };
  clock: Clock;
  ids: Ids;
  log: Log;
}

/** A claim is renewed three times within its lease and checked twelve times. */
const RENEWALS = 3;
const LOOKS = 12;
/**
 * Share of the lease: a pass ends this long before another agent can get the claim, so that there is time to kill it.
 */
const MARGIN_SHARE = 1 / 10;
/** Time to kill and report passes that a drain did not let finish. */
const STOP_BOUND_MS = 6000;
/** An activity whose executor throws is released, and fails at the third time. */
const EXECUTOR_TRIES = 3;
const EXECUTOR_PAUSE_MS = 1000;
const MAX_FAILURES = 1000;

/** The agent: takes assignments for its free slots, renews their claims and reports how they end. */
export class Worker implements Agent {
  readonly #parts: WorkerParts;
  readonly #passes = new Set<Pass>();
  readonly #executors: ReadonlyMap<string, Executor>;
  readonly #instance: string;
  readonly #failures = new BoundedMap<string, number>(MAX_FAILURES);
  readonly #interruptions = new Interruptions();
  readonly #stopped = new AbortController();
  readonly #calls: CallTeller;
  readonly #places: Places;
  #capabilities: string[] = [];
  #isolation: AgentIsolation = { untrusted: 'refuse' };
  #agent_id: string | undefined;
  #lease_ms = 0;
  #draining = false;
  /** The link is being closed. A welcome that is still on its way arms nothing. */
  #closed = false;
  #renewing = false;
  #renewed_at = 0;
  #cancelLook: Cancel = () => {};
  #stop: Promise<void> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#executors = new Map(parts.executors.map((executor) => [executor.executor, executor]));
    this.#instance = parts.ids.next('ins');
    this.#calls = new CallTeller(parts);
    const unanswered = (error: unknown) => this.#unanswered('ready', error);
    this.#places = new Places({ ...parts, free: () => this.#free(), unanswered });
    parts.link.onConnect(() => this.#greet());
    parts.link.onPush((push) => this.#receive(push));
  }

  /** Detects the capabilities of this machine and connects. Rejects when the server refuses this agent permanently. */
  async start(): Promise<void> {
    const { machine, settings, executors, link } = this.#parts;
    const found = await Promise.all(executors.map((executor) => executor.capabilities()));
    this.#isolation = await isolationOf(executors, settings);
    const all = [machine.os, machine.arch, 'http', ...found.flat(), ...settings.extra_capabilities];
    if (this.#isolation.untrusted !== 'refuse' && this.#isolation.missing === undefined) all.push(ISOLATES);
    this.#capabilities = [...new Set(all)].sort();
    await link.open();
  }

  status(): AgentStatus {
    return {
      agent_id: this.#agent_id,
      name: this.#parts.settings.name,
      connected: this.#agent_id !== undefined && this.#parts.link.connected,
      draining: this.#draining,
      slots: this.#parts.settings.slots,
      busy: this.#passes.size,
      capabilities: this.#capabilities,
    };
  }

  /**
   * Takes no more work. Running passes may end or park within the grace period; others are stopped and released. Then
   * the agent disconnects. Safe to call twice.
   */
  stop(): Promise<void> {
    this.#stop ??= this.#drain();
    return this.#stop;
  }

  async #drain(): Promise<void> {
    const { link, settings, executors, log } = this.#parts;
    this.#draining = true;
    this.#places.tell();
    const drained = Promise.allSettled(executors.map(async (executor) => executor.drain?.()));
    if (settings.drain_grace_ms > 0) await this.#idle(settings.drain_grace_ms);
    for (const pass of this.#passes) pass.drain();
    this.#stopped.abort();
    await this.#idle(STOP_BOUND_MS);
    if (this.#passes.size > 0)
      log.error({ passes: this.#passes.size }, 'some work could not be released; its claims will expire');
    this.#closed = true;
    this.#cancelLook();
    this.#calls.close();
    this.#places.close();
    await link.close();
    const closings = await Promise.allSettled(executors.map(async (executor) => executor.close?.()));
    for (const closing of [...(await drained), ...closings])
      if (closing.status === 'rejected') log.error({ reason: String(closing.reason) }, 'closing an executor failed');
  }

  /** Resolves when no pass is left, or after `bound_ms`. */
  async #idle(bound_ms: number): Promise<void> {
    if (this.#passes.size === 0) return;
    const bound = new AbortController();
    const all = Promise.all([...this.#passes].map((pass) => pass.done)).then(() => bound.abort());
    await Promise.race([all, pause(this.#parts.clock, bound_ms, bound.signal)]);
  }

  async #greet(): Promise<void> {
    const { link, clock } = this.#parts;
    const sent_at = clock.monotonic();
    this.#places.connected();
    const held = [...this.#passes].filter((pass) => !pass.lost);
    const welcome = await link.request('hello', this.#hello(held.map((pass) => pass.claim)));
    // Only the server knows what the token is for.
    if (this.#parts.settings.as_root && this.#parts.org_wide_refused && welcome.project_id === undefined)
      throw AgentErrors.rootRefused(
        `agent ${this.#parts.settings.name} is root and serves every project of its org, so each could read the secrets of the others`,
      );
    this.#agent_id = welcome.agent_id;
    this.#lease_ms = welcome.lease_ms;
    this.#settle(held, welcome.lost, sent_at);
    this.#look();
    this.#places.tell();
    this.#calls.greeted();
  }

  #hello(holding: ClaimRef[]): AgentHello {
    const { settings, machine, version } = this.#parts;
    return {
      protocol: CHANNEL_PROTOCOL,
      name: settings.name,
      instance: this.#instance,
      ...machine,
      capabilities: this.#capabilities,
      isolation: this.#isolation,
      executors: [...this.#executors.keys()],
      slots: settings.slots,
      version,
      holding,
    };
  }

  #receive(push: ChannelPush): void {
    if (push.push === 'revoke') {
      const { activity_id, epoch } = push.claim;
      for (const pass of this.#passes)
        if (pass.claim.activity_id === activity_id && pass.claim.epoch === epoch) pass.lose(push.reason);
      return;
    }
    this.#places.came(push.assignments.length);
    for (const assignment of push.assignments) this.#take(assignment);
  }

  #take(assignment: Assignment): void {
    const { activity_id, epoch } = assignment;
    if (this.#draining || this.#passes.size >= this.#parts.settings.slots) return this.#decline({ activity_id, epoch });
    const agent = {
      id: this.#agent_id!,
      name: this.#parts.settings.name,
      pid: this.#parts.machine.pid,
      workdir: this.#parts.settings.workdir,
      runtime_dir: this.#parts.runtime_dir,
      memory_dir: this.#parts.memory_dir,
      isolate_all: this.#parts.settings.isolate === 'all',
    };
    const executor = this.#executors.get(assignment.executor);
    const onExecutorFailure = (failed: Assignment, error: unknown) => this.#executorFailed(failed, error);
    const previous = [...this.#passes].filter((pass) => pass.claim.activity_id === activity_id).at(-1)?.done;
    const pass = new Pass(
      assignment,
      { ...this.#parts, agent, calls: this.#calls, executor, interruptions: this.#interruptions, onExecutorFailure },
      previous,
    );
    this.#passes.add(pass);
    void pass.done.then(() => {
      this.#passes.delete(pass);
      this.#places.freed();
    });
  }

  /** No slot is free: the assignment is released at once. */
  #decline(claim: ClaimRef): void {
    this.#parts.link.request('release', { claim }).catch((error) => this.#unanswered('release', error));
  }

  #free(): number {
    return this.#draining ? 0 : Math.max(0, this.#parts.settings.slots - this.#passes.size);
  }

  /** Not repeated: the hello of the next connection contains everything. */
  #unanswered(op: string, error: unknown): void {
    const reason = (error as Error).message;
    if (this.#draining || (isServiceError(error) && error.status === 503))
      this.#parts.log.debug({ op, reason }, 'a request was not answered');
    else if (!isServiceError(error, 'lease_lost'))
      this.#parts.log.error({ op, reason }, 'the server refused a request');
  }

  /** Fences claims that could not be renewed in time, and renews others when due. */
  #look(): void {
    this.#cancelLook();
    if (this.#closed) return;
    this.#cancelLook = this.#parts.clock.after(this.#lease_ms / LOOKS, () => {
      for (const pass of this.#passes) pass.fence(this.#lease_ms * MARGIN_SHARE);
      const due = this.#parts.clock.monotonic() - this.#renewed_at >= this.#lease_ms / RENEWALS;
      if (due && !this.#renewing) void this.#renew();
      this.#look();
    });
  }

  async #renew(): Promise<void> {
    const sent_at = this.#parts.clock.monotonic();
    const held = [...this.#passes].filter((pass) => !pass.lost);
    this.#renewed_at = sent_at;
    if (held.length === 0) return;
    this.#renewing = true;
    try {
      const { lost } = await this.#parts.link.request('renew', { claims: held.map((pass) => pass.claim) });
      this.#settle(held, lost, sent_at);
    } catch (error) {
      this.#renewed_at = 0;
      this.#unanswered('renew', error);
    } finally {
      this.#renewing = false;
    }
  }

  #settle(held: readonly Pass[], lost: readonly ClaimRef[], sent_at: number): void {
    this.#renewed_at = sent_at;
    const gone = new Set(lost.map((claim) => `${claim.activity_id} ${claim.epoch}`));
    for (const pass of held) {
      if (!gone.has(`${pass.claim.activity_id} ${pass.claim.epoch}`)) pass.renewed(sent_at, this.#lease_ms);
      else if (!pass.leaving) pass.lose('the server no longer lists the claim for this agent');
    }
  }

  async #executorFailed(assignment: Assignment, error: unknown): Promise<PassEnd> {
    const { activity_id, run_id, executor } = assignment;
    const message = (error as Error).message ?? String(error);
    const tries = (this.#failures.get(activity_id) ?? 0) + 1;
    const fields = { activity_id, run_id, executor, tries, reason: message, ...tracedBy(assignment) };
    this.#parts.log.error(fields, 'an executor failed');
    this.#failures.delete(activity_id);
    if (tries >= EXECUTOR_TRIES) {
      const failure = `executor ${executor} failed ${tries} times on agent ${this.#parts.settings.name}: ${message}`;
      return { end: 'completed', completion: { status: 'failed', code: EXECUTOR_FAILED, message: failure } };
    }
    this.#failures.set(activity_id, tries);
    await pause(this.#parts.clock, EXECUTOR_PAUSE_MS, this.#stopped.signal);
    return { end: 'released' };
  }
}
