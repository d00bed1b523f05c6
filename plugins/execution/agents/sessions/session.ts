import { BoundedMap, Errors, isServiceError, type Log, ServiceError } from '../../../../kernel/contracts/index.ts';
import type { ClaimRef, Renewal, RunStore, SlotBounds, ToldCall, UnderWay } from '../../../engine/runs/contract.ts';
import {
  type AgentHello,
  type AgentIdentity,
  type AgentSession,
  type AgentTransport,
  type AgentWelcome,
  type Assignment,
  CHANNEL_PROTOCOL,
  type ChannelPush,
  type ChannelRequests,
  RETAINS,
  MAX_RETAINED,
  MAX_RETAINED_MS,
  PAUSES,
} from '../contract.ts';
import { validateBody, isChannelOp } from '../domain/requests.ts';
import { AgentErrors, leaseLost } from '../errors.ts';
import { OrgPool, type PoolSizes } from './org-pool.ts';
import type { SlotTracker } from './slot-tracker.ts';

/** What a session needs from other services. */
export interface SessionHost {
  readonly store: RunStore;
  readonly in_flight: UnderWay;
  readonly log: Log;
  readonly lease_ms: number;
  /** Milliseconds of the monotonic clock. */
  now(): number;
  /** Returns how many of an agent's slots untrusted work may use. */
  untrustedSlots(slots: number): number;
  /** Counts the slots of all sessions by run and by project. */
  readonly slots: Pick<SlotTracker, 'hold' | 'free' | 'sharedBy'> & SlotBounds;
  /** True if the server has more than one org. */
  hasSeveralOrgs(): boolean;
  /** Registers the agent and returns its id. Ends an older session of the same agent. */
  introduce(session: Session, hello: AgentHello): Promise<string>;
  /** Called when slots became free. */
  slotFreed(): void;
  onEnded(session: Session): Promise<void>;
}

type Requests = { [Op in keyof ChannelRequests]: ChannelRequests[Op]['body'] };
type Handlers = { [Op in Exclude<keyof ChannelRequests, 'hello'>]: (body: Requests[Op]) => Promise<unknown> };

/** A claim of the agent. */
interface SessionClaim {
  epoch: number;
  untrusted: boolean;
  /** When it was assigned or last renewed, by the monotonic clock. */
  renewed_at: number;
}

/**
 * Agents renew their claims three times per lease. A claim that was not renewed for this many leases has been
 * abandoned.
 */
const MAX_UNRENEWED_LEASES = 2;

/**
 * The server's end of one agent's channel. A claim may be used only by its own session: the epoch fences off older
 * claims, and the set of claims kept here fences off other agents.
 */
export class Session implements AgentSession {
  readonly session_id: string;
  readonly identity: AgentIdentity;
  readonly #host: SessionHost;
  readonly #push: (push: ChannelPush) => void;
  readonly #transport: AgentTransport | undefined;
  readonly #claims = new Map<string, SessionClaim>();
  /** Activities that parked here, for which the agent may have kept the program. */
  readonly #retained = new BoundedMap<string, { epoch: number; until: number }>(MAX_RETAINED);
  readonly #handlers: Handlers;
  readonly #slot_bounds: SlotBounds;
  #hello: AgentHello | undefined;
  #agent_id: string | undefined;
  #queue = '';
  #introducing = false;
  #is_open = true;
  /**
   * Total assignments that the agent would accept on this connection: those received before its last `ready`, plus
   * its free slots.
   */
  #credit = 0;
  #sent = 0;
  #reserved = 0;
  /** How many of the claims and of the reserved slots are for untrusted work. */
  #untrusted_claims = 0;
  #untrusted_reserved = 0;

  constructor(
    session_id: string,
    identity: AgentIdentity,
    host: SessionHost,
    push: (push: ChannelPush) => void,
    transport?: AgentTransport,
  ) {
    this.session_id = session_id;
    this.identity = identity;
    this.#host = host;
    this.#push = push;
    this.#transport = transport;
    this.#handlers = this.#makeHandlers();
    this.#slot_bounds =
      identity.org_id === undefined
        ? host.slots.sharedBy(
            new OrgPool(
              () => this.sizes,
              () => host.hasSeveralOrgs(),
            ),
          )
        : host.slots;
  }

  get agent_id(): string | undefined {
    return this.#agent_id;
  }

  get name(): string {
    return this.#hello?.name ?? '';
  }

  get capabilities(): readonly string[] {
    return this.#hello?.capabilities ?? [];
  }

  get executors(): readonly string[] {
    return this.#hello?.executors ?? [];
  }

  get isolated_only(): boolean {
    return this.#hello?.isolation.untrusted === 'only';
  }

  /** Whether the agent is part of this process and ends with it. */
  get in_process(): boolean {
    return this.#transport === undefined;
  }

  /** Sessions with equal keys can claim the same work. */
  get queue(): string {
    return this.#queue;
  }

  /** Number of assignments that it can take now. */
  get free_slots(): number {
    if (!this.#is_open || this.#agent_id === undefined || this.#transport?.congested()) return 0;
    return Math.max(0, this.#credit - this.#sent - this.#reserved);
  }

  /** Number of untrusted assignments that it can take now. */
  get free_untrusted_slots(): number {
    return Math.max(
      0,
      Math.min(this.free_slots, this.sizes.untrusted - this.#untrusted_claims - this.#untrusted_reserved),
    );
  }

  /** All its slots, and how many of them untrusted work may use. */
  get sizes(): PoolSizes {
    const all = this.#hello?.slots ?? 0;
    return { all, untrusted: this.isolated_only ? all : this.#host.untrustedSlots(all) };
  }

  /** Limits the slots of runs and projects and, if it serves several orgs, of each org. */
  get slot_bounds(): SlotBounds {
    return this.#slot_bounds;
  }

  /** Share of its slots in use, from 0 to 1. */
  get load(): number {
    return 1 - this.free_slots / (this.#hello?.slots ?? 1);
  }

  get isOpen(): boolean {
    return this.#is_open;
  }

  async handle(op: string, body: unknown): Promise<unknown> {
    try {
      return await this.#dispatch(op, body);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const reason = (error as Error).stack ?? String(error);
      this.#host.log.error({ op, agent_id: this.#agent_id, reason }, 'a request of an agent failed');
      throw Errors.internal(`the server failed to handle ${op}`);
    }
  }

  async close(): Promise<void> {
    if (!this.#is_open) return;
    this.#is_open = false;
    this.#host.in_flight.forget([...this.#claims].map(([activity_id, { epoch }]) => ({ activity_id, epoch })));
    for (const activity_id of this.#claims.keys()) this.#host.slots.free(activity_id, this);
    await this.#host.onEnded(this);
  }

  /** Ends the session and its transport because the agent reconnected. */
  supersede(): Promise<void> {
    this.#transport?.terminate(AgentErrors.superseded.title);
    return this.close();
  }

  /** Reserves slots for assignments in progress; `untrusted` of them are for untrusted work. */
  reserve(count: number, untrusted: number): void {
    this.#reserved += count;
    this.#untrusted_reserved += untrusted;
  }

  /** Frees reserved slots that got no assignment. */
  unreserve(count: number, untrusted: number): void {
    this.reserve(-count, -untrusted);
  }

  /** Sends work to a reserved slot. Throws when it cannot be sent. */
  assign(assignment: Assignment): void {
    if (!this.#is_open) throw AgentErrors.channelClosed('the agent disconnected');
    const { activity_id, epoch, trusted } = assignment;
    this.#host.slots.hold(assignment, this);
    this.#addClaim(activity_id, { epoch, untrusted: !trusted });
    this.#retained.delete(activity_id);
    try {
      this.#push({ push: 'assign', assignments: [assignment] });
    } catch (error) {
      this.#removeClaim(activity_id);
      throw error;
    }
    this.unreserve(1, trusted ? 0 : 1);
    this.#sent += 1;
  }

  #addClaim(activity_id: string, claim: Omit<SessionClaim, 'renewed_at'>): void {
    if (this.#claims.get(activity_id)?.untrusted) this.#untrusted_claims -= 1;
    this.#claims.set(activity_id, { ...claim, renewed_at: this.#host.now() });
    if (claim.untrusted) this.#untrusted_claims += 1;
  }

  /** Returns false when the claim was not held. */
  #removeClaim(activity_id: string): boolean {
    if (this.#claims.get(activity_id)?.untrusted) this.#untrusted_claims -= 1;
    const existed = this.#claims.delete(activity_id);
    this.#host.slots.free(activity_id, this);
    return existed;
  }

  /**
   * Drops claims that the agent silently abandoned because it could not renew them. Another server may have them by
   * now.
   */
  dropAbandoned(): void {
    const renewed_before = this.#host.now() - MAX_UNRENEWED_LEASES * this.#host.lease_ms;
    const abandoned = [...this.#claims].filter(([, { renewed_at }]) => renewed_at < renewed_before);
    for (const [activity_id, { epoch }] of abandoned) this.#dropClaim({ activity_id, epoch });
  }

  revoke(claim: ClaimRef, reason: string): void {
    if (!this.#is_open || !this.#dropClaim(claim)) return;
    this.#push({ push: 'revoke', claim: { activity_id: claim.activity_id, epoch: claim.epoch }, reason });
  }

  /** Tells the agent that the run of a claim was paused. */
  pause(claim: ClaimRef): void {
    if (!this.#is_open || !this.#hasClaim(claim) || !this.capabilities.includes(PAUSES)) return;
    this.#push({ push: 'pause', claim: { activity_id: claim.activity_id, epoch: claim.epoch } });
  }

  /** True when the agent may have kept the program of the activity, which another agent would have to start again. */
  retains(activity_id: string): boolean {
    const retained = this.#retained.get(activity_id);
    return retained !== undefined && retained.until > this.#host.now();
  }

  /** The activity has ended at its wait, so that the agent need not keep anything for it. */
  forget(claim: ClaimRef, reason: string): void {
    if (!this.#is_open || this.#retained.get(claim.activity_id)?.epoch !== claim.epoch) return;
    this.#retained.delete(claim.activity_id);
    this.#push({ push: 'revoke', claim: { activity_id: claim.activity_id, epoch: claim.epoch }, reason });
  }

  async #dispatch(op: string, body: unknown): Promise<unknown> {
    if (!this.#is_open) throw AgentErrors.channelClosed('the session has ended');
    if (!isChannelOp(op)) throw Errors.invalidRequest(`unknown request "${op.slice(0, 64)}"`);
    if (op === 'hello') return this.#introduce(body);
    if (this.#agent_id === undefined) throw AgentErrors.helloRequired(`${op} was sent before hello`);
    const handle = this.#handlers[op] as (body: unknown) => Promise<unknown>;
    return handle(validateBody(op, body));
  }

  async #introduce(body: unknown): Promise<AgentWelcome> {
    const protocol = (body as Partial<AgentHello> | null | undefined)?.protocol;
    if (typeof protocol === 'number' && protocol !== CHANNEL_PROTOCOL)
      throw AgentErrors.protocolUnsupported(`the agent uses protocol ${protocol}, the server uses ${CHANNEL_PROTOCOL}`);
    const hello = validateBody('hello', body);
    if (this.#introducing) throw Errors.invalidRequest('hello was sent twice on one connection');
    this.#introducing = true;
    try {
      return await this.#resume(hello);
    } catch (error) {
      this.#introducing = false;
      throw error;
    }
  }

  /** Renews claims that the agent still works on, and releases those that it never received or abandoned. */
  async #resume(hello: AgentHello): Promise<AgentWelcome> {
    const { store, lease_ms } = this.#host;
    const agent_id = await this.#host.introduce(this, hello);
    const { lost } = hello.holding.length > 0 ? await store.renew(agent_id, hello.holding, lease_ms) : { lost: [] };
    await store.releaseAllBut(agent_id, hello.holding);
    const uses = await store.slotUsesOf(hello.holding.map(({ activity_id }) => activity_id));
    if (!this.#is_open) {
      // The connection closed during the hello, before the agent was registered.
      await this.#host.onEnded(this);
      throw AgentErrors.channelClosed('the agent disconnected');
    }
    for (const { activity_id, epoch } of hello.holding)
      this.#addClaim(activity_id, { epoch, untrusted: uses.get(activity_id)?.trusted === false });
    this.#applyRenewal(hello.holding, lost);
    for (const use of uses.values()) if (this.#claims.has(use.activity_id)) this.#host.slots.hold(use, this);
    this.#hello = hello;
    this.#queue = queueKey(this.identity, hello);
    this.#agent_id = agent_id;
    return { agent_id, lease_ms, lost, project_id: this.identity.project_id };
  }

  #makeHandlers(): Handlers {
    const { store } = this.#host;
    return {
      ready: (body) => this.#ready(body),
      renew: ({ claims }) => this.#renew(claims),
      append: ({ claim, record }) => this.#fenced(claim, () => store.append(claim, record)),
      perform: ({ claim, call }) => this.#fenced(claim, async () => ({ record: await store.perform(claim, call) })),
      park: ({ claim, wait }) => this.#park(claim, () => store.park(claim, wait)),
      attempt: ({ claim, failed }) => this.#park(claim, () => store.attempt(claim, failed)),
      complete: ({ claim, completion }) => this.#end(claim, () => store.complete(claim, completion)),
      release: ({ claim }) => this.#end(claim, () => store.release(claim)),
      annotate: ({ claim, nth, text }) => this.#fenced(claim, () => store.annotate(claim, nth, text)),
      logs: ({ claim, chunks }) => this.#fenced(claim, () => store.appendLogs(claim, chunks)),
      under_way: ({ calls }) => this.#reportCalls(calls),
    };
  }

  async #ready(body: Requests['ready']): Promise<unknown> {
    this.#credit = body.free + (body.seen ?? this.#sent);
    if (this.free_slots > 0) this.#host.slotFreed();
    return {};
  }

  async #renew(claims: ClaimRef[]): Promise<Renewal> {
    if (claims.length === 0) return { lost: [] };
    const renewal = await this.#host.store.renew(this.#agent_id!, claims, this.#host.lease_ms);
    this.#applyRenewal(claims, renewal.lost);
    return renewal;
  }

  /** The store knows the owner of each claim, so a renewed claim belongs to this agent. */
  #applyRenewal(claims: readonly ClaimRef[], lost: readonly ClaimRef[]): void {
    const lost_keys = new Set(lost.map((claim) => `${claim.activity_id} ${claim.epoch}`));
    for (const claim of claims) {
      if (lost_keys.has(`${claim.activity_id} ${claim.epoch}`)) this.#dropClaim(claim);
      else {
        const untrusted = this.#claims.get(claim.activity_id)?.untrusted ?? false;
        this.#addClaim(claim.activity_id, { epoch: claim.epoch, untrusted });
      }
    }
  }

  /** Removes a claim; returns false when it was not held. */
  #dropClaim(claim: ClaimRef): boolean {
    if (!this.#hasClaim(claim)) return false;
    this.#host.in_flight.forget([claim]);
    return this.#removeClaim(claim.activity_id);
  }

  #hasClaim({ activity_id, epoch }: ClaimRef): boolean {
    return this.#claims.get(activity_id)?.epoch === epoch;
  }

  /** Reports of claims that ended in the meantime are dropped. */
  async #reportCalls(calls: readonly ToldCall[]): Promise<unknown> {
    const claimed = calls.filter(({ claim }) => this.#hasClaim(claim));
    await this.#host.in_flight.tell({ agent_id: this.#agent_id!, name: this.name }, claimed);
    return {};
  }

  async #fenced<T>(claim: ClaimRef, act: () => Promise<T>): Promise<T | Record<string, never>> {
    if (!this.#hasClaim(claim))
      throw leaseLost(`activity ${claim.activity_id} is not claimed by this agent at epoch ${claim.epoch}`);
    try {
      return (await act()) ?? {};
    } catch (error) {
      if (isServiceError(error, 'lease_lost')) this.#dropClaim(claim);
      throw error;
    }
  }

  async #end(claim: ClaimRef, act: () => Promise<void>): Promise<unknown> {
    const reply = await this.#fenced(claim, act);
    this.#dropClaim(claim);
    return reply;
  }

  /** Requests that may park the activity. */
  async #park(claim: ClaimRef, act: () => Promise<object>): Promise<unknown> {
    const reply = await this.#fenced(claim, act);
    if (!('parked' in reply)) return reply;
    this.#dropClaim(claim);
    const { activity_id, epoch } = claim;
    if (this.capabilities.includes(RETAINS))
      this.#retained.set(activity_id, { epoch, until: this.#host.now() + MAX_RETAINED_MS });
    return reply;
  }
}

const queueKey = ({ org_id, project_id }: AgentIdentity, { executors, capabilities, isolation }: AgentHello): string =>
  JSON.stringify([
    org_id ?? null,
    project_id ?? null,
    executors.toSorted(),
    capabilities.toSorted(),
    isolation.untrusted === 'only',
  ]);
