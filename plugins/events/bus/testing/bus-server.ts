import { Clock, Database, Ids, Log, Metrics, type Resolve, Sealer } from '../../../../kernel/contracts/index.ts';
import {
  bootEngine,
  type EngineOptions,
  type EngineServer,
  openTestDatabase,
  type Store,
  testPlugin,
} from '../../../../test/kit/index.ts';
import { RunMasks } from '../../../security/masking/contract.ts';
import {
  type Claimed,
  type ClaimRef,
  ISOLATES,
  type Json,
  type NewRun,
  RunStore,
  WaitResolver,
  Wakeups,
} from '../../../engine/runs/contract.ts';
import { EventBus, type EventReaction, EventReactions, type NewEvent } from '../contract.ts';
import type { Bus } from '../service/bus.ts';
import { Deliverer } from '../service/deliverer.ts';
import { deliverAll, type RoundOptions } from '../service/delivery.ts';
import { createEventViews } from '../service/event-views.ts';
import { MatchNotifier } from '../service/match-notifier.ts';

/** One server without background work: a test does each pass of the deliverer itself. */
export class BusServer {
  readonly use: Resolve;
  readonly database;
  readonly store;
  readonly bus;
  readonly views;
  readonly ids;
  readonly resolver: WaitResolver;
  readonly logged;
  readonly clock;
  readonly #server: EngineServer;
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(server: EngineServer) {
    const { use } = server;
    this.use = use;
    this.database = use(Database);
    this.store = use(RunStore);
    this.bus = use(EventBus) as Bus;
    this.views = createEventViews({
      reactions: () => [],
      database: this.database,
      sealer: use(Sealer),
      bus: this.bus,
      masks: use(RunMasks),
    });
    this.ids = use(Ids);
    this.resolver = use(WaitResolver);
    this.logged = server.log.lines;
    this.clock = server.clock;
    this.#server = server;
  }

  #parts() {
    const { use, database, bus, resolver, store: runs } = this;
    return { database, sealer: use(Sealer), bus, resolver, runs, masks: use(RunMasks) };
  }

  /** One pass of the deliverer; answers how much it found. */
  deliver(rules: Partial<RoundOptions> = {}): Promise<number> {
    const failed = (error: unknown): never => {
      throw error;
    };
    const quiet: RoundOptions = {
      backwards: false,
      isStopped: () => false,
      onFailure: failed,
      onDelivered: () => undefined,
    };
    return deliverAll(this.#parts(), { ...quiet, ...rules });
  }

  /** The deliverer as the plugin starts it; stopped with the server. */
  startDeliverer(): void {
    const { use } = this;
    const deliverer = new Deliverer({
      ...this.#parts(),
      matches: use(MatchNotifier),
      wakeups: use(Wakeups),
      clock: use(Clock),
      log: use(Log),
      metrics: use(Metrics),
    });
    this.#stops.push(deliverer.start());
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#server.close();
  }
}

/** Servers on one database. They do their background work when `idle` is false. */
export async function openServers(
  store: Store,
  count: number,
  reactions: readonly EventReaction[] = [],
  options: Pick<EngineOptions, 'idle' | 'env'> = {},
) {
  const database = await openTestDatabase(store);
  const reacting = testPlugin('reacting', (plugin) => plugin.contribute(EventReactions, () => reactions), {
    requires: ['bus'],
  });
  const servers: BusServer[] = [];
  for (let n = 0; n < count; n++)
    servers.push(new BusServer(await bootEngine({ ...options, database, plugins: [reacting] })));
  return {
    servers,
    async close() {
      for (const server of servers) await server.close();
      await database.drop();
    },
  };
}

/** One project on a server. */
export class BusProject {
  readonly server: BusServer;
  readonly scope: { org_id: string; project_id: string };

  constructor(server: BusServer, scope?: { org_id: string; project_id: string }) {
    this.server = server;
    this.scope = scope ?? { org_id: server.ids.next('org'), project_id: server.ids.next('prj') };
  }

  /** The same project on another server. */
  on(server: BusServer): BusProject {
    return new BusProject(server, this.scope);
  }

  newEvent(type: string, over: Partial<NewEvent> = {}): NewEvent {
    const from = { source: 'emit', source_name: '', generation: 0, trusted: true, refusable: true } as const;
    return { ...this.scope, type, key: null, payload: null, ...from, ...over };
  }

  async emit(type: string, over: Partial<NewEvent> = {}): Promise<string> {
    return (await this.server.bus.emit(this.newEvent(type, over))).event_id;
  }

  newRun(over: Partial<NewRun> = {}): NewRun {
    const { ids } = this.server;
    const activity = { activity_id: ids.next('act'), name: 'script', executor: 'script', spec: null, requires: [] };
    return {
      ...this.scope,
      run_id: ids.next('run'),
      org: 'acme',
      project: 'web',
      kind: 'script',
      workflow: 'build.sh',
      source: 'true',
      trigger: { type: 'manual' },
      trusted: true,
      generation: 0,
      activities: [activity],
      ...over,
    } as NewRun;
  }

  async submit(over: Partial<NewRun> = {}): Promise<NewRun> {
    const run = this.newRun(over);
    await this.server.store.createRun(run);
    return run;
  }

  claim(limit = 1): Promise<Claimed[]> {
    const by = { agent_id: 'agt_one', org_id: this.scope.org_id, capabilities: [ISOLATES] };
    return this.server.store.claim(by, limit, 600_000);
  }

  /** A run of its own that is claimed. */
  async started(over: Partial<NewRun> = {}): Promise<Claimed> {
    await this.submit(over);
    const [claimed] = await this.claim();
    return claimed!;
  }

  /** Parks a claimed activity on a type of event. */
  async waitFor(claim: ClaimRef, type: string, more: { timeout_ms?: number; args?: Json; position?: number } = {}) {
    const { position = 0, args = {}, timeout_ms } = more;
    return this.server.store.park(claim, {
      position,
      kind: 'wait-event',
      name: type,
      ordinal: position,
      digest: '',
      args,
      ...(timeout_ms === undefined ? {} : { timeout_ms }),
      started_at: 1,
    });
  }

  /** A run that waits for a type of event. */
  async waiting(type: string, over: Partial<NewRun> = {}, args: Json = {}): Promise<Claimed> {
    const claim = await this.started(over);
    await this.waitFor(claim, type, { args });
    return claim;
  }
}
