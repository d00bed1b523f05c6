import { createIds } from '../../../kernel/boot/services/ids.ts';
import { systemClock } from '../../../kernel/boot/services/clock.ts';
import type { Database, Log, Metrics } from '../../../kernel/contracts/index.ts';
import { openDatabase } from '../../../kernel/database/index.ts';
import { createExpressions } from '../../../kernel/expressions/index.ts';
import { auditTables } from '../../audit/migrations/0001-audit.ts';
import { SqlAudit } from '../../audit/service/sql-audit.ts';
import { maskingTables } from '../../masking/migrations/0001-masking.ts';
import { createMaskers } from '../../masking/service/maskers.ts';
import { SealedRunMasks } from '../../masking/service/run-masks.ts';
import type { Claimed, ClaimRef, Json, NewRun } from '../../runs/contract.ts';
import { runsMigrations } from '../../runs/migrations/index.ts';
import { createWakeups } from '../../runs/service/wakeups.ts';
import { signalQueue, waitSignalKind } from '../../runs/store/signals.ts';
import { SqlRunStore } from '../../runs/store/sql-run-store.ts';
import { PlaceSealer } from '../../runs/testing/place-sealer.ts';
import { openTestDatabase, type Store } from '../../runs/testing/test-database.ts';
import type { EventReaction, NewEvent } from '../contract.ts';
import { busTables } from '../migrations/0001-bus.ts';
import { createBell } from '../service/bell.ts';
import { Bus } from '../service/bus.ts';
import { Deliverer } from '../service/deliverer.ts';
import { deliverAll } from '../service/delivery.ts';
import { emitVerb } from '../service/emit-verb.ts';
import { envelopeSource } from '../service/envelopes.ts';
import { createEventViews } from '../service/event-views.ts';
import { lifecycleObserver } from '../service/lifecycle.ts';
import { Recorder } from '../service/recorder.ts';
import { submitObserver } from '../service/triggers.ts';
import { eventWaitKind } from '../service/wait-kind.ts';

/** Lines that were logged. */
export interface Logged {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

function recordingLog(lines: Logged[]): Log {
  const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log };
  return log;
}

const uncounted: Metrics = {
  counter: () => ({ inc: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
  gauge: () => undefined,
  render: async () => ({ text: '', type: '' }),
};

/** One server's engine and bus, without its process. */
export class BusServer {
  readonly database: Database;
  readonly store: SqlRunStore;
  readonly bus: Bus;
  readonly views;
  readonly sealer = new PlaceSealer();
  readonly ids = createIds(systemClock);
  readonly logged: Logged[] = [];
  readonly #bell = createBell();
  readonly #wakeups;
  readonly #close: () => Promise<void>;
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(handle: Awaited<ReturnType<typeof openDatabase>>, reactions: readonly EventReaction[]) {
    const { database, group_commits } = handle;
    const { sealer, ids } = this;
    const log = recordingLog(this.logged);
    const audit = new SqlAudit(database, ids);
    const expressions = createExpressions();
    this.database = database;
    this.#close = () => handle.close();
    this.#wakeups = createWakeups(log);
    const recorder = new Recorder({
      database,
      sealer,
      ids,
      audit,
      log,
      metrics: uncounted,
      reactions: () => reactions,
      expressions: () => expressions,
      fired: () => this.#bell.ring(),
    });
    this.bus = new Bus({ database, group_commits, sealer, recorder });
    const masks = new SealedRunMasks({ database, sealer, ids, maskers: createMaskers() });
    const signals = signalQueue(sealer, database);
    this.store = new SqlRunStore({
      database,
      group_commits,
      sealer,
      ids,
      wakeups: this.#wakeups,
      wait_kinds: [
        waitSignalKind(sealer, () => database.now()),
        eventWaitKind({ database, sealer, signals, expressions: () => expressions }),
      ],
      verbs: [emitVerb(sealer, this.bus)],
      observers: [lifecycleObserver(this.bus)],
      submit_observers: [submitObserver(this.bus)],
      envelope_sources: [envelopeSource(this.bus)],
      audit,
      masks,
      activity_observers: [],
      public_url: undefined,
    });
    this.views = createEventViews({ database, sealer, bus: this.bus, masks });
  }

  #parts() {
    const { database, sealer, bus, store } = this;
    return { database, sealer, bus, resolver: store, runs: store };
  }

  /** One pass of the deliverer; answers how much it found. */
  deliver(rules: Partial<Parameters<typeof deliverAll>[1]> = {}): Promise<number> {
    const failed = (error: unknown): never => {
      throw error;
    };
    const quiet = { backwards: false, stopped: () => false, failed, delivered: () => undefined };
    return deliverAll(this.#parts(), { ...quiet, ...rules });
  }

  /** The deliverer as the plugin starts it; stopped with the server. */
  startDeliverer(): void {
    const log = recordingLog(this.logged);
    const [bell, wakeups, clock] = [this.#bell, this.#wakeups, systemClock];
    const deliverer = new Deliverer({ ...this.#parts(), bell, wakeups, clock, log, metrics: uncounted });
    this.#stops.push(deliverer.start());
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#close();
  }
}

/** Servers on one database. */
export async function openServers(store: Store, count: number, reactions: readonly EventReaction[] = []) {
  const place = await openTestDatabase(store);
  const servers: BusServer[] = [];
  for (let n = 0; n < count; n++) {
    const deps = { clock: systemClock, ids: createIds(systemClock), log: recordingLog([]) };
    const handle = await openDatabase({ database_url: place.url }, deps);
    await handle.migrate([
      { plugin: 'audit', migrations: [auditTables] },
      { plugin: 'masking', migrations: [maskingTables] },
      { plugin: 'runs', migrations: runsMigrations },
      { plugin: 'bus', migrations: [busTables] },
    ]);
    servers.push(new BusServer(handle, reactions));
  }
  return {
    url: place.url,
    servers,
    async close() {
      for (const server of servers) await server.close();
      await place.drop();
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
    const by = { agent_id: 'agt_one', org_id: this.scope.org_id, capabilities: [] };
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
