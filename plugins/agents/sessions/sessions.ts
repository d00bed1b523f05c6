import type { Cancel, Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import type { InstantClaimer, InstantClaims, RunStore, UnderWay, Wakeups } from '../../runs/contract.ts';
import type {
  AgentHello,
  AgentIdentity,
  AgentSession,
  AgentSessions,
  AgentTransport,
  ChannelPush,
} from '../contract.ts';
import type { AgentTable } from '../store/agent-table.ts';
import type { HomeAgents } from './home-agents.ts';
import { Dispatcher, type DispatcherParts } from './dispatcher.ts';
import { HeldSlots, type SlotLimits } from './held-slots.ts';
import { Session, type SessionHost } from './session.ts';

export interface SessionsParts extends Omit<DispatcherParts, 'sessions' | 'slots'> {
  store: RunStore;
  under_way: UnderWay;
  wakeups: Wakeups;
  instant: InstantClaims;
  table: Pick<AgentTable, 'introduce' | 'touch' | 'leave' | 'prune'>;
  clock: Clock;
  ids: Ids;
  log: Log;
  lease_ms: number;
  /** How many of an agent's slots untrusted work may take. */
  untrustedSlots(slots: number): number;
  /** How many slots of all its agents each run and each project may hold. */
  slot_limits: SlotLimits;
  /** Of a process that alone may use its folder. */
  home?: HomeAgents | undefined;
  /** The server at which each agent is connected, for `svc agents ls`. */
  server: string;
}

/** An agent that was not seen for this long counts as offline, whatever its row says. */
export const SEEN_WITHIN_MS = 35_000;
const TOUCH_MS = 10_000;
/** How long offline agents are shown. */
const KEEP_MS = 24 * 3_600_000;

/** All agents connected to this server, and their work. */
export class Sessions implements AgentSessions, SessionHost {
  readonly store: RunStore;
  readonly under_way: UnderWay;
  readonly log: Log;
  readonly lease_ms: number;
  readonly slots: HeldSlots;
  readonly dispatcher: Dispatcher;
  readonly #parts: SessionsParts;
  readonly #sessions = new Map<string, Session>();
  /** How sessions of this process leave the instant claims. */
  readonly #leaves = new Map<string, () => void>();
  readonly #stops: (() => void)[] = [];
  #cancelTouch: Cancel | undefined;
  #touching: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.store = parts.store;
    this.under_way = parts.under_way;
    this.log = parts.log;
    this.lease_ms = parts.lease_ms;
    this.slots = new HeldSlots(parts.slot_limits, parts.clock, () => this.dispatcher.wake());
    const { slots } = this;
    this.dispatcher = new Dispatcher({ ...parts, slots, sessions: () => this.#sessions.values() });
  }

  untrustedSlots(slots: number): number {
    return this.#parts.untrustedSlots(slots);
  }

  now(): number {
    return this.#parts.clock.monotonic();
  }

  get size(): number {
    return this.#listed().length;
  }

  async start(): Promise<void> {
    const { wakeups, home } = this.#parts;
    await home?.takeBack();
    this.#stops.push(
      wakeups.onWork(() => this.dispatcher.wake()),
      wakeups.onRevoked((claim) => this.#find(claim.agent_id)?.revoke(claim, claim.reason)),
    );
    this.dispatcher.start();
    this.#scheduleTouch();
  }

  /** Stops claiming, releases work that was not handed over, and ends every session. Agents keep their claims. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
    this.#cancelTouch?.();
    await this.dispatcher.stop();
    await this.#touching;
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  connect(identity: AgentIdentity, push: (push: ChannelPush) => void, transport?: AgentTransport): AgentSession {
    const session = new Session(this.#parts.ids.next('ses'), identity, this, push, transport);
    this.#sessions.set(session.session_id, session);
    this.#leaves.set(session.session_id, this.#parts.instant.join(this.#claimerOf(session)));
    return session;
  }

  async introduce(session: Session, hello: AgentHello): Promise<string> {
    const { table, ids, server, log } = this.#parts;
    const { identity, session_id } = session;
    const agent_id = identity.unlisted
      ? ids.next('agt')
      : await table.introduce({ agent_id: ids.next('agt'), identity, hello, session_id, server });
    if (session.in_process) await this.#parts.home?.note(agent_id);
    const older = this.#find(agent_id);
    if (older && older !== session) await older.supersede();
    if (!identity.unlisted)
      log.info({ agent_id, name: hello.name, slots: hello.slots, holding: hello.holding.length }, 'an agent connected');
    return agent_id;
  }

  roomMade(): void {
    this.dispatcher.roomMade();
  }

  /** Its claims stay until they expire: the agent may reconnect, here or at another server, and continue. */
  async ended(session: Session): Promise<void> {
    this.#sessions.delete(session.session_id);
    this.#leaves.get(session.session_id)?.();
    this.#leaves.delete(session.session_id);
    if (session.identity.unlisted) return;
    try {
      await this.#parts.table.leave(session.session_id);
    } catch (error) {
      const reason = (error as Error).message;
      this.log.warn({ agent_id: session.agent_id, reason }, 'recording that an agent left failed; its row will expire');
    }
    if (session.agent_id) this.log.info({ agent_id: session.agent_id, name: session.name }, 'an agent disconnected');
  }

  #claimerOf(session: Session): InstantClaimer {
    const { lease_ms, dispatcher, slots } = this;
    return {
      lease_ms,
      slots,
      org_id: session.identity.org_id,
      project_id: session.identity.project_id,
      get isolated_only() {
        return session.isolated_only;
      },
      get agent_id() {
        return session.agent_id!;
      },
      get executors() {
        return session.executors;
      },
      get capabilities() {
        return session.capabilities;
      },
      get room() {
        return dispatcher.isDry(session, { trusted: true }) ? session.room : 0;
      },
      get untrusted_room() {
        return dispatcher.isDry(session, { trusted: false }) ? session.untrusted_room : 0;
      },
      get load() {
        return session.load;
      },
      claimed: (load, taken) => dispatcher.handOverInstant(session, load, taken),
    };
  }

  #listed(): Session[] {
    return [...this.#sessions.values()].filter(({ identity }) => !identity.unlisted);
  }

  #find(agent_id: string): Session | undefined {
    return [...this.#sessions.values()].find((session) => session.agent_id === agent_id);
  }

  #scheduleTouch(): void {
    this.#cancelTouch = this.#parts.clock.after(
      TOUCH_MS,
      () => {
        this.#touching = this.#touch().finally(() => {
          if (!this.#stopped) this.#scheduleTouch();
        });
      },
      { unref: true },
    );
  }

  /** Marks connected agents as alive. Ends sessions whose agent reconnected at another server. */
  async #touch(): Promise<void> {
    const { table } = this.#parts;
    for (const session of this.#sessions.values()) session.letGoUnnamed();
    try {
      const known = this.#listed().filter((session) => session.agent_id !== undefined);
      const replaced = await table.touch(known.map((session) => session.session_id));
      for (const session_id of replaced) await this.#sessions.get(session_id)?.supersede();
      await table.prune(KEEP_MS);
    } catch (error) {
      this.log.warn({ reason: (error as Error).message }, 'updating the list of agents failed; retrying');
    }
  }
}
