import t from 'tap';
import { Database, type Param } from '../../../../kernel/contracts/index.ts';
import type { AgentHello } from '../contract.ts';
import { ids } from '../testing/doubles.ts';
import { AgentTable } from './agent-table.ts';
import { boot, STORES } from '../../../../test/kit/index.ts';

const hello = (instance: string, given: Partial<AgentHello> = {}): AgentHello => ({
  protocol: 1,
  name: 'añ ☃',
  instance,
  os: 'linux',
  arch: 'x64',
  capabilities: ['bash', 'gpu'],
  slots: 4,
  version: '0.1.0',
  pid: 7,
  executors: ['test'],
  isolation: { untrusted: 'isolate' },
  holding: [],
  ...given,
});

for (const store of STORES)
  t.test(`${store}: statements that name sessions read only their agents`, async (t) => {
    const server = await boot({ store, plugins: ['agents'], quiet: true });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const statements: [statement: string, params: readonly Param[]][] = [];
    const { read, write } = database;
    database.read = (statement, params = []) => {
      statements.push([statement, params]);
      return read.call(database, statement, params) as never;
    };
    database.write = (statement, params = []) => {
      statements.push([statement, params]);
      return write.call(database, statement, params);
    };
    const table = new AgentTable(database);
    for (let n = 0; n < 20; n += 1)
      await table.introduce({
        ...{ agent_id: ids.next('agt'), identity: { org_id: 'org_a', token_id: 'tok_a' }, hello: hello(`i${n}`) },
        ...{ session_id: `s${n}`, server: 'host:1' },
      });
    statements.length = 0;
    await table.touch(['s1', 's2']);
    await table.markOffline('s1');
    const named = statements.filter(([statement]) => /session_id (?:IN|=)/.test(statement));
    t.equal(named.length, 3);
    const explain = database.sql.family === 'mysql' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
    for (const [statement, params] of named) {
      const plan = JSON.stringify(await read.call(database, `${explain} ${statement}`, params));
      t.match(plan, /agents_agents_session/, statement);
    }
  });

for (const store of STORES)
  t.test(`agents_agents on ${store}`, async (t) => {
    const server = await boot({ store, plugins: ['agents'], quiet: true });
    t.teardown(() => server.close());
    const table = new AgentTable(server.use(Database));
    const enter = (instance: string, session_id: string, org_id: string | null = 'org_a', token_id = 'tok_a') =>
      table.introduce({
        agent_id: ids.next('agt'),
        identity: { org_id: org_id ?? undefined, token_id },
        hello: hello(instance),
        session_id,
        server: 'host:1',
      });

    const first = await enter('i1', 's1');
    t.equal(await enter('i1', 's2'), first, 'the same process keeps its id');
    t.not(await enter('i1', 's3', 'org_b', 'tok_b'), first, 'not under another token');
    const racing = await Promise.all(Array.from({ length: 8 }, (_, n) => enter('i2', `r${n}`)));
    t.equal(new Set(racing).size, 1, 'hellos that race agree');
    await enter('i3', 's4', null, 'builtin');

    t.same(await table.touch(['s1', 's2', 's4']), ['s1'], 'a session that was replaced is told so');
    t.same(await table.touch([]), []);
    await table.markOffline('s1');
    const ofA = await table.list({ org_ids: ['org_a'], limit: 10 });
    t.equal(ofA.length, 3, 'its own and the built-in one');
    t.match(ofA.at(-1), {
      agent_id: first,
      name: 'añ ☃',
      state: 'online',
      capabilities: '["bash","gpu"]',
      slots: 4,
      pid: 7,
    });
    t.ok(
      ofA.every(
        ({ last_seen_at, first_seen_at }) => Number.isSafeInteger(last_seen_at) && last_seen_at >= first_seen_at,
      ),
    );
    await table.markOffline('s2');
    t.equal((await table.list({ org_ids: ['org_a'], limit: 10 })).at(-1)!.state, 'offline');
    t.equal((await table.list({ org_ids: [], limit: 10 })).length, 1);
    const [newest] = await table.list({ org_ids: ['org_a', 'org_b'], limit: 1 });
    const rest = await table.list({ org_ids: ['org_a', 'org_b'], limit: 10, before: newest!.agent_id });
    t.equal(rest.length, 3);

    t.equal(await table.prune(60_000), 0);
    await server
      .use(Database)
      .write('UPDATE agents_agents SET last_seen_at = last_seen_at - 100000 WHERE agent_id = ?', [first]);
    t.equal(await table.prune(60_000), 1);
    t.notOk((await table.list({ org_ids: ['org_a'], limit: 10 })).some(({ agent_id }) => agent_id === first));
  });
