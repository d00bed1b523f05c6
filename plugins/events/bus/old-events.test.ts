import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES } from '../../../test/kit/index.ts';
import { lastContents } from './migrations/0010-contents.ts';

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
