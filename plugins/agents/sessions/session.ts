import { Errors, isServiceError, type Log, ServiceError } from '../../../kernel/contracts/index.ts';
import type { ClaimRef, RunStore, ToldCall, UnderWay } from '../../runs/contract.ts';
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
} from '../contract.ts';
import { checkBody, isChannelOp } from '../domain/requests.ts';
import { AgentErrors, leaseLost } from '../errors.ts';
import type { HeldSlots } from './held-slots.ts';

/** What a session needs from other services. */
export interface SessionHost {
  readonly store: RunStore;
  readonly under_way: UnderWay;
  readonly log: Log;
  readonly lease_ms: number;
  /** Of the monotonic clock. */
  now(): number;
  /** How many of an agent's slots untrusted work may take. */
  untrustedSlots(slots: number): number;
  /** Counts the claims of all sessions by run and by project. */
  readonly slots: Pick<HeldSlots, 'hold' | 'free'>;
  /** Registers the agent and answers its id. Ends an older session of the same agent. */
  introduce(session: Session, hello: AgentHello): Promise<string>;
  /** Called when slots became free. */
  roomMade(): void;
  ended(session: Session): Promise<void>;
}

type Requests = { [Op in keyof ChannelRequests]: ChannelRequests[Op]['body'] };
type Handlers = { [Op in Exclude<keyof ChannelRequests, 'hello'>]: (body: Requests[Op]) => Promise<unknown> };

/** A claim of the agent. */
interface HeldClaim {
  epoch: number;
  untrusted: boolean;
  /** When it was assigned or named in a renewal, by the monotonic clock. */
  named_at: number;
}

/** The agent renews three times a lease what it works on. What it does not name for so many leases, it has given up. */
const UNNAMED_LEASES = 2;

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
  readonly #claims = new Map<string, HeldClaim>();
  readonly #handlers: Handlers;
  #hello: AgentHello | undefined;
  #agent_id: string | undefined;
  #queue = '';
  #introducing = false;
  #open = true;
  /**
   * Total assignments that the agent would accept on this connection: those it had seen at its last `ready`, plus its
   * free slots.
   */
  #credit = 0;
  #sent = 0;
  #reserved = 0;
  /** Of the claims and of the reserved slots, those for untrusted work. */
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

  /** The agent is a part of this process, and ends with it. */
  get in_process(): boolean {
    return this.#transport === undefined;
  }

  /** Sessions with an equal key can claim the same work. */
  get queue(): string {
    return this.#queue;
  }

  /** Assignments that it can take now. */
  get room(): number {
    if (!this.#open || this.#agent_id === undefined || this.#transport?.congested()) return 0;
    return Math.max(0, this.#credit - this.#sent - this.#reserved);
  }

  /** Assignments of untrusted work that it can take now. */
  get untrusted_room(): number {
    const slots = this.#hello?.slots ?? 0;
    const share = this.isolated_only ? slots : this.#host.untrustedSlots(slots);
    return Math.max(0, Math.min(this.room, share - this.#untrusted_claims - this.#untrusted_reserved));
  }

  /** Share of its slots in use, 0 to 1. */
  get load(): number {
    return 1 - this.room / (this.#hello?.slots ?? 1);
  }

  get open(): boolean {
    return this.#open;
  }

  async handle(op: string, body: unknown): Promise<unknown> {
    try {
      return await this.#dispatch(op, body);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const reason = (error as Error).stack ?? String(error);
      this.#host.log.error({ op, agent_id: this.#agent_id, reason }, 'a request of an agent failed');
      throw Errors.internal(`the server failed at ${op}`);
    }
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#host.under_way.forget([...this.#claims].map(([activity_id, { epoch }]) => ({ activity_id, epoch })));
    for (const activity_id of this.#claims.keys()) this.#host.slots.free(activity_id, this);
    await this.#host.ended(this);
  }

  /** Ends the session and its transport, because the agent reconnected. */
  supersede(): Promise<void> {
    this.#transport?.end(AgentErrors.superseded.title);
    return this.close();
  }

  /** Reserves slots for assignments in progress, so many of them for untrusted work. */
  reserve(count: number, untrusted: number): void {
    this.#reserved += count;
    this.#untrusted_reserved += untrusted;
  }

  /** Frees reserved slots to which nothing was assigned. */
  unreserve(count: number, untrusted: number): void {
    this.reserve(-count, -untrusted);
  }

  /** Sends work to a reserved slot. Throws when it cannot be sent. */
  assign(assignment: Assignment): void {
    if (!this.#open) throw AgentErrors.channelClosed('the agent went away');
    const { activity_id, epoch, trusted } = assignment;
    this.#host.slots.hold(assignment, this);
    this.#hold(activity_id, { epoch, untrusted: !trusted });
    try {
      this.#push({ push: 'assign', assignments: [assignment] });
    } catch (error) {
      this.#letGo(activity_id);
      throw error;
    }
    this.unreserve(1, trusted ? 0 : 1);
    this.#sent += 1;
  }

  #hold(activity_id: string, claim: Omit<HeldClaim, 'named_at'>): void {
    if (this.#claims.get(activity_id)?.untrusted) this.#untrusted_claims -= 1;
    this.#claims.set(activity_id, { ...claim, named_at: this.#host.now() });
    if (claim.untrusted) this.#untrusted_claims += 1;
  }

  /** False when it was not held. */
  #letGo(activity_id: string): boolean {
    if (this.#claims.get(activity_id)?.untrusted) this.#untrusted_claims -= 1;
    const held = this.#claims.delete(activity_id);
    this.#host.slots.free(activity_id, this);
    return held;
  }

  /** Lets go what the agent gave up without a word, because it could not renew it. Another server may have taken it back. */
  letGoUnnamed(): void {
    const since = this.#host.now() - UNNAMED_LEASES * this.#host.lease_ms;
    const given_up = [...this.#claims].filter(([, { named_at }]) => named_at < since);
    for (const [activity_id, { epoch }] of given_up) this.#drop({ activity_id, epoch });
  }

  revoke(claim: ClaimRef, reason: string): void {
    if (!this.#open || !this.#drop(claim)) return;
    this.#push({ push: 'revoke', claim: { activity_id: claim.activity_id, epoch: claim.epoch }, reason });
  }

  async #dispatch(op: string, body: unknown): Promise<unknown> {
    if (!this.#open) throw AgentErrors.channelClosed('the session is over');
    if (!isChannelOp(op)) throw Errors.invalidRequest(`unknown request "${op.slice(0, 64)}"`);
    if (op === 'hello') return this.#introduce(body);
    if (this.#agent_id === undefined) throw AgentErrors.helloRequired(`${op} came before hello`);
    const handle = this.#handlers[op] as (body: unknown) => Promise<unknown>;
    return handle(checkBody(op, body));
  }

  async #introduce(body: unknown): Promise<AgentWelcome> {
    const protocol = (body as Partial<AgentHello> | null | undefined)?.protocol;
    if (typeof protocol === 'number' && protocol !== CHANNEL_PROTOCOL)
      throw AgentErrors.protocolUnsupported(`the agent speaks protocol ${protocol}, the server ${CHANNEL_PROTOCOL}`);
    const hello = checkBody('hello', body);
    if (this.#introducing) throw Errors.invalidRequest('hello was sent twice on one connection');
    this.#introducing = true;
    try {
      return await this.#takeUp(hello);
    } catch (error) {
      this.#introducing = false;
      throw error;
    }
  }

  /** Renews claims that the agent still works on. Releases claims that it never received or gave up. */
  async #takeUp(hello: AgentHello): Promise<AgentWelcome> {
    const { store, lease_ms } = this.#host;
    const agent_id = await this.#host.introduce(this, hello);
    const { lost } = hello.holding.length > 0 ? await store.renew(agent_id, hello.holding, lease_ms) : { lost: [] };
    await store.releaseAllBut(agent_id, hello.holding);
    const uses = await store.slotUsesOf(hello.holding.map(({ activity_id }) => activity_id));
    if (!this.#open) {
      // The connection closed during the hello, before the agent was registered.
      await this.#host.ended(this);
      throw AgentErrors.channelClosed('the agent went away');
    }
    for (const { activity_id, epoch } of hello.holding)
      this.#hold(activity_id, { epoch, untrusted: uses.get(activity_id)?.trusted === false });
    this.#learn(hello.holding, lost);
    for (const use of uses.values()) if (this.#claims.has(use.activity_id)) this.#host.slots.hold(use, this);
    this.#hello = hello;
    this.#queue = queueOf(this.identity, hello);
    this.#agent_id = agent_id;
    const { project_id } = this.identity;
    return { agent_id, lease_ms, lost, ...(project_id !== undefined && { project_id }) };
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
      complete: ({ claim, completion }) => this.#last(claim, () => store.complete(claim, completion)),
      release: ({ claim }) => this.#last(claim, () => store.release(claim)),
      annotate: ({ claim, nth, text }) => this.#fenced(claim, () => store.annotate(claim, nth, text)),
      logs: ({ claim, chunks }) => this.#fenced(claim, () => store.appendLogs(claim, chunks)),
      under_way: ({ calls }) => this.#tell(calls),
    };
  }

  async #ready(body: Requests['ready']): Promise<unknown> {
    this.#credit = body.free + (body.seen ?? this.#sent);
    if (this.room > 0) this.#host.roomMade();
    return {};
  }

  async #renew(claims: ClaimRef[]): Promise<{ lost: ClaimRef[] }> {
    if (claims.length === 0) return { lost: [] };
    const { lost } = await this.#host.store.renew(this.#agent_id!, claims, this.#host.lease_ms);
    this.#learn(claims, lost);
    return { lost };
  }

  /** The store knows the owner of each claim: a renewed claim belongs to this agent. */
  #learn(claims: readonly ClaimRef[], lost: readonly ClaimRef[]): void {
    const gone = new Set(lost.map((claim) => `${claim.activity_id} ${claim.epoch}`));
    for (const claim of claims) {
      if (gone.has(`${claim.activity_id} ${claim.epoch}`)) this.#drop(claim);
      else {
        const untrusted = this.#claims.get(claim.activity_id)?.untrusted ?? false;
        this.#hold(claim.activity_id, { epoch: claim.epoch, untrusted });
      }
    }
  }

  /** Removes a claim; false when it was not held. */
  #drop(claim: ClaimRef): boolean {
    if (!this.#holds(claim)) return false;
    this.#host.under_way.forget([claim]);
    return this.#letGo(claim.activity_id);
  }

  #holds({ activity_id, epoch }: ClaimRef): boolean {
    return this.#claims.get(activity_id)?.epoch === epoch;
  }

  /** Claims that ended while this was on its way are passed over. */
  async #tell(calls: readonly ToldCall[]): Promise<unknown> {
    const held = calls.filter(({ claim }) => this.#holds(claim));
    await this.#host.under_way.tell({ agent_id: this.#agent_id!, name: this.name }, held);
    return {};
  }

  async #fenced<T>(claim: ClaimRef, act: () => Promise<T>): Promise<T | Record<string, never>> {
    if (!this.#holds(claim))
      throw leaseLost(`activity ${claim.activity_id} is not claimed by this agent at epoch ${claim.epoch}`);
    try {
      return (await act()) ?? {};
    } catch (error) {
      if (isServiceError(error, 'lease_lost')) this.#drop(claim);
      throw error;
    }
  }

  async #last(claim: ClaimRef, act: () => Promise<void>): Promise<unknown> {
    const answer = await this.#fenced(claim, act);
    this.#drop(claim);
    return answer;
  }

  /** What may park the activity. */
  async #park(claim: ClaimRef, act: () => Promise<object>): Promise<unknown> {
    const answer = await this.#fenced(claim, act);
    if ('parked' in answer) this.#drop(claim);
    return answer;
  }
}

const queueOf = ({ org_id, project_id }: AgentIdentity, { executors, capabilities, isolation }: AgentHello): string =>
  JSON.stringify([
    org_id ?? null,
    project_id ?? null,
    executors.toSorted(),
    capabilities.toSorted(),
    isolation.untrusted === 'only',
  ]);
