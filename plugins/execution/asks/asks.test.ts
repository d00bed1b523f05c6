import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { bootEngine, openTestDatabase, STORES } from '../../../test/kit/index.ts';
import { MAX_ASKS } from './domain/ask.ts';

t.setTimeout(300_000);

// @store: asks expire by statements.
for (const store of STORES)
  t.test(`${store}: a run does not grow by payloads that nothing takes, and can be asked so many times`, async (t) => {
    const database = await openTestDatabase(store);
    const server = await bootEngine({ database, idle: false, plugins: ['asks'] });
    t.teardown(async () => {
      await server.close();
      await database.drop();
    });
    const { run_id } = (await server.call('member', `POST ${server.scoped}/runs`, { source: 'true' })).json;
    const ask = (timeout: string) =>
      server.call('member', `POST ${server.scoped}/runs/${run_id}/asks`, { name: 'price', payload: 'x', timeout });
    t.equal((await ask('1ms')).status, 201);
    t.equal((await ask('1h')).status, 201);
    const rows = await server
      .use(Database)
      .read<{ state: string; bytes: number }>('SELECT state, LENGTH(payload) AS bytes FROM asks_asks ORDER BY seq');
    t.match(rows, [
      { state: 'expired', bytes: 0 },
      { state: 'queued', bytes: Number },
    ]);
    t.ok(Number(rows[1]!.bytes) > 0);
    await server.use(Database).transaction((tx) => tx.write('UPDATE asks_asks SET seq = ? WHERE seq = 2', [MAX_ASKS]));
    t.match(await ask('1h'), { status: 429, json: { code: 'ask_limit', detail: /was asked 100000 times/ } });
  });
