import type { Cancel, Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import type { InstantClaimer, InstantClaims, RunStore, UnderWay, Wakeups } from '../../../engine/runs/contract.ts';
import type { Scopes } from '../../../security/access/contract.ts';
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
import { Dispatcher, type DispatcherDeps } from './dispatcher.ts';
import { SlotTracker, type SlotLimits } from './slot-tracker.ts';
import { Session, type SessionHost } from './session.ts';

export interface SessionsDeps extends Omit<DispatcherDeps, 'sessions' | 'slots'> {
  store: RunStore;
  in_flight: UnderWay;
  wakeups: Wakeups;
  eager_claims: InstantClaims;
  table: Pick<AgentTable, 'introduce' | 'touch' | 'markOffline' | 'prune'>;
  scopes: Pick<Scopes, 'hasSeveralOrgs'>;
  clock: Clock;
  ids: Ids;
  log: Log;
  lease_ms: number;
  /** Returns how many of an agent's slots untrusted work may use. */
  untrustedSlots(slots: number): number;
  /** How many slots across all agents each run and each project may use. */
  slot_limits: SlotLimits;
  /** Set for a process that alone may use its folder. */
  home_agents?: HomeAgents | undefined;
  /** The server to which each agent is connected, for `svc agents ls`. */
  server: string;
}

/** An agent that was not seen for this long counts as offline, whatever its row says. */
export const MAX_SILENCE_MS = 35_000;
const TOUCH_MS = 10_000;
/** How long offline agents are listed. */
const OFFLINE_RETENTION_MS = 24 * 3_600_000;

/** All agents connected to this server, and their work. */
export class Sessions implements AgentSessions, SessionHost {
  readonly store: RunStore;
  readonly in_flight: UnderWay;
  readonly log: Log;
  readonly lease_ms: number;
  readonly slots: SlotTracker;
  readonly dispatcher: Dispatcher;
  readonly #deps: SessionsDeps;
  readonly #sessions = new Map<string, Session>();
  /** Functions that unregister sessions of this process from eager claims. */
  readonly #unregister = new Map<string, () => void>();
  readonly #stops: (() => void)[] = [];
  #cancelTouch: Cancel | undefined;
  #touching: Promise<void> | undefined;
  #stopped = false;
  #has_several_orgs = false;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.store = deps.store;
    this.in_flight = deps.in_flight;
    this.log = deps.log;
    this.lease_ms = deps.lease_ms;
    this.slots = new SlotTracker(deps.slot_limits, deps.clock, () => this.dispatcher.wake());
    const { slots } = this;
    this.dispatcher = new Dispatcher({ ...deps, slots, sessions: () => this.#sessions.values() });
  }

  hasSeveralOrgs(): boolean {
    return this.#has_several_orgs;
  }

  untrustedSlots(slots: number): number {
    return this.#deps.untrustedSlots(slots);
  }

  now(): number {
    return this.#deps.clock.monotonic();
  }

  get size(): number {
    return this.#listed().length;
  }

  async start(): Promise<void> {
    const { wakeups, home_agents } = this.#deps;
    await home_agents?.releaseFormer();
    this.#has_several_orgs = await this.#deps.scopes.hasSeveralOrgs();
    this.#stops.push(
      wakeups.onWork(() => this.dispatcher.wake()),
      wakeups.onPaused(({ agent_id, ...claim }) => this.#find(agent_id)?.pause(claim)),
      wakeups.onRevoked(({ agent_id, reason, ...claim }) => {
        if (agent_id !== null) this.#find(agent_id)?.revoke(claim, reason);
        else for (const session of this.#sessions.values()) session.forget(claim, reason);
      }),
    );
    this.dispatcher.start();
    this.#scheduleTouch();
  }

  /** Stops claiming, releases work that has not reached an agent, and ends every session. Agents keep their claims. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
    this.#cancelTouch?.();
    await this.dispatcher.stop();
    await this.#touching;
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  connect(identity: AgentIdentity, push: (push: ChannelPush) => void, transport?: AgentTransport): AgentSession {
    const session = new Session(this.#deps.ids.next('ses'), identity, this, push, transport);
    this.#sessions.set(session.session_id, session);
    this.#unregister.set(session.session_id, this.#deps.eager_claims.join(this.#toClaimer(session)));
    return session;
  }

  async introduce(session: Session, hello: AgentHello): Promise<string> {
    const { table, ids, server, log } = this.#deps;
    const { identity, session_id } = session;
    const agent_id = identity.unlisted
      ? ids.next('agt')
      : await table.introduce({ agent_id: ids.next('agt'), identity, hello, session_id, server });
    if (session.in_process) await this.#deps.home_agents?.remember(agent_id);
    const older = this.#find(agent_id);
    if (older && older !== session) await older.supersede();
    if (!identity.unlisted)
      log.info({ agent_id, name: hello.name, slots: hello.slots, holding: hello.holding.length }, 'an agent connected');
    return agent_id;
  }

  slotFreed(): void {
    this.dispatcher.slotFreed();
  }

  /** Its claims stay until they expire, because the agent may reconnect here or to another server and continue. */
  async onEnded(session: Session): Promise<void> {
    this.#sessions.delete(session.session_id);
    this.#unregister.get(session.session_id)?.();
    this.#unregister.delete(session.session_id);
    if (session.identity.unlisted) return;
    try {
      await this.#deps.table.markOffline(session.session_id);
    } catch (error) {
      const reason = (error as Error).message;
      this.log.warn({ agent_id: session.agent_id, reason }, 'recording that an agent left failed; its row will expire');
    }
    if (session.agent_id) this.log.info({ agent_id: session.agent_id, name: session.name }, 'an agent disconnected');
  }

  #toClaimer(session: Session): InstantClaimer {
    const { lease_ms, dispatcher } = this;
    return {
      lease_ms,
      slots: session.slot_bounds,
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
        return dispatcher.isEmptyFor(session, { trusted: true }) ? session.free_slots : 0;
      },
      get untrusted_room() {
        return dispatcher.isEmptyFor(session, { trusted: false }) ? session.free_untrusted_slots : 0;
      },
      get load() {
        return session.load;
      },
      retains: (activity_id) => session.retains(activity_id),
      claimed: (load, taken) => dispatcher.deliverEager(session, load, taken),
    };
  }

  #listed(): Session[] {
    return [...this.#sessions.values()].filter(({ identity }) => !identity.unlisted);
  }

  #find(agent_id: string): Session | undefined {
    return [...this.#sessions.values()].find((session) => session.agent_id === agent_id);
  }

  #scheduleTouch(): void {
    this.#cancelTouch = this.#deps.clock.after(
      TOUCH_MS,
      () => {
        this.#touching = this.#touch().finally(() => {
          if (!this.#stopped) this.#scheduleTouch();
        });
      },
      { unref: true },
    );
  }

  /** Marks connected agents as alive. Ends sessions whose agent reconnected to another server. */
  async #touch(): Promise<void> {
    const { table, scopes } = this.#deps;
    for (const session of this.#sessions.values()) session.dropAbandoned();
    try {
      this.#has_several_orgs = await scopes.hasSeveralOrgs();
      const connected = this.#listed().filter((session) => session.agent_id !== undefined);
      const replaced = await table.touch(connected.map((session) => session.session_id));
      for (const session_id of replaced) await this.#sessions.get(session_id)?.supersede();
      await table.prune(OFFLINE_RETENTION_MS);
    } catch (error) {
      this.log.warn({ reason: (error as Error).message }, 'updating the list of agents failed; retrying');
    }
  }
}
