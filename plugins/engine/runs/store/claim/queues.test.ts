import t from 'tap';
import { Database, Ids, type Param, type Queries } from '../../../../../kernel/contracts/index.ts';
import { bootEngine, STORES, testPlugin } from '../../../../../test/kit/index.ts';
import { Activities, type FullSlots, ISOLATES, LightExecutors, RunEngine, type SlotBounds } from '../../contract.ts';
import { findCandidates } from './queues.ts';

t.setTimeout(300_000);

const light = testPlugin('light', (plugin) => plugin.contribute(LightExecutors, () => [{ executor: 'light' }]), {
  requires: ['runs'],
});

/** What a server says about how it finds the rows of a statement. */
async function planOf(on: Queries, statement: string, params: readonly Param[]): Promise<string> {
  const explain = on.sql.family === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const rows = await on.read(`${explain} ${statement}`, params);
  return rows.map((row) => Object.values(row).join(' ')).join('\n');
}

for (const store of STORES)
  t.test(`${store}: trusted work comes first, by as many statements as before, each with an index`, async (t) => {
    const server = await bootEngine({ store, plugins: [light] });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const engine = server.use(RunEngine);
    const runs: Record<'trusted' | 'untrusted', string[]> = { trusted: [], untrusted: [] };
    const begin = async (trusted: boolean) => {
      const { run_id } = await engine.submit(server.submit({ trusted }));
      runs[trusted ? 'trusted' : 'untrusted'].push(run_id);
      const activity = { name: 'light', executor: 'light', spec: null, requires: [] };
      await database.transaction((tx) =>
        server
          .use(Activities)
          .add(tx, { ...server.scope, run_id }, [{ ...activity, activity_id: server.use(Ids).next('act') }]),
      );
    };
    for (let n = 0; n < 12; n += 1) await begin(false);
    for (let n = 0; n < 3; n += 1) await begin(true);
    const asked: [statement: string, params: readonly Param[]][] = [];
    const on: Pick<Queries, 'read' | 'sql'> = {
      sql: database.sql,
      read(statement, params = []) {
        asked.push([statement, params]);
        return database.read(statement, params);
      },
    };
    const texts = (statements: typeof asked) => statements.map(([statement]) => statement);
    const by = { agent_id: 'agt_1', capabilities: [ISOLATES] };
    const find = (limit: number, more: object) =>
      findCandidates(on, { ...by, ...more }, limit, database.now() + 1000).then((found) =>
        found.map(({ run_id, untrusted }) => [run_id, untrusted]),
      );
    const all = (of: 'trusted' | 'untrusted', count: number) =>
      runs[of].slice(0, count).map((run_id) => [run_id, of === 'untrusted']);
    for (const executor of ['script', 'light']) {
      const executors = [executor];
      t.same(
        await find(3, { executors }),
        all('trusted', 3),
        'none of untrusted runs, although they have waited longer',
      );
      t.same(await find(5, { executors }), [...all('trusted', 3), ...all('untrusted', 2)], 'each kind by age');
      asked.length = 0;
      t.same(await find(5, { executors, untrusted_room: 0 }), all('trusted', 3), 'who has no room reads none of them');
      t.equal(asked.length, 2, 'the lanes, and the one of trusted work');
      const plain = asked.splice(0);
      const slots = (full: FullSlots): SlotBounds => ({ take: () => true, giveBack: () => {}, full: () => full });
      const bounded = slots({ runs: [], projects: [] });
      await find(5, { executors, untrusted_room: 0, slots: bounded });
      t.same(texts(asked), texts(plain), 'where nothing is full, bounds change no statement and add none');
      asked.length = 0;
      const some = slots({ runs: [...runs.trusted.slice(0, 2), ...runs.untrusted.slice(0, 7)], projects: [] });
      t.same(
        await find(4, { executors, slots: some }),
        [...all('trusted', 3).slice(2), ...all('untrusted', 10).slice(7)],
        'what stands behind full runs is found',
      );
      t.equal(asked.length, 3, 'the lanes, and two of them');
      const none = slots({ runs: [], projects: [server.scope.project_id] });
      t.same(await find(4, { executors, slots: none }), []);
      asked.push(...plain);
    }
    for (const [statement, params] of asked) {
      const plan = await planOf(database, statement, params);
      t.match(plan, /runs_activities_claimable/, plan);
      t.notMatch(plan, /SCAN a\b|SCAN runs_activities/, plan);
      if (database.sql.family === 'mysql') t.notMatch(plan, /DERIVED|temporary/, 'no table of its own on disk');
    }
  });

for (const store of STORES)
  t.test(`${store}: priorities order the work of a project, and delay no other project`, async (t) => {
    const server = await bootEngine({ store });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const names = new Map<string, string>();
    const submit = async (name: string, priority: number, project_id = server.scope.project_id) => {
      const { run_id } = await server.use(RunEngine).submit({ ...server.submit({ priority }), project_id });
      names.set(run_id, name);
    };
    await submit('old a', 0);
    await submit('old b', 0, 'prj_2');
    await submit('new a', 0);
    await submit('low', 1);
    await submit('high', 9);
    await submit('high b', 9, 'prj_2');
    await submit('last a', 0);
    let asked = 0;
    const on: Pick<Queries, 'read' | 'sql'> = {
      sql: database.sql,
      read(statement, params = []) {
        asked += 1;
        return database.read(statement, params);
      },
    };
    const find = async (limit: number, by: object = {}) => {
      const found = await findCandidates(
        on,
        { agent_id: 'agt_1', capabilities: [], executors: ['script'], ...by },
        limit,
        database.now() + 1000,
      );
      return found.map(({ run_id }) => names.get(run_id));
    };
    t.same(
      await find(7),
      ['high', 'high b', 'low', 'old a', 'new a', 'old b', 'last a'],
      'each project has its turns by age, and fills them by priority',
    );
    t.same(await find(1), ['high'], 'whatever is read');
    t.same(await find(2), ['high', 'high b']);
    asked = 0;
    t.same(await find(7, { project_id: 'prj_2' }), ['high b', 'old b']);
    t.equal(asked, 3, 'the queues, that of all projects, and that of the priority');
    const idOf = (name: string) => [...names].find(([, known]) => known === name)![0];
    await database.write('UPDATE runs_activities SET due = due - ? WHERE run_id = ?', [91 * 60_000, idOf('new a')]);
    t.equal((await find(7))[0], 'new a', 'ten minutes of waiting outweigh one level');
    const viewed = await server.use(RunEngine).read(server.scope, idOf('high'));
    t.equal(viewed.priority, 9);
  });
