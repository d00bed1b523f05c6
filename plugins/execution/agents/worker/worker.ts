import {
  BoundedMap,
  type Cancel,
  type Clock,
  type Ids,
  isServiceError,
  type Log,
} from '../../../../kernel/contracts/index.ts';
import type { Maskers } from '../../../security/masking/contract.ts';
import { type ClaimRef, ISOLATES } from '../../../engine/runs/contract.ts';
import {
  type Agent,
  type AgentHello,
  type AgentIsolation,
  type AgentLink,
  type AgentStatus,
  type Assignment,
  CHANNEL_PROTOCOL,
  type ChannelPush,
  type ContentTransfer,
  type Executor,
  type FileSender,
  Interruptions,
  type PassEnd,
  PAUSES,
  type TokenSource,
} from '../contract.ts';
import { AgentErrors, EXECUTOR_FAILED } from '../errors.ts';
import { pause } from './backoff.ts';
import { CallReporter } from './call-reporter.ts';
import { detectIsolation } from './isolation.ts';
import { Pass, traceFields } from './pass.ts';
import { SlotAnnouncer } from './slot-announcer.ts';
import type { WorkerSettings } from './settings.ts';

export interface WorkerDeps {
  link: AgentLink;
  executors: readonly Executor[];
  /** Undefined if no plugin stores files. */
  files?: FileSender | undefined;
  /** Undefined if no plugin stores them. */
  contents?: ContentTransfer | undefined;
  /** Undefined if no plugin issues them. */
  tokens?: TokenSource | undefined;
  maskers: Maskers;
  settings: WorkerSettings;
  /** The folder of this process, mode 0700. */
  runtime_dir: string;
  memory_dir?: string | undefined;
  /**
   * Whether an agent that runs as root must refuse to serve several projects. Not set for a personal agent, as in `svc dev`.
   */
  root_needs_project?: boolean;
  version: string;
  machine: { os: string; arch: string; pid: number };
  clock: Clock;
  ids: Ids;
  log: Log;
}

/** A claim is renewed three times within its lease and checked twelve times. */
const RENEWALS = 3;
const LEASE_CHECKS = 12;
/** Share of the lease by which a pass ends before another agent can get the claim, so that there is time to kill it. */
const MARGIN_SHARE = 1 / 10;
/** Time to kill and report passes that did not finish while draining. */
const STOP_BOUND_MS = 6000;
/** An activity whose executor throws is released, and fails at the third attempt. */
const MAX_EXECUTOR_FAILURES = 3;
const EXECUTOR_PAUSE_MS = 1000;
const MAX_FAILURES = 1000;

/** The agent: takes assignments for its free slots, renews their claims and reports how they end. */
export class Worker implements Agent {
  readonly #deps: WorkerDeps;
  readonly #passes = new Set<Pass>();
  readonly #executors: ReadonlyMap<string, Executor>;
  readonly #instance: string;
  readonly #failures = new BoundedMap<string, number>(MAX_FAILURES);
  readonly #interruptions = new Interruptions();
  readonly #stopped = new AbortController();
  readonly #call_reporter: CallReporter;
  readonly #slots: SlotAnnouncer;
  #capabilities: string[] = [];
  #isolation: AgentIsolation = { untrusted: 'refuse' };
  #agent_id: string | undefined;
  #lease_ms = 0;
  #draining = false;
  /** The link is being closed. A welcome that arrives now must schedule nothing. */
  #closed = false;
  #renewing = false;
  #renewed_at = 0;
  #cancelLeaseCheck: Cancel = () => {};
  #stop: Promise<void> | undefined;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#executors = new Map(deps.executors.map((executor) => [executor.executor, executor]));
    this.#instance = deps.ids.next('ins');
    this.#call_reporter = new CallReporter(deps);
    const unanswered = (error: unknown) => this.#logUnanswered('ready', error);
    this.#slots = new SlotAnnouncer({ ...deps, freeSlots: () => this.#countFreeSlots(), onUnanswered: unanswered });
    deps.link.onConnect(() => this.#greet());
    deps.link.onPush((push) => this.#receive(push));
  }

  /** Detects the capabilities of this machine and connects. Rejects when the server refuses this agent permanently. */
  async start(): Promise<void> {
    const { settings, executors, link } = this.#deps;
    this.#isolation = await detectIsolation(executors, settings);
    await this.#detectCapabilities();
    for (const executor of executors) executor.onCapabilitiesChange?.(() => void this.#announceCapabilities());
    await link.open();
  }

  async #detectCapabilities(): Promise<void> {
    const { machine, settings, executors } = this.#deps;
    const detected = await Promise.all(executors.map((executor) => executor.capabilities()));
    const all = [machine.os, machine.arch, 'http', PAUSES, ...detected.flat(), ...settings.extra_capabilities];
    if (this.#isolation.untrusted !== 'refuse' && this.#isolation.missing === undefined) all.push(ISOLATES);
    this.#capabilities = [...new Set(all)].sort();
  }

  /** Only a hello carries capabilities, and a connection has one hello. */
  async #announceCapabilities(): Promise<void> {
    const { link, log } = this.#deps;
    try {
      const before = this.#capabilities.join(' ');
      await this.#detectCapabilities();
      if (!this.#draining && this.#capabilities.join(' ') !== before) await link.reconnect();
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'the new capabilities could not be announced');
    }
  }

  status(): AgentStatus {
    return {
      agent_id: this.#agent_id,
      name: this.#deps.settings.name,
      connected: this.#agent_id !== undefined && this.#deps.link.connected,
      draining: this.#draining,
      slots: this.#deps.settings.slots,
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
    const { link, settings, executors, log } = this.#deps;
    this.#draining = true;
    this.#slots.announce();
    const drained = Promise.allSettled(executors.map(async (executor) => executor.drain?.()));
    if (settings.drain_grace_ms > 0) await this.#waitForPasses(settings.drain_grace_ms);
    for (const pass of this.#passes) pass.drain();
    this.#stopped.abort();
    await this.#waitForPasses(STOP_BOUND_MS);
    if (this.#passes.size > 0)
      log.error({ passes: this.#passes.size }, 'some work could not be released; its claims will expire');
    this.#closed = true;
    this.#cancelLeaseCheck();
    this.#call_reporter.close();
    this.#slots.close();
    await link.close();
    const closings = await Promise.allSettled(executors.map(async (executor) => executor.close?.()));
    for (const closing of [...(await drained), ...closings])
      if (closing.status === 'rejected') log.error({ reason: String(closing.reason) }, 'closing an executor failed');
  }

  /** Resolves when no pass is left, or after `bound_ms`. */
  async #waitForPasses(bound_ms: number): Promise<void> {
    if (this.#passes.size === 0) return;
    const limit = new AbortController();
    const all = Promise.all([...this.#passes].map((pass) => pass.ended)).then(() => limit.abort());
    await Promise.race([all, pause(this.#deps.clock, bound_ms, limit.signal)]);
  }

  async #greet(): Promise<void> {
    const { link, clock } = this.#deps;
    const sent_at = clock.monotonic();
    this.#slots.reset();
    const passes = [...this.#passes].filter((pass) => !pass.isLost);
    const welcome = await link.request('hello', this.#hello(passes.map((pass) => pass.claim)));
    // Only the server knows what the token is for.
    if (this.#deps.settings.as_root && this.#deps.root_needs_project && welcome.project_id === undefined)
      throw AgentErrors.rootRefused(
        `agent ${this.#deps.settings.name} runs as root and serves every project of its org, so each project could read the secrets of other projects`,
      );
    this.#agent_id = welcome.agent_id;
    this.#lease_ms = welcome.lease_ms;
    this.#applyRenewal(passes, welcome.lost, sent_at);
    this.#scheduleLeaseCheck();
    this.#slots.announce();
    this.#call_reporter.onReconnect();
  }

  #hello(holding: ClaimRef[]): AgentHello {
    const { settings, machine, version } = this.#deps;
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
      for (const executor of this.#deps.executors) executor.forget?.({ activity_id, epoch });
      return;
    }
    if (push.push === 'pause') return this.#pausePasses([push.claim]);
    this.#slots.received(push.assignments.length);
    for (const assignment of push.assignments) this.#startPass(assignment);
  }

  /** They end at their next call. */
  #pausePasses(claims: readonly ClaimRef[]): void {
    for (const { activity_id, epoch } of claims)
      for (const pass of this.#passes)
        if (pass.claim.activity_id === activity_id && pass.claim.epoch === epoch) pass.pause();
  }

  #startPass(assignment: Assignment): void {
    const { activity_id, epoch } = assignment;
    if (this.#draining || this.#passes.size >= this.#deps.settings.slots) return this.#decline({ activity_id, epoch });
    const agent = {
      id: this.#agent_id!,
      name: this.#deps.settings.name,
      pid: this.#deps.machine.pid,
      workdir: this.#deps.settings.workdir,
      runtime_dir: this.#deps.runtime_dir,
      memory_dir: this.#deps.memory_dir,
      isolate_all: this.#deps.settings.isolate === 'all',
    };
    const executor = this.#executors.get(assignment.executor);
    const onExecutorFailure = (failed: Assignment, error: unknown) => this.#executorFailed(failed, error);
    const previous = [...this.#passes].filter((pass) => pass.claim.activity_id === activity_id).at(-1)?.ended;
    const pass = new Pass(
      assignment,
      {
        ...this.#deps,
        agent,
        call_reporter: this.#call_reporter,
        executor,
        interruptions: this.#interruptions,
        onExecutorFailure,
      },
      previous,
    );
    this.#passes.add(pass);
    void pass.ended.then(() => {
      this.#passes.delete(pass);
      this.#slots.slotFreed();
    });
  }

  /** Releases an assignment at once because no slot is free. */
  #decline(claim: ClaimRef): void {
    this.#deps.link.request('release', { claim }).catch((error) => this.#logUnanswered('release', error));
  }

  #countFreeSlots(): number {
    return this.#draining ? 0 : Math.max(0, this.#deps.settings.slots - this.#passes.size);
  }

  /** Not repeated, because the hello of the next connection contains everything. */
  #logUnanswered(op: string, error: unknown): void {
    const reason = (error as Error).message;
    if (this.#draining || (isServiceError(error) && error.status === 503))
      this.#deps.log.debug({ op, reason }, 'a request was not answered');
    else if (!isServiceError(error, 'lease_lost'))
      this.#deps.log.error({ op, reason }, 'the server rejected a request');
  }

  /** Fences claims that could not be renewed in time, and renews others when due. */
  #scheduleLeaseCheck(): void {
    this.#cancelLeaseCheck();
    if (this.#closed) return;
    this.#cancelLeaseCheck = this.#deps.clock.after(this.#lease_ms / LEASE_CHECKS, () => {
      for (const pass of this.#passes) pass.fence(this.#lease_ms * MARGIN_SHARE);
      const due = this.#deps.clock.monotonic() - this.#renewed_at >= this.#lease_ms / RENEWALS;
      if (due && !this.#renewing) void this.#renew();
      this.#scheduleLeaseCheck();
    });
  }

  async #renew(): Promise<void> {
    const sent_at = this.#deps.clock.monotonic();
    const passes = [...this.#passes].filter((pass) => !pass.isLost);
    this.#renewed_at = sent_at;
    if (passes.length === 0) return;
    this.#renewing = true;
    try {
      const { lost, paused = [] } = await this.#deps.link.request('renew', {
        claims: passes.map((pass) => pass.claim),
      });
      this.#applyRenewal(passes, lost, sent_at);
      this.#pausePasses(paused);
    } catch (error) {
      this.#renewed_at = 0;
      this.#logUnanswered('renew', error);
    } finally {
      this.#renewing = false;
    }
  }

  #applyRenewal(passes: readonly Pass[], lost: readonly ClaimRef[], sent_at: number): void {
    this.#renewed_at = sent_at;
    const lost_keys = new Set(lost.map((claim) => `${claim.activity_id} ${claim.epoch}`));
    for (const pass of passes) {
      if (!lost_keys.has(`${pass.claim.activity_id} ${pass.claim.epoch}`)) pass.renewed(sent_at, this.#lease_ms);
      else if (!pass.isEndingClaim) pass.lose('the server no longer lists the claim for this agent');
    }
  }

  async #executorFailed(assignment: Assignment, error: unknown): Promise<PassEnd> {
    const { activity_id, run_id, executor } = assignment;
    const message = (error as Error).message ?? String(error);
    const failures = (this.#failures.get(activity_id) ?? 0) + 1;
    const fields = { activity_id, run_id, executor, tries: failures, reason: message, ...traceFields(assignment) };
    this.#deps.log.error(fields, 'an executor failed');
    this.#failures.delete(activity_id);
    if (failures >= MAX_EXECUTOR_FAILURES) {
      const failure = `executor ${executor} failed ${failures} times on agent ${this.#deps.settings.name}: ${message}`;
      return { end: 'completed', completion: { status: 'failed', code: EXECUTOR_FAILED, message: failure } };
    }
    this.#failures.set(activity_id, failures);
    await pause(this.#deps.clock, EXECUTOR_PAUSE_MS, this.#stopped.signal);
    return { end: 'released' };
  }
}
