import t from 'tap';
import { type Migration, migration } from '../../kernel/contracts/index.ts';
import { RunEngine } from '../../plugins/engine/runs/contract.ts';
import { bootEngine, type EngineServer, openTestDatabase, STORES, testPlugin, until } from '../kit/index.ts';

t.setTimeout(300_000);

const first = migration('0001-notes', ['CREATE TABLE notes_notes (id {id} NOT NULL PRIMARY KEY, text {text}){end}']);
const adding = migration(
  '0002-colours',
  [
    'ALTER TABLE notes_notes ADD COLUMN colour {text}',
    'CREATE TABLE notes_colours (id {id} NOT NULL PRIMARY KEY){end}',
  ],
  { additive: true },
);
const breaking = migration('0003-counts', ['ALTER TABLE notes_notes ADD COLUMN counted {int} NOT NULL DEFAULT 0']);

for (const store of STORES)
  t.test(
    `${store}: servers of two versions work beside each other unless a migration breaks the older one`,
    async (t) => {
      const database = await openTestDatabase(store);
      t.teardown(() => database.drop());
      /** A server whose code knows these migrations, and is the same otherwise. */
      const start = async (...known: Migration[]): Promise<EngineServer> => {
        const notes = testPlugin('notes', (plugin) => plugin.migrations(known), { requires: ['database'] });
        const settings = { database_url: database.url };
        const server = await bootEngine({ database, settings, plugins: ['handlers', notes], idle: false });
        t.teardown(() => server.close());
        return server;
      };
      const readiness = ({ url }: EngineServer) => fetch(`${url}/readyz`).then(({ status }) => status);
      const submitted = (server: EngineServer) => server.use(RunEngine).submit(server.submit());

      const older = await start(first);
      const before = await submitted(older);
      const newer = await start(first, adding);
      const beside = ({ message }: { message: string }) => message.endsWith('this server continues');
      await until(async () => older.log.lines.some(beside), { what: 'the older server to notice' });
      t.equal(await readiness(older), 200);
      const during = await submitted(older);
      const claims = await newer.agent.claim(2);
      t.same(
        claims.map(({ run_id }) => run_id),
        [before.run_id, during.run_id],
        'the newer one carries out what the older one was given',
      );
      for (const claim of claims) await older.agent.end(claim);
      const after = await submitted(newer);
      await older.agent.work(1);
      for (const server of [older, newer])
        for (const { run_id } of [before, during, after])
          t.match(await server.use(RunEngine).read(server.scope, run_id), { status: 'succeeded' });

      const newest = await start(first, adding, breaking);
      await until(async () => (await readiness(older)) === 503, { what: 'the older server to stop' });
      await until(async () => (await readiness(newer)) === 503, { what: 'the newer server to stop' });
      for (const server of [older, newer])
        await t.rejects(submitted(server), { code: 'database_newer', status: 503, message: /notes\/0003-counts/ });
      t.equal(await readiness(newest), 200);
      await submitted(newest);
      t.equal((await newest.agent.work(1)).length, 1);
    },
  );
