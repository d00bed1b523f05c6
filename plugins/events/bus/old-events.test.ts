import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { boot, STORES } from '../../../test/kit/index.ts';
import { EventBus } from './contract.ts';
import { lastContents } from './migrations/0010-contents.ts';
import { prunableEvents } from './service/prune.ts';
import { sealBody } from './store/event-rows.ts';

const PAYLOADS = { small: { n: 1 }, large: 'x'.repeat(9000) };
const STORED = `SELECT type, LENGTH(body) AS body, LENGTH(content) AS content FROM bus_events
  WHERE type IN ('small', 'large') ORDER BY type`;

for (const store of STORES)
  t.test(`${store}: an event reads the same wherever its contents are`, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const ids: Record<string, string> = {};
    for (const [type, payload] of Object.entries(PAYLOADS)) {
      const { json } = await server.call('member', `POST ${server.scoped}/events`, { type, payload });
      ids[type] = json.event;
    }
    const shown = async () => {
      for (const [type, payload] of Object.entries(PAYLOADS)) {
        const { json } = await server.call('viewer', `GET ${server.scoped}/events/${ids[type]}`);
        t.ok(isDeepStrictEqual(json.payload, payload), type);
      }
      const { json } = await server.call('viewer', `GET ${server.scoped}/event-types?limit=200`);
      const types = json.types as { type: string; sample?: unknown }[];
      t.same(types.find(({ type }) => type === 'small')?.sample, PAYLOADS.small);
    };
    const [large, small] = await database.read<{ body: number; content: number }>(STORED);
    t.same([large!.body, small!.body], [0, 0], 'the contents are in the last column');
    await shown();

    await database.write('UPDATE bus_events SET body = content, content = NULL');
    await shown();

    if (store !== 'sqlite') return;
    await database.write(lastContents.sqlite[1]!);
    t.match(await database.read(STORED), [
      { type: 'large', body: 0, content: large!.content },
      { type: 'small', body: small!.content, content: null },
    ]);
    await shown();
  });

for (const store of STORES)
  t.test(
    `${store}: what a run announces in one transaction is sealed once, and each event reads by itself`,
    async (t) => {
      const server = await boot({ store, access: 'project' });
      t.teardown(() => server.close());
      const database = server.use(Database);
      const sealer = server.use(Sealer);
      const bus = server.use(EventBus);
      const node = { node: 'set', config: { values: { n: 1 } } };
      const submit = async () => {
        const { json } = await server.call('member', `POST ${server.scoped}/runs?wait=10s`, node);
        return json.run_id as string;
      };
      const rowsOf = (run_id: string) =>
        database.read<{ seq: number; event_id: string; type: string; content: Buffer }>(
          'SELECT seq, event_id, type, content FROM bus_events WHERE source_name = ? ORDER BY seq',
          [run_id],
        );
      const payloads = async (run_id: string) => {
        const events = (await rowsOf(run_id)).map(({ event_id }) => bus.read(server.scope, event_id));
        return (await Promise.all(events)).map((event) => event?.payload);
      };
      const run_id = await submit();
      const rows = await rowsOf(run_id);
      t.same(
        rows.map(({ type }) => type),
        ['manual', 'run.started', 'run.succeeded'],
      );
      t.same(
        rows.map(({ content }) => content.length < 4),
        [true, true, false],
        'the last event has the bodies of all',
      );
      const shown = await payloads(run_id);
      t.match(shown, [
        { run_id, workflow: 'set' },
        { run_id, status: 'running' },
        { run_id, status: 'succeeded', output: { n: 1 } },
      ]);
      const { json } = await server.call('viewer', `GET ${server.scoped}/event-types?limit=200`);
      const types = json.types as { type: string; sample?: object }[];
      for (const type of ['manual', 'run.started', 'run.succeeded'])
        t.match(types.find((one) => one.type === type)?.sample, { run_id }, type);

      await t.test('an event does not open with the body of another', async (t) => {
        const other = await rowsOf(await submit());
        await database.write('UPDATE bus_events SET content = ? WHERE event_id = ?', [
          rows[2]!.content,
          other[2]!.event_id,
        ]);
        await t.rejects(bus.read(server.scope, other[2]!.event_id));
        await database.write('UPDATE bus_events SET content = ? WHERE event_id = ?', [
          Buffer.of(0x45, 0, Number(other[0]!.seq) - Number(rows[0]!.seq)),
          rows[0]!.event_id,
        ]);
        await t.rejects(bus.read(server.scope, rows[0]!.event_id));
        await database.write('UPDATE bus_events SET content = ? WHERE event_id = ?', [
          rows[0]!.content,
          rows[0]!.event_id,
        ]);
      });

      await t.test('rows of an older version, each sealed by itself, read the same', async (t) => {
        for (const [n, { event_id }] of rows.entries()) {
          const body = Buffer.from(JSON.stringify({ payload: shown[n] }));
          await database.write('UPDATE bus_events SET content = ? WHERE event_id = ?', [
            sealBody(sealer, server.scope, event_id, body),
            event_id,
          ]);
        }
        t.same(await payloads(run_id), shown);
      });

      await t.test('an event that stays keeps the row with its body', async (t) => {
        const needed = await submit();
        const [first] = await rowsOf(needed);
        const before = await payloads(needed);
        const later = await submit();
        const openRuns = () => ({ references: async () => new Set([first!.event_id]) });
        const events = prunableEvents({ database, openRuns, reactions: () => [] });
        for await (const _ of events.prune(database.now() + 60_000, 100));
        t.same(
          (await rowsOf(needed)).map(({ type }) => type),
          ['manual', 'run.succeeded'],
        );
        t.same((await payloads(needed))[0], before[0]);
        t.same(await rowsOf(later), []);
      });
    },
  );
