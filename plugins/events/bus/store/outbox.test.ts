import t from 'tap';
import { Database, type Param, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import { bootEngine, countReads, countWalked, STORES } from '../../../../test/kit/index.ts';
import type { PendingEvent } from '../contract.ts';
import { emittersOfAny } from './emitters.ts';
import {
  insertPending,
  MAX_SKIPS,
  NOT_SKIPPED,
  type OutboxRow,
  pendingProjects,
  readFirstEvents,
  readPending,
  readSkips,
  retrySetAside,
  setAside,
} from './outbox.ts';

/** Events that wait for a number, of one project; their bodies fill some pages each. */
const WAITING = 1000;
const BODY = Buffer.alloc(20_000, 'x');
/** Pages of a SQLite file: what leads to the rows. */
const MOST_WALKED = 24;
const walking = countWalked();

t.setTimeout(600_000);

const event = (n: number, more: Partial<PendingEvent> = {}): PendingEvent =>
  ({
    event_id: `evt_${String(n).padStart(6, '0')}`,
    project_id: 'prj_a',
    org_id: 'org_a',
    type: 'many',
    key: null,
    payload: null,
    source: 'lifecycle',
    source_name: `run_${n}`,
    generation: 0,
    trusted: true,
    withheld: false,
    ...more,
  }) as PendingEvent;

for (const store of STORES)
  t.test(`${store}: what is read of events that wait for a number does not depend on how many wait`, async (t) => {
    const server = await bootEngine({ store, plugins: ['bus'] });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const counted = countReads(database);
    const add = (events: readonly PendingEvent[]) =>
      database.transaction((tx) =>
        insertPending(
          tx,
          events.map((one) => ({ event: one, sealed: BODY })),
          1000,
        ),
      );
    for (let from = 0; from < WAITING; from += 100) await add(Array.from({ length: 100 }, (_, n) => event(from + n)));
    await add([
      event(WAITING, { type: 'rare' }),
      event(WAITING + 1, { project_id: 'prj_b' }),
      event(WAITING + 2, { type: 'run.started', source_name: 'run_7' }),
    ]);
    // The oldest cannot be recorded.
    await database.transaction(async (tx) => {
      for (let n = 0; n < 400; n += 1) await setAside(tx, event(n).event_id, 2000);
    });

    const within = async <T>(what: string, most_rows: number, work: () => Promise<T>): Promise<T> => {
      const { result, walked } = await walking(() => counted(work));
      t.ok(walked.pages < MOST_WALKED, `${what}: ${walked.pages} pages, most for ${walked.largest.statement}`);
      t.ok(result.reads.rows <= most_rows, `${what}: ${result.reads.rows} rows`);
      return result.result;
    };
    // The caller of these functions removes the rows, which only this test leaves where they are.
    const transacted = (work: (tx: Transaction) => Promise<OutboxRow[]>) =>
      database.transaction(async (tx) => {
        const rows = await work(tx);
        tx.skipConflictGuard(
          'bus_outbox',
          rows.map(({ event_id }) => [event_id]),
        );
        return rows;
      });
    const projects = await within('projects', 3, () => pendingProjects(database, '', 64));
    t.same(
      projects.map(({ project_id }) => project_id),
      ['prj_a', 'prj_b'],
    );
    t.same(await pendingProjects(database, 'prj_a', 64), [{ project_id: 'prj_b', org_id: 'org_a' }]);
    const [oldest] = await within('the oldest', 4, () => transacted((tx) => readPending(tx, 'prj_a', 1)));
    t.equal(oldest!.event_id, event(400).event_id, 'what is set aside is passed over');
    const first = await within('of a run', 4, () =>
      transacted((tx) => readFirstEvents(tx, 'prj_a', ['run_7', 'run_9'])),
    );
    t.same(
      first.map(({ event_id }) => event_id),
      [event(WAITING + 2).event_id],
    );
    const many = Array.from({ length: 100 }, (_, n) => `run_${n + 500}`);
    t.same(await within('of many runs', 0, () => transacted((tx) => readFirstEvents(tx, 'prj_a', many))), []);
    const skips = await within('of a type', 1, () => readSkips(database, 'prj_a', ['rare', 'other']));
    t.same([...skips], [['rare', event(WAITING).event_id]]);
    const backlog = await within('of types with many', 2 * (MAX_SKIPS + 2), () =>
      readSkips(database, 'prj_a', ['rare', 'many', 'other']),
    );
    t.equal(backlog.get('rare'), event(WAITING).event_id);
    const text = backlog.get('many')!;
    t.equal(text.length, 1 + MAX_SKIPS * (event(0).event_id.length + 1) - 1, 'a wait stays small');
    const isSkipped = async (n: number, of: string | null) => {
      const { event_id } = event(n);
      const ids = [event_id, event_id, event_id];
      const armed = '(SELECT ? AS skips) armed';
      const found = await database.read(`SELECT 1 AS one FROM ${armed} WHERE ${NOT_SKIPPED}`, [of, ...ids]);
      return found.length === 0;
    };
    const waiting = [0, 1, WAITING - MAX_SKIPS - 1, WAITING - MAX_SKIPS, WAITING - 1];
    for (const n of waiting) t.equal(await isSkipped(n, text), true, `event ${n} was emitted before`);
    for (const n of [WAITING, WAITING + 1, 5000]) t.equal(await isSkipped(n, text), false, `event ${n} is new`);
    t.same([await isSkipped(0, null), await isSkipped(0, backlog.get('rare')!)], [false, false]);
    t.equal(await isSkipped(WAITING, backlog.get('rare')!), true);
    const emitters = await within('emitters', 1, () => emittersOfAny(database, 'prj_a', ['run_900', 'run_none']));
    t.same([...emitters], ['run_900']);

    const statements: [statement: string, params: readonly Param[]][] = [];
    const on: Pick<Queries, 'write'> = {
      write: (statement, params = []) =>
        database.write(statement, params).finally(() => statements.push([statement, params])),
    };
    t.equal(await retrySetAside(on, 2000), 0);
    t.equal(await retrySetAside(on, 2001), 400);
    const explain = database.sql.family === 'mysql' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
    for (const [statement, params] of statements)
      t.match(JSON.stringify(await database.read(`${explain} ${statement}`, params)), /bus_outbox_pending/, statement);
  });
