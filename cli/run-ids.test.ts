import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Client } from './client/client.ts';
import { lastRun, storeLastRun } from './last-run.ts';
import { resolveRunIds } from './run-ids.ts';
import { loadCommands } from './tables.ts';

const PROFILE = { url: 'http://127.0.0.1:1', org: 'o', project: 'p' };

const id = (end: string) => `run_${end.padStart(26, '0')}`;

/** A server whose pages have two runs, and what was submitted to it from here. */
async function world(ids: readonly string[], submitted?: string) {
  const at = { env: { XDG_CONFIG_HOME: t.testdir({}) }, folder: process.cwd() };
  if (submitted !== undefined) await storeLastRun(PROFILE, at, submitted);
  const asked: unknown[] = [];
  const client = {
    profile: PROFILE,
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
    trigger: { type: 'string', many: true, summary: '', run: 'run:' },
  } as const;
  const both = (given: { args: string[]; flags: Record<string, string | string[]> }) =>
    resolveRunIds({ args, flags }, given, { client: async () => client, env: at.env });
  const whole = async (...given: string[]) => (await both({ args: given, flags: {} })).args;
  return { both, whole, asked };
}

t.test('the run that was submitted last, and the end of an id', async (t) => {
  const { whole, asked } = await world([id('7ABCD'), id('8ABCD'), id('9EFGH')], id('8ABCD'));
  t.same(await whole('@last', '@last'), [id('8ABCD'), '@last'], 'only arguments that name runs');
  t.same(asked, [], 'whatever others submit');
  t.same(await whole('efgh'), [id('9EFGH')]);
  t.same(await whole('7abcd'), [id('7ABCD')]);
  await t.rejects(whole('ABCD'), { exit: 2, message: /2 runs have IDs that end with ABCD: run_/ });
  await t.rejects(whole('ZZZZ'), { exit: 1, code: 'not_found' });
  asked.length = 0;
  t.same(await whole(id('7abcd').slice(4)), [id('7ABCD')], 'the whole id without its prefix');
  for (const text of [id('1'), 'run_1', 'abc', '@first', 'a-bcd']) t.same(await whole(text), [text]);
  t.same(asked, [], 'others are left to the server');
});

t.test('flags that name a run', async (t) => {
  const { both } = await world([id('7ABCD'), id('9EFGH')], id('7ABCD'));
  const flags = { run: '@last', other: '@last', trigger: ['run:@last', '@last', 'handler:last'] };
  t.same(await both({ args: [], flags }), {
    args: [],
    flags: { run: id('7ABCD'), other: '@last', trigger: [`run:${id('7ABCD')}`, '@last', 'handler:last'] },
  });
  t.same((await both({ args: [], flags: { run: 'efgh' } })).flags, { run: id('9EFGH') });
});

t.test('nothing was submitted from here', async (t) => {
  const { whole } = await world([id('7ABCD')]);
  await t.rejects(whole('@last'), {
    exit: 1,
    code: 'not_found',
    message: /no run was submitted from .* to project p of org o/,
  });
});

t.test('what was submitted is known in its folder and below, of one project, and to nobody else', async (t) => {
  const env = { XDG_CONFIG_HOME: t.testdir({}) };
  const at = (folder: string) => ({ env, folder });
  await storeLastRun(PROFILE, at('/a/b'), id('1'));
  await storeLastRun({ ...PROFILE, project: 'q' }, at('/a/b'), id('2'));
  await storeLastRun(PROFILE, at('/a/other'), id('3'));
  t.equal(await lastRun(PROFILE, at('/a/b')), id('1'));
  t.equal(await lastRun(PROFILE, at('/a/b/c/d')), id('1'));
  t.equal(
    await lastRun({ ...PROFILE, url: 'http://127.0.0.1:1/' }, at('/a/b')),
    id('1'),
    'one address, written in two ways',
  );
  t.equal(await lastRun(PROFILE, at('/a')), undefined);
  t.equal(await lastRun({ ...PROFILE, project: 'q' }, at('/a/b')), id('2'));
  t.equal(await lastRun({ ...PROFILE, url: 'http://127.0.0.1:2' }, at('/a/b')), undefined);
  await storeLastRun(PROFILE, at('/a/b'), id('4'));
  t.equal(await lastRun(PROFILE, at('/a/b/c')), id('4'));
  const folder = join(env.XDG_CONFIG_HOME, 'svc/last-runs');
  const files = readdirSync(folder);
  t.equal(files.length, 3, 'and no draft');
  for (const file of files) t.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
  t.equal(statSync(folder).mode & 0o777, 0o700);
  for (const text of ['', '{', '[]', '{"run_id":5}', '{"run_id":"../x"}']) {
    for (const file of files) writeFileSync(join(folder, file), text);
    t.equal(await lastRun(PROFILE, at('/a/b')), undefined, `a file with ${text}`);
  }
  t.notMatch(files.map((file) => readFileSync(join(folder, file), 'utf8')).join(''), /token/);
});

t.test('folders that are gone are forgotten, the oldest first', async (t) => {
  const env = { XDG_CONFIG_HOME: t.testdir({}) };
  const folder = join(env.XDG_CONFIG_HOME, 'svc/last-runs');
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < 1000; n++) writeFileSync(join(folder, `${n}.json`), '{}');
  await storeLastRun(PROFILE, { env, folder: '/a' }, id('1'));
  t.ok(readdirSync(folder).length <= 1000);
  t.equal(await lastRun(PROFILE, { env, folder: '/a' }), id('1'));
});

t.test('every command knows which of its words name runs', async (t) => {
  const commands = await loadCommands({});
  const words = commands.flatMap(({ name, args = [], flags = {} }) => [
    ...args.map((one) => ({ at: `${name} <${one.name}>`, says: `${one.name} ${one.summary}`, run: one.run })),
    ...Object.entries(flags).map(([flag, one]) => ({
      at: `${name} --${flag}`,
      says: `${one.value} ${one.summary}`,
      run: one.run,
    })),
  ]);
  const meant = words.filter(({ says }) => /run-id|run_01J|@last|run:<id>/.test(says));
  t.ok(meant.length > 15);
  for (const { at, run } of meant) t.ok(run, at);
});
