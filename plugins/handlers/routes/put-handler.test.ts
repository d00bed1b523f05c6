import t from 'tap';
import { wholeServers } from '../../../test/support/whole-server.ts';

const stores = await wholeServers();
t.teardown(async () => {
  for (const store of stores) await store.stop();
});

for (const store of stores)
  t.test(`${store.name}: who sets a handler is told what was set, though somebody removes it just then`, async (t) => {
    const server = await store.open();
    t.teardown(() => server.stop());
    const place = `${server.scoped}/handlers/contested`;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        server.call(
          'member',
          `${n % 2 === 0 ? 'PUT' : 'DELETE'} ${place}`,
          n % 2 === 0 ? { on: ['t'], source: 'true' } : undefined,
        ),
      ),
    );
    const puts = answers.filter((_, n) => n % 2 === 0);
    t.same(
      puts.filter(({ status }) => status !== 200 && status !== 201),
      [],
    );
    t.ok(puts.every(({ json }) => json.name === 'contested'));
    const removed = answers.filter(({ status }) => status === 204).length;
    const made = puts.filter(({ status }) => status === 201).length;
    const left = (await server.call('viewer', `GET ${place}`)).status === 200 ? 1 : 0;
    t.equal(made, removed + left, 'whatever was made is there or was removed');
  });
