import t from 'tap';
import { Database, insertRows, type Param, type Queries } from '../../../../../kernel/contracts/index.ts';
import { StandInAgent, STORES, withEngine } from '../../../../../test/kit/index.ts';
import { RunEngine } from '../../contract.ts';
import { readRunTimes } from './run-times.ts';

t.setTimeout(300_000);

const RUNS = 32;
const CALLS = 300;
const ATTEMPTS = 2;
/** Of all other runs of the database. */
const WAITS = 6000;
const LIMIT = 500;

const JOURNAL = [
  ...['run_id', 'activity_id', 'position', 'kind', 'name', 'site', 'ordinal', 'digest', 'exit_code', 'output'],
  ...['epoch', 'started_at', 'recorded_at'],
];
const FAILED = [
  ...['run_id', 'activity_id', 'position', 'attempt', 'attempts', 'kind', 'name', 'ordinal', 'exit_code', 'output'],
  ...['epoch', 'started_at', 'ended_at', 'next_at'],
];
const WAITED = [
  ...['run_id', 'activity_id', 'position', 'org_id', 'project_id', 'kind', 'substate', 'name', 'topic', 'ordinal'],
  ...['digest', 'args', 'state', 'seq', 'epoch', 'started_at', 'armed_at'],
];

const OUTPUT = Buffer.alloc(100);
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

function waitOf(run_id: string, activity_id: string, position: number): Param[] {
  const where = [run_id, activity_id, position, 'org', 'prj', 'wait-signal', 'signal'];
  return [...where, 'approved', '', 0, 'd', '{}', 'ended', 1, 1, 1, 2];
}

async function plant(database: Database, run_ids: readonly string[]): Promise<void> {
  for (const run_id of run_ids)
    await database.transaction(async (tx) => {
      const call = (n: number) => [run_id, 'act_x', n, 'step', `s${n}`, `s${n}`, 0, 'd', 1, OUTPUT, 1, 1, 2];
      const failed = (n: number) => {
        const [position, attempt] = [Math.floor(n / ATTEMPTS), n % ATTEMPTS];
        return [run_id, 'act_x', position, attempt, ATTEMPTS, 'step', `s${position}`, 0, 1, OUTPUT, 1, 10, 15, 20];
      };
      await insertRows(tx, 'INSERT INTO runs_journal', JOURNAL, times(CALLS, call));
      await insertRows(tx, 'INSERT INTO runs_attempts', FAILED, times(CALLS * ATTEMPTS, failed));
    });
  const wait = (n: number) => waitOf(`run_${String(n % 600).padStart(26, '0')}`, 'act_x', Math.floor(n / 600));
  await database.transaction((tx) => insertRows(tx, 'INSERT INTO runs_waits', WAITED, times(WAITS, wait)));
  if (database.sql.family === 'mysql') await database.read('ANALYZE TABLE runs_journal, runs_attempts, runs_waits');
}

interface PlanRow {
  detail?: string;
  table?: string;
  type?: string;
  Extra?: string;
}

/** What a plan says of rows that no limit bounds: those of other runs, and rows that are sorted before the first is answered. */
const unbounded = ({ detail = '', table, type, Extra = '' }: PlanRow): boolean =>
  /^SCAN|TEMP B-TREE/.test(detail) ||
  Extra.includes('temporary') ||
  (['w', 'runs_waits', 'j', 'runs_attempts'].includes(table ?? '') && (type === 'ALL' || type === 'index'));

// @store: each database plans in its own way.
for (const store of STORES)
  t.test(`${store}: the times of runs cost what their limit allows, however much other runs have stored`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      const database = use(Database);
      const run_ids: string[] = [];
      for (let n = 0; n < RUNS; n += 1) run_ids.push((await use(RunEngine).submit(submit())).run_id);
      await plant(database, run_ids);
      const statements: [string, readonly Param[]][] = [];
      const read: Queries['read'] = (sql, params = []) => {
        statements.push([sql, params]);
        return database.read(sql, params);
      };
      const found = await readRunTimes({ read }, run_ids, LIMIT);
      t.equal(found.truncated, true);
      t.same([found.calls.length, found.failures.length], [LIMIT, LIMIT]);
      t.match(found.failures[0], { kind: 'step', name: `s${found.failures[0]!.position}`, attempts: 2, lost_ms: 10 });
      t.equal(statements.length, 5);
      const explain = database.sql.family === 'mysql' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
      for (const [sql, params] of statements) {
        const plan = await database.read<PlanRow>(`${explain} ${sql}`, params);
        t.same(plan.filter(unbounded), [], sql.replaceAll(/\s+/g, ' ').slice(0, 300));
      }
    }),
  );

// @store: a wait is told from a call by a join.
for (const store of STORES)
  t.test(`${store}: a call that is a wait is among the waits only`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      const { run_id } = await use(RunEngine).submit(submit());
      const claim = await new StandInAgent(use).claimOne();
      const database = use(Database);
      await database.transaction(async (tx) => {
        const call = (n: number) => [
          run_id,
          claim.activity_id,
          n,
          'step',
          `s${n}`,
          `s${n}`,
          0,
          'd',
          0,
          OUTPUT,
          1,
          1,
          2,
        ];
        await insertRows(tx, 'INSERT INTO runs_journal', JOURNAL, times(2, call));
        await insertRows(tx, 'INSERT INTO runs_waits', WAITED, [waitOf(run_id, claim.activity_id, 1)]);
      });
      const { calls, waits } = await readRunTimes(database, [run_id], LIMIT);
      t.same(
        calls.map(({ name }) => name),
        ['s0'],
      );
      t.match(waits, [{ name: 'approved', kind: 'signal' }]);
    }),
  );
