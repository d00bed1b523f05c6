import {
  Database,
  GroupCommits,
  Ids,
  Metrics,
  lockable,
  migration,
  Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { EmitResult, EventBus, NewEvent } from '../../bus/contract.ts';
import { createAuditedWrites } from '../../../platform/resources/contract.ts';
import { type NewRun, type RunCancellation, RunCreation, type SubmitRun } from '../../../engine/runs/contract.ts';
import { StoredWorkflows } from '../../workflows/contract.ts';
import { Schedules } from '../service/schedules.ts';
import { Ticker } from '../service/ticker.ts';
import { openRunObserver, WaitingTicks } from '../service/waiting-ticks.ts';
import {
  alteredDatabase,
  boot,
  type TestDatabase,
  testPlugin,
  type TestServer,
  type VirtualClock,
} from '../../../../test/kit/index.ts';

export const SCOPE = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'web' };

/** What the bus and the engine would store for schedules, in the same transaction. */
const doubles = migration('0002-doubles', [
  'CREATE TABLE schedules_test_heads (project_id {id} NOT NULL PRIMARY KEY, seq {int} NOT NULL){end}',
  lockable('schedules_test_heads'),
  `CREATE TABLE schedules_test_events (
    project_id {id} NOT NULL, dedup {id} NOT NULL, event_id {id} NOT NULL, event {text} NOT NULL,
    PRIMARY KEY (project_id, dedup)
  ){end}`,
  'CREATE TABLE schedules_test_runs (run_id {id} NOT NULL PRIMARY KEY, run {text} NOT NULL){end}',
]);

const kept = testPlugin('schedule-doubles', (plugin) => plugin.migrations([doubles]));

const bus: Pick<EventBus, 'lock' | 'record' | 'findDuplicates'> = {
  async lock(tx, { project_id }) {
    await tx.write(`${tx.sql.insert_ignore} schedules_test_heads (project_id, seq) VALUES (?, 0)`, [project_id]);
    const head = { table: 'schedules_test_heads', key: ['project_id'], columns: 'seq' };
    await tx.lock({ ...head, where: 'project_id = ?', params: [project_id] });
  },
  async record(tx, events) {
    const results: EmitResult[] = [];
    for (const event of events) results.push(await recordOne(tx, event));
    return results;
  },
  async findDuplicates(tx, { project_id }, dedups) {
    const rows = await tx.read<{ dedup: string }>('SELECT dedup FROM schedules_test_events WHERE project_id = ?', [
      project_id,
    ]);
    const recorded = new Set(rows.map(({ dedup }) => `schedule:${dedup}`));
    return new Set(dedups.filter((dedup) => recorded.has(dedup)));
  },
};

async function recordOne(tx: Transaction, event: NewEvent): Promise<EmitResult> {
  const key = [event.project_id, event.dedup!.replace('schedule:', '')];
  const [first] = await tx.read<{ event_id: string }>(
    'SELECT event_id FROM schedules_test_events WHERE project_id = ? AND dedup = ?',
    key,
  );
  if (first) return { event_id: first.event_id, type: event.type, duplicate: true };
  await tx.write('INSERT INTO schedules_test_events (project_id, dedup, event_id, event) VALUES (?, ?, ?, ?)', [
    ...key,
    event.event_id!,
    JSON.stringify(event),
  ]);
  return { event_id: event.event_id!, type: event.type, duplicate: false };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Schedules on a real database whose clock the test controls; the bus and the engine are doubles. */
export async function openWorld(
  shared: TestDatabase,
  clock: Pick<VirtualClock, 'now'>,
  creation: Partial<RunCreation> = {},
) {
  let server: TestServer | undefined;
  const idOf = (prefix: string) => server!.use(Ids).next(prefix);
  const plan = async (run: SubmitRun): Promise<NewRun> => ({
    ...run,
    source: run.source!,
    run_id: idOf('run'),
    kind: 'script',
    workflow: 'script',
    activities: [],
  });
  const engine: RunCreation = {
    prepare: plan,
    plan: (_on, run) => plan(run),
    async createIn(tx, runs) {
      for (const run of runs)
        await tx.write('INSERT INTO schedules_test_runs (run_id, run) VALUES (?, ?)', [
          run.run_id,
          JSON.stringify(run),
        ]);
      return runs.map(({ run_id }) => ({ run_id, status: 'queued' as const, duplicate: false }));
    },
    program: async () => undefined,
    untrustedRefusal: async () => undefined,
    countStarted: async () => undefined,
    inherit: async () => Promise.reject(new Error('no run creates another one here')),
    countSpawn: async () => undefined,
    countChildren: async () => undefined,
    ...creation,
  };
  server = await boot({
    database: shared,
    plugins: ['schedules', kept],
    quiet: true,
    replace: [[RunCreation, () => engine]],
  });
  const { use, log } = server;
  const real = use(Database);
  const database = alteredDatabase(real, { usesCommitCertification: () => false, now: () => clock.now() });
  const shares = {
    ...{ database, creation: engine, ids: use(Ids) },
    ...{ sealer: use(Sealer), workflows: use(StoredWorkflows) },
  };
  const cancelled: string[] = [];
  const cancellation: RunCancellation = {
    async cancelRuns(runs, work) {
      await database.transaction(work);
      for (const { run_id } of runs) cancelled.push(run_id);
    },
  };
  const observer = openRunObserver({ topic: (topic) => void topics.push(topic) });
  /** Ends runs like the engine, which tells observers in its transaction. */
  const end = (...runs: NewRun[]) =>
    real.transaction((tx) =>
      observer.onTransitions(
        tx,
        runs.map((run) => ({ ...SCOPE, ...run, type: 'run.succeeded', subject: null, trace: null, payload: {} })),
      ),
    );
  const writes = createAuditedWrites(database, { record: async () => undefined });
  const topics: string[] = [];
  const rows = async (table: string, column: string) =>
    (await real.read<Record<string, string>>(`SELECT ${column} AS value FROM ${table} ORDER BY 1`)).map(({ value }) =>
      JSON.parse(value!),
    );
  return {
    get lines() {
      return log.lines.map(({ message }) => message);
    },
    topics,
    database: real,
    schedules: new Schedules({ ...shares, bus, writes, wakeups: { topic: (topic) => void topics.push(topic) } }),
    ticker: new Ticker({ ...shares, group_commits: use(GroupCommits), log, metrics: use(Metrics), bus, cancellation }),
    waiting: new WaitingTicks({ ...shares, bus, log }),
    cancelled,
    end,
    events: (): Promise<NewEvent[]> => rows('schedules_test_events', 'event'),
    runs: (): Promise<NewRun[]> => rows('schedules_test_runs', 'run'),
    close: () => server.close(),
  };
}
