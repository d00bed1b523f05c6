import t from 'tap';
import { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { boot, STORES, type TestServer, until } from '../../../test/kit/index.ts';
import { RunReader } from '../../engine/runs/contract.ts';
import { EventLog } from '../../events/bus/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import { RunIndexing } from './contract.ts';
import { RunIndex } from './service/run-index.ts';

/** An index of its own, as another server has it. `database` may fail. */
const indexOf = ({ use }: TestServer, database = use(Database)) =>
  new RunIndex({
    database,
    sealer: use(Sealer),
    log: use(EventLog),
    reader: use(RunReader),
    masks: use(RunMasks),
  });

const set = async (server: TestServer, words: string) => {
  const body = { node: 'set', config: { values: { words } } };
  const { json } = await server.call('member', `POST ${server.scoped}/runs?wait=1m`, body);
  return json.run_id as string;
};

const find = async (server: TestServer, query: string) =>
  (await server.call('viewer', `GET ${server.scoped}/runs?${query}`)).json;

const found = async (server: TestServer, query: string): Promise<string[]> =>
  (await find(server, query)).runs.map(({ run_id }: { run_id: string }) => run_id);

/** The bus numbers the events of a run after its end. */
const announced = (server: TestServer, runs: number) =>
  until(async () => {
    const ends = await server.use(EventLog).latest(server.scope, 'run.succeeded', 200);
    return ends.length === runs;
  });

async function untilIdle(index: RunIndex): Promise<void> {
  for (let more = true; more; ) more = (await index.iterate()).hasMore ?? false;
}

// @store: the statements of the index.
for (const store of STORES)
  t.test(`${store}: nothing is missed, and nothing is readable in the database`, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    t.same((await find(server, 'output=anything')).search, { complete: true }, 'a new project has nothing to index');
    await server.use(RunIndexing).settle();

    const first = await set(server, 'wombat early');
    await announced(server, 1);
    t.match(await find(server, 'output=wombat'), { runs: [], search: { complete: false } });
    await untilIdle(indexOf(server));
    t.match(await find(server, 'output=wombat'), { runs: [{ run_id: first }], search: { complete: true } });

    const ids = [];
    for (let n = 0; n < 140; n++) ids.push(await set(server, `batch number${n}`));
    await announced(server, 141);
    const database = server.use(Database);
    const killed = Object.create(database, {
      read: { value: database.read.bind(database) },
      now: { value: database.now.bind(database) },
      transaction: {
        value: (work: Parameters<Database['transaction']>[0]) =>
          database.transaction(async (tx) => {
            await work(tx);
            throw new Error('killed before the commit');
          }),
      },
    }) as Database;
    await t.rejects(indexOf(server, killed).iterate(), { message: 'killed before the commit' });
    t.same(await found(server, 'output=batch'), [], 'the terms and the position are stored together');
    await Promise.all([untilIdle(indexOf(server)), untilIdle(indexOf(server))]);
    t.same(await found(server, 'output=batch&limit=200'), ids.toReversed());
    t.same(await found(server, 'output=BATCH%20number7'), [ids[7]]);
    const page = await find(server, 'output=batch&limit=100');
    t.same(
      [
        ...page.runs.map(({ run_id }: { run_id: string }) => run_id),
        ...(await found(server, `output=batch&limit=100&cursor=${page.next_cursor}`)),
      ],
      ids.toReversed(),
    );

    const rows = await server.use(Database).read<{ term: string }>('SELECT term FROM run_search_terms');
    t.ok(rows.length > 80 && rows.every(({ term }) => /^[0-9a-f]{64}$/.test(term)), 'terms are digests');

    await server.use(Database).write('DELETE FROM run_search_terms');
    await server.use(Database).write('DELETE FROM run_search_cursors');
    t.match((await find(server, 'output=batch')).search, { complete: false }, 'as after an upgrade');
    await untilIdle(indexOf(server));
    t.same(await found(server, 'output=batch&limit=200'), ids.toReversed(), 'earlier runs follow');
    t.same(await found(server, 'output=wombat'), [first]);
    t.match((await find(server, 'output=batch')).search, { complete: true });

    t.equal((await indexOf(server).iterate()).processed, 0, 'an idle index finds nothing');
    t.match((await server.call('viewer', `GET ${server.scoped}/runs?output=${'a%20'.repeat(3)}`)).status, 200);
    const long = 'abcdefghi'.split('').join('%20');
    t.match(await server.call('viewer', `GET ${server.scoped}/runs?output=${long}`), {
      status: 400,
      json: { code: 'invalid_request', detail: /more than 8 words/ },
    });
  });

t.test('without an index, a search is refused', async (t) => {
  const server = await boot({ access: 'project', env: { SVC_RUN_SEARCH: 'off' } });
  t.teardown(() => server.close());
  t.match(await server.call('viewer', `GET ${server.scoped}/runs?step=a`), {
    status: 409,
    json: { code: 'run_search_off' },
  });
  t.equal((await server.call('viewer', `GET ${server.scoped}/runs`)).status, 200);
});
