import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { startTarget, type Target } from '../../features/support/target.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { scanColumns } from './columns.ts';

t.setTimeout(480_000);

const SCOPED = '/api/v1/orgs/conformance/projects/main';

/** In every form of its that a column might hold as text. */
function needlesOf(canary: string): Buffer[] {
  const bytes = Buffer.from(canary);
  const shifted = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  const forms = [canary, canary.slice(0, 12), canary.slice(-12), ...shifted, bytes.toString('hex')];
  return [...forms, bytes.toString('hex').toUpperCase()].map((text) => Buffer.from(text));
}

async function ask(target: Target, method: string, path: string, body?: unknown): Promise<string> {
  const response = await fetch(`${target.base_url}${SCOPED}/${path}`, {
    method,
    headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}

type Listed = { runs: { run_id: string; status: string; parent?: string; tags: string[] }[] };

/** Runs the program, and answers when every run of the project is over. */
async function run(target: Target, end: string): Promise<string> {
  const source = await readFile(join(import.meta.dirname, 'places.sh'), 'utf8');
  const env = { END: end, ANSWER: 'places.answer' };
  const made = await ask(target, 'POST', 'runs', { filename: 'places.sh', source, env });
  const { run_id } = JSON.parse(made) as { run_id: string };
  await until(`run ${run_id} to wait for its signal`, 120_000, async () => {
    const { status, substate, ...rest } = JSON.parse(await ask(target, 'GET', `runs/${run_id}`));
    if (status === 'failed') throw new Error(JSON.stringify(rest));
    return substate?.name === 'go' || undefined;
  });
  await ask(target, 'POST', `runs/${run_id}/signals/go`, {});
  await until('every run to be over', 120_000, async () => {
    const { runs } = JSON.parse(await ask(target, 'GET', 'runs')) as Listed;
    return runs.every(({ status }) => ['succeeded', 'failed', 'cancelled'].includes(status)) || undefined;
  });
  return run_id;
}

async function check(t: Test, given?: string): Promise<void> {
  const canary = `c4n${randomBytes(18).toString('hex')}ary`;
  const target = await startTarget(given === undefined ? {} : { database_url: given });
  t.teardown(() => target.close());
  const database_url = given ?? `sqlite:${join(target.own!.folder, 'svc.db')}`;
  await ask(target, 'PUT', 'secrets/CANARY', { value: canary });
  const handler = {
    on: ['places.emitted'],
    filename: 'handled.sh',
    source: 'cat "$SVC_INPUT_FILE"; echo "$SVC_SUBJECT"',
  };
  await ask(target, 'PUT', 'handlers/places', handler);
  const run_id = await run(target, 'succeed');
  await run(target, 'fail');
  const log = await ask(target, 'GET', `runs/${run_id}/logs`);
  if (process.env.SHOW_LOG) console.error(log);
  const { found, tables, values } = await scanColumns(database_url, needlesOf(canary));
  t.same(Object.fromEntries(found), {}, 'no column holds the value');
  t.ok(tables > 60 && values > 2000, `${values} values in ${tables} tables`);
  const { runs } = JSON.parse(await ask(target, 'GET', 'runs')) as Listed;
  t.ok(runs.length >= 8, `${runs.length} runs were made`);
  t.ok(
    runs.some(({ tags }) => tags.includes('tag-***')),
    'tags are masked',
  );
  for (const one of runs) {
    const shown = await ask(target, 'GET', `runs/${one.run_id}/logs`);
    t.notOk(shown.includes(canary), `the log of ${one.run_id} is masked`);
  }
}

t.test('SQLite: no column holds what a program puts into verbs', { timeout: 240_000 }, (t) => check(t as Test));

t.test('MySQL: no column holds what a program puts into verbs', { timeout: 240_000 }, async (t) => {
  const server = await startMysql();
  if ('reason' in server) return t.comment(`left out: columns on MySQL (${server.reason})`);
  t.teardown(() => server.stop());
  const database = await createDatabase(server.url);
  t.teardown(database.drop);
  return check(t as Test, database.url);
});
