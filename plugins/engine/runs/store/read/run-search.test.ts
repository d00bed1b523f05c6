import t from 'tap';
import { Database } from '../../../../../kernel/contracts/index.ts';
import { parseOrigin, RunEngine, type RunFilter, type RunStatus, type Trigger } from '../../contract.ts';
import { originColumns } from '../../migrations/0016-origins.ts';
import { listRuns, searchOf } from './run-search.ts';
import { OTHER, SCOPE, StandInAgent, STORES, withEngine } from '../../../../../test/kit/index.ts';

const HOSTILE = ['Ünïcode ☃', "it's", '%', 'acme/app', 'acme/app ', 'ACME/app', '\u202e', '🦑'.repeat(120)];

const triggers: Trigger[] = [
  { type: 'manual' },
  { type: 'push', event: 'evt_1', handler: 'report', ref: 'refs/heads/main' },
  { type: 'push', event: 'evt_2', handler: 'other' },
  { type: 'schedule.tick', event: 'evt_3', schedule: 'report' },
];

/** The filter of a query, as plugin run-views parses it; times are hours before now: `1h`. */
const filter = ({ status, trigger, since, until, ...texts }: Record<string, string>): RunFilter => {
  const ago = (hours: string | undefined) =>
    hours === undefined ? undefined : Date.now() - Number.parseInt(hours, 10) * 3_600_000;
  return {
    ...{ tag: texts.tag, workflow: texts.workflow, subject: texts.subject, limit: 50, before: undefined },
    statuses: status === undefined ? [] : (status.split(',') as RunStatus[]),
    trigger: trigger === undefined ? undefined : (parseOrigin(trigger) as NonNullable<RunFilter['trigger']>),
    since: ago(since),
    until: ago(until),
  };
};

// @store: texts are compared by the collation.
for (const store of STORES) {
  t.test(`${store}: runs are found by their subject, byte by byte`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      for (const subject of HOSTILE) await use(RunEngine).submit(submit({ subject }));
      await use(RunEngine).submit(submit());
      await use(RunEngine).submit(submit({ ...OTHER, subject: 'acme/app' }));
      for (const subject of HOSTILE)
        t.equal((await listRuns(use(Database), SCOPE.project_id, filter({ subject }))).rows.length, 1, subject);
      t.same(await listRuns(use(Database), SCOPE.project_id, filter({ subject: 'acme' })), { rows: [] });
    }),
  );

  t.test(`${store}: runs are found by what started them, with other filters too`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      const ids: string[] = [];
      for (const trigger of triggers) {
        const made = await use(RunEngine).submit(submit({ trigger, triggered: true, tags: ['x'], subject: 's' }));
        ids.push(made.run_id);
      }
      const child = { trigger: { type: 'spawn', parent: ids[0]! }, parent: ids[0]! };
      ids.push((await use(RunEngine).submit(submit(child))).run_id);
      const found = async (query: Record<string, string>) =>
        (await listRuns(use(Database), SCOPE.project_id, filter(query))).rows.map(({ run_id }) => ids.indexOf(run_id));
      t.same(await found({ trigger: 'manual' }), [0]);
      t.same(await found({ trigger: 'push' }), [2, 1]);
      t.same(await found({ trigger: 'handler:report' }), [1]);
      t.same(await found({ trigger: 'schedule:report' }), [3]);
      t.same(await found({ trigger: 'event:evt_2' }), [2]);
      t.same(await found({ trigger: `run:${ids[0]}` }), [4]);
      t.same(await found({ trigger: 'push', subject: 's', tag: 'x', status: 'queued,waiting' }), [2, 1]);
      t.same(await found({ trigger: 'handler:report', subject: 's' }), [1]);
      t.same(await found({ trigger: 'push', subject: 'other' }), []);
      t.same(await found({ trigger: 'push', until: '1h' }), []);
      t.same(await found({ trigger: 'push', since: '1h' }), [2, 1]);
    }),
  );

  t.test(`${store}: runs of earlier versions are found like new ones`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      const odd: Trigger = { type: 'push', event: 'evt_4', schedule: 'ä'.repeat(300) };
      for (const trigger of [...triggers, odd])
        await use(RunEngine).submit(submit({ trigger, triggered: true, subject: 'sübject ' }));
      const database = use(Database);
      const columns = 'subject_bytes, trigger_type, trigger_event';
      const read = () => database.read(`SELECT run_id, trigger_name, ${columns} FROM runs_runs ORDER BY run_id`);
      const before = await read();
      await database.write(
        'UPDATE runs_runs SET subject_bytes = NULL, trigger_type = NULL, trigger_event = NULL, trigger_name = NULL',
      );
      const filling = originColumns[database.sql.family].find((statement) => statement.startsWith('UPDATE'))!;
      await database.write(filling);
      const after = await read();
      const strange = after.at(-1)!;
      // SQLite takes any text; a name that nothing can have is not found either.
      t.same([...after.slice(0, -1), { ...strange, trigger_name: null }], before);
    }),
  );

  t.test(`${store}: runs of all statuses are listed newest first, page by page`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      const agent = new StandInAgent(use);
      const ids: string[] = [];
      for (let n = 0; n < 9; n++) {
        ids.push((await use(RunEngine).submit(submit({ filename: n % 2 === 0 ? 'even.sh' : 'odd.sh' }))).run_id);
        // The first two of each three are claimed, and the first of them ends.
        if (n % 3 === 1) await agent.claimOne();
        if (n % 3 === 0) await agent.work(1);
      }
      await use(RunEngine).submit(submit(OTHER));
      const list = async (query: Record<string, string>, limit = 20) => {
        const found: number[] = [];
        for (let before: string | undefined; ; ) {
          const { rows } = await listRuns(use(Database), SCOPE.project_id, { ...filter(query), limit, before });
          found.push(...rows.slice(0, limit).map(({ run_id }) => ids.indexOf(run_id)));
          if (rows.length <= limit) return found;
          before = rows[limit - 1]!.run_id;
        }
      };
      const statuses = new Map<string, number[]>();
      for (const status of ['queued', 'running', 'succeeded']) statuses.set(status, await list({ status }));
      const all = [8, 7, 6, 5, 4, 3, 2, 1, 0];
      t.ok(
        [...statuses.values()].every(({ length }) => length > 0),
        'there are some of each',
      );
      t.same([...statuses.values()].flat().toSorted(), all.toSorted());
      t.same(await list({}), all);
      t.same(await list({}, 2), all, 'in pages too');
      t.same(await list({ since: '1h' }, 4), all);
      t.same(await list({ until: '1h' }), []);
      t.same(await list({ workflow: 'odd.sh' }, 1), [7, 5, 3, 1]);
      const two = (await list({ status: 'queued,succeeded' }, 2)).toSorted();
      t.same(two, [...statuses.get('queued')!, ...statuses.get('succeeded')!].toSorted());
    }),
  );

  t.test(`${store}: a search ends somewhere, however many runs there are, and goes on from there`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      const agent = new StandInAgent(use);
      const ids: string[] = [];
      for (let n = 0; n < 24; n++) {
        const trigger: Trigger = n % 2 === 0 ? { type: 'push', event: 'evt_1' } : { type: 'manual' };
        const run = {
          trigger,
          filename: n === 2 ? 'rare.sh' : 'usual.sh',
          subject: n < 20 ? 's' : 'other',
          tags: ['x'],
        };
        ids.push((await use(RunEngine).submit(submit({ ...run, triggered: true }))).run_id);
        if (n % 5 === 0) await agent.work(1);
      }
      const database = use(Database);
      const reach = { rows: 4, windows: 2 };
      const found = (query: Record<string, string>, limit = 50, before?: string) =>
        listRuns(database, SCOPE.project_id, { ...filter(query), limit, before }, reach);
      const nothing = await found({ workflow: 'none.sh' });
      t.same(nothing.rows, []);
      t.ok(ids.indexOf(nothing.scanned_to!) >= 24 - 8 * 7, 'so many of each status');
      const whole = async (query: Record<string, string>, limit: number) => {
        const all: string[] = [];
        let pages = 0;
        for (let before: string | undefined; ; pages += 1) {
          const { rows, scanned_to } = await found(query, limit, before);
          const page = rows.slice(0, limit).map(({ run_id }) => run_id);
          all.push(...page);
          before = rows.length > limit ? page.at(-1) : scanned_to;
          if (before === undefined) return { all, pages };
        }
      };
      for (const query of [
        { workflow: 'rare.sh' },
        { workflow: 'usual.sh' },
        { workflow: 'none.sh' },
        { workflow: 'rare.sh', status: 'queued' },
        { workflow: 'rare.sh', tag: 'x' },
        { tag: 'x', status: 'succeeded' },
        { subject: 's', status: 'succeeded' },
        { subject: 's', trigger: 'push' },
        { trigger: 'push', status: 'succeeded' },
        { trigger: 'event:evt_1', status: 'succeeded' },
        { since: '1h', workflow: 'rare.sh' },
        { until: '1h' },
      ] as Record<string, string>[]) {
        const told = JSON.stringify(query);
        const { rows } = await listRuns(database, SCOPE.project_id, { ...filter(query), limit: 50 });
        const expected = rows.map(({ run_id }) => run_id);
        for (const limit of [1, 3, 50]) t.same((await whole(query, limit)).all, expected, `${told} by ${limit}`);
      }
      t.ok((await whole({ workflow: 'rare.sh', tag: 'x' }, 50)).pages >= 2, 'the rare one is far back');
    }),
  );

  t.test(`${store}: each of these filters has an index that gives the order too`, (t) =>
    withEngine({ store }, async ({ use, submit }) => {
      await use(RunEngine).submit(submit({ subject: 's' }));
      const database = use(Database);
      const plan = async (query: Record<string, string>) => {
        const { statement, params } = searchOf(database, SCOPE.project_id, filter(query));
        const explain = database.sql.family === 'mysql' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
        return JSON.stringify(await database.read(`${explain} ${statement}`, params));
      };
      const indexes = {
        runs_runs_subject: { subject: 's', trigger: 'push', status: 'failed' },
        runs_runs_type: { trigger: 'push', status: 'failed', workflow: 'a.sh' },
        runs_runs_starter: { trigger: 'handler:x', status: 'failed' },
        runs_runs_event: { trigger: 'event:evt_1' },
        runs_runs_parent: { trigger: 'run:run_1' },
      } as const;
      for (const [index, query] of Object.entries(indexes)) {
        const told = await plan(query);
        t.match(told, index);
        if (!/event|parent/.test(index)) t.notMatch(told, /filesort|TEMP B-TREE/i, `${index} gives the order`);
      }
      if (store !== 'sqlite') return;
      const told = await plan({ workflow: 'a.sh', since: '1h' });
      const byRange = /INDEX runs_runs_status \(project_id=\? AND status=\? AND run_id>\?\)/g;
      t.equal(told.match(byRange)?.length, 6, 'of each status only runs that are young enough are looked at');
      t.equal(told.match(/SCAN s\d+.{0,60}TEMP B-TREE/g)?.length, 6, 'and no more are sorted than are shown');
    }),
  );
}
