import { createIds } from '../../../kernel/boot/services/ids.ts';
import { systemClock } from '../../../kernel/boot/services/clock.ts';
import type { Database, Log, Transaction } from '../../../kernel/contracts/index.ts';
import { openDatabase } from '../../../kernel/database/index.ts';
import { createMetrics } from '../../../kernel/http/index.ts';
import type { EmitResult, EventBus, NewEvent } from '../../bus/contract.ts';
import type { NewRun, RunCreation, SubmitRun } from '../../runs/contract.ts';
import { PlaceSealer } from '../../runs/testing/place-sealer.ts';
import type { TestDatabase } from '../../runs/testing/test-database.ts';
import type { VirtualClock } from '../../runs/testing/virtual-clock.ts';
import { scheduleTables } from '../migrations/0001-schedules.ts';
import { migration } from '../../../kernel/contracts/index.ts';
import { Schedules } from '../service/schedules.ts';
import { Ticker } from '../service/ticker.ts';

export const SCOPE = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'web' };

/** What the bus and the engine would keep, as far as schedules ask them to, in the same transaction. */
const doubles = migration('0002-doubles', [
  'CREATE TABLE schedules_test_heads (project_id {id} NOT NULL PRIMARY KEY, seq {int} NOT NULL){end}',
  `CREATE TABLE schedules_test_events (
    project_id {id} NOT NULL, dedup {id} NOT NULL, event_id {id} NOT NULL, event {text} NOT NULL,
    PRIMARY KEY (project_id, dedup)
  ){end}`,
  'CREATE TABLE schedules_test_runs (run_id {id} NOT NULL PRIMARY KEY, run {text} NOT NULL){end}',
]);

const bus: Pick<EventBus, 'lock' | 'record'> = {
  async lock(tx, { project_id }) {
    await tx.write(`${tx.sql.insert_ignore} schedules_test_heads (project_id, seq) VALUES (?, 0)`, [project_id]);
    await tx.read(`SELECT seq FROM schedules_test_heads WHERE project_id = ? ${tx.sql.for_update}`, [project_id]);
  },
  async record(tx, events) {
    const results: EmitResult[] = [];
    for (const event of events) results.push(await recordOne(tx, event));
    return results;
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

/** Schedules on a real database whose clock is turned by hand; the bus and the engine are doubles. */
export async function openWorld(
  shared: TestDatabase,
  clock: Pick<VirtualClock, 'now'>,
  creation: Partial<RunCreation> = {},
) {
  const ids = createIds(systemClock);
  const lines: string[] = [];
  const write = (_: Record<string, unknown>, message: string) => void lines.push(message);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  const handle = await openDatabase({ database_url: shared.url }, { clock: systemClock, log, ids });
  await handle.migrate([{ plugin: 'schedules', migrations: [scheduleTables, doubles] }]);
  const real = handle.database;
  const database: Database = {
    sql: real.sql,
    sequelize: real.sequelize,
    read: (statement, params) => real.read(statement, params),
    write: (statement, params) => real.write(statement, params),
    transaction: (work) => real.transaction(work),
    ping: () => real.ping(),
    now: () => clock.now(),
  };
  const plan = (run: SubmitRun): NewRun => ({
    ...run,
    run_id: ids.next('run'),
    kind: 'script',
    workflow: 'script',
    activities: [],
  });
  const engine: RunCreation = {
    prepare: async (run) => plan(run),
    plan,
    async createIn(tx, runs) {
      for (const run of runs)
        await tx.write('INSERT INTO schedules_test_runs (run_id, run) VALUES (?, ?)', [
          run.run_id,
          JSON.stringify(run),
        ]);
      return runs.map(({ run_id }) => ({ run_id, status: 'queued' as const, duplicate: false }));
    },
    ...creation,
  };
  const sealer = new PlaceSealer();
  const shares = { database, sealer, ids, creation: engine };
  const quiet = { record: async () => undefined, recordAll: async () => undefined };
  const topics: string[] = [];
  const rows = async (table: string, column: string) =>
    (await real.read<Record<string, string>>(`SELECT ${column} AS value FROM ${table} ORDER BY 1`)).map(({ value }) =>
      JSON.parse(value!),
    );
  return {
    lines,
    topics,
    database: real,
    schedules: new Schedules({ ...shares, audit: quiet, wakeups: { topic: (topic) => void topics.push(topic) } }),
    ticker: new Ticker({ ...shares, group_commits: handle.group_commits, log, metrics: createMetrics(), bus }),
    events: (): Promise<NewEvent[]> => rows('schedules_test_events', 'event'),
    runs: (): Promise<NewRun[]> => rows('schedules_test_runs', 'run'),
    close: () => handle.close(),
  };
}
