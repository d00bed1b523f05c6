import t from 'tap';
import type { Client } from './client/client.ts';
import { wholeRunIds } from './run-ids.ts';

const id = (end: string) => `run_${end.padStart(26, '0')}`;

/** A server whose pages have two runs. */
function world(ids: readonly string[]) {
  const asked: unknown[] = [];
  const client = {
    scoped: (path: string) => path,
    json: async ({ query }: { query: { limit: number; cursor?: string } }) => {
      asked.push(query);
      const from = Number(query.cursor ?? 0);
      const runs = ids.slice(from, from + Math.min(2, query.limit)).map((run_id) => ({ run_id }));
      return { runs, ...(from + 2 < ids.length ? { next_cursor: String(from + 2) } : {}) };
    },
  } as unknown as Client;
  const args = [
    { name: 'run-id', summary: '', run: true },
    { name: 'other', summary: '' },
  ];
  const flags = {
    run: { type: 'string', summary: '', run: true },
    other: { type: 'string', summary: '' },
  } as const;
  const both = (given: { args: string[]; flags: Record<string, string> }) =>
    wholeRunIds({ args, flags }, given, async () => client);
  const whole = async (...given: string[]) => (await both({ args: given, flags: {} })).args;
  return { both, whole, asked };
}

t.test('the newest run, and the end of an id', async (t) => {
  const { whole, asked } = world([id('7ABCD'), id('8ABCD'), id('9EFGH')]);
  t.same(await whole('@last', '@last'), [id('7ABCD'), '@last'], 'only arguments that name runs');
  t.same(await whole('efgh'), [id('9EFGH')]);
  t.same(await whole('7abcd'), [id('7ABCD')]);
  await t.rejects(whole('ABCD'), { exit: 2, message: /2 runs have ids that end with ABCD: run_/ });
  await t.rejects(whole('ZZZZ'), { exit: 1, code: 'not_found' });
  asked.length = 0;
  for (const text of [id('1'), 'run_1', 'abc', '@first', 'a-bcd']) t.same(await whole(text), [text]);
  t.same(asked, [], 'others are left to the server');
});

t.test('flags that name a run', async (t) => {
  const { both } = world([id('7ABCD'), id('9EFGH')]);
  const flags = { run: '@last', other: '@last' };
  t.same(await both({ args: [], flags }), { args: [], flags: { run: id('7ABCD'), other: '@last' } });
  t.same((await both({ args: [], flags: { run: 'efgh' } })).flags, { run: id('9EFGH') });
});

t.test('a project without runs', async (t) => {
  await t.rejects(world([]).whole('@last'), { exit: 1, message: 'there is no run in this project' });
});
