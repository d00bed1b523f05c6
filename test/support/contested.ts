import type { Test } from 'tap';
import { wholeServers } from './whole-server.ts';

/** On every store: many put and remove one name at once, and whoever put it is told what was put. */
export async function contestedPuts(t: Test, { what, body }: { what: string; body: object }): Promise<void> {
  for (const store of await wholeServers()) {
    t.teardown(() => store.stop());
    await t.test(
      `${store.name}: who sets one of the ${what} is told so, though somebody removes it just then`,
      async (t) => {
        const server = await store.open();
        t.teardown(() => server.stop());
        const place = `${server.scoped}/${what}/contested`;
        const answers = await Promise.all(
          Array.from({ length: 60 }, (_, n) =>
            n % 2 === 0 ? server.call('member', `PUT ${place}`, body) : server.call('member', `DELETE ${place}`),
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
      },
    );
  }
}
