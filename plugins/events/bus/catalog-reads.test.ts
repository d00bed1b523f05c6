import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, countReads, STORES } from '../../../test/kit/index.ts';

const TYPES = 12;
const LARGE = `[${'1,'.repeat(200_000)}"the end"]`;

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const counted = countReads(server.use(Database));
    const emit = async (type: string, payload: string) => {
      const { status } = await server.call(
        'member',
        `POST ${server.scoped}/events`,
        `{"type":"${type}","payload":${payload}}`,
      );
      if (status !== 201) t.fail(`${type}: ${status}`);
    };
    const catalog = async () => {
      const { result, reads } = await counted(() =>
        server.call('viewer', `GET ${server.scoped}/event-types?limit=200`),
      );
      const samples = new Map(
        (result.json.types as { type: string; sample?: unknown }[]).map(({ type, sample }) => [type, sample]),
      );
      return { samples, reads };
    };

    t.test('what the catalog reads does not grow with the payloads', async (t) => {
      const { reads: before } = await catalog();
      for (let n = 0; n < TYPES; n++) await emit(`large.${n}`, LARGE);
      const { samples, reads } = await catalog();
      t.same(samples.get('large.3'), [1, 1, 1, '…']);
      t.ok(reads.bytes < before.bytes + TYPES * 8192, `${reads.bytes} bytes, first for ${reads.largest.statement}`);
    });

    t.test('the sample is that of the last event, whatever came before it', async (t) => {
      await emit('mixed', LARGE);
      await emit('mixed', '{"small":1}');
      t.same((await catalog()).samples.get('mixed'), { small: 1 });
      await emit('mixed', `{"deep":{"list":${LARGE}},"text":"${'x'.repeat(5000)}"}`);
      t.same((await catalog()).samples.get('mixed'), { deep: { list: [1, 1, 1, '…'] }, text: '…' });
      await emit('mixed', '2');
      t.same((await catalog()).samples.get('mixed'), 2);
    });

    t.test('a sample is small, however many members there are at each level', async (t) => {
      const wide = (levels: number): unknown =>
        levels === 0 ? 'leaf' : Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, wide(levels - 1)]));
      await emit('wide', JSON.stringify(wide(4)));
      const sample = (await catalog()).samples.get('wide');
      t.match(sample, { k0: { k0: { k0: { k0: 'leaf' } } } });
      t.ok(JSON.stringify(sample).length < 8192, `${JSON.stringify(sample).length} characters`);
    });

    t.test('an event that was recorded before samples were has none if it is large', async (t) => {
      await emit('before.large', LARGE);
      await emit('before.small', '[1]');
      const database = server.use(Database);
      await database.write("UPDATE bus_types SET sample = NULL, sample_event = NULL WHERE type LIKE 'before.%'");
      const { samples, reads } = await catalog();
      t.same([samples.get('before.large'), samples.get('before.small')], [undefined, [1]]);
      t.ok(reads.bytes < 512 * 1024, `${reads.bytes} bytes`);
    });
  });
