import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startTarget } from '../../features/support/target.ts';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { scanColumns } from './columns.ts';
import { Project } from './project.ts';

t.setTimeout(600_000);

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

/** Runs the program, and answers when every run of the project is over. */
async function run(project: Project, end: string, canary: string): Promise<void> {
  const source = await readFile(join(import.meta.dirname, 'places.sh'), 'utf8');
  const given = { args: ['first', canary], input: { given: canary, [canary]: [canary] } };
  const keys = { idempotency_key: `${end}-${canary}`, timeout: '1h' };
  const env = { END: end, ALSO: canary };
  const first = await project.submit({ filename: 'places.sh', source, env, ...given, ...keys });
  await goesOn(project, first, canary);
  const again = JSON.parse(await project.ask('POST', `runs/${first}/rerun`, { from: 'fails' })) as { run_id: string };
  await goesOn(project, again.run_id, canary);
}

async function goesOn(project: Project, run_id: string, payload: string): Promise<void> {
  await project.waitsFor(run_id, 'go');
  await project.ask('POST', `runs/${run_id}/signals/go`, { payload });
  await project.rests();
}

/** What is stored to be run later. */
async function store(project: Project, value: string): Promise<void> {
  const workflow = {
    filename: 'later.sh',
    source: `echo ${value}`,
    args: [value],
    input: { value },
    env: { X: value },
  };
  await project.ask('PUT', 'schedules/later', { cron: '0 0 1 1 *', workflow });
  await project.ask('PUT', 'handlers/later', { on: ['later.never'], ...workflow });
  const node = { id: 'a', type: 'shell', config: { script: `echo ${value}`, env: { X: value } } };
  await project.ask('PUT', 'graphs/later', { version: 'svc-graph/v1', nodes: [node], edges: [] });
  await project.ask('PUT', 'state/later/cell', { value });
}

async function open(t: Test, database_url: string | undefined): Promise<Project> {
  const target = await startTarget(database_url === undefined ? {} : { database_url });
  t.teardown(() => target.close());
  return new Project(target);
}

const SHOW = 'cat "$SVC_INPUT_FILE"; echo "${SVC_SUBJECT-}"';

async function places(t: Test, database_url?: string): Promise<void> {
  const canary = `c4n${randomBytes(18).toString('hex')}ary`;
  const project = await open(t, database_url);
  await project.ask('PUT', 'secrets/CANARY', { value: canary });
  await project.ask('PUT', 'handlers/places', { on: ['places.emitted'], filename: 'handled.sh', source: SHOW });
  await store(project, canary);
  for (const end of ['succeed', 'fail']) await run(project, end, canary);
  const { found, tables, values } = await scanColumns(database_url ?? project.sqlite_url, needlesOf(canary));
  t.same(Object.fromEntries(found), {}, 'no column holds the value');
  t.ok(tables > 60 && values > 2000, `${values} values in ${tables} tables`);
  const runs = await project.runs();
  t.ok(runs.length >= 12, `${runs.length} runs were made`);
  const tags = new Set(runs.flatMap((one) => one.tags));
  for (const tag of ['tag-***', 'graph-***']) t.ok(tags.has(tag), `${tag} among ${[...tags].join(' ')}`);
  let views = '';
  for (const { run_id } of runs)
    for (const part of ['', '/logs', '/logs?format=json', '/steps', '/input', '/document', '/chain']) {
      const view = await project.ask('GET', `runs/${run_id}${part}`);
      t.notOk(view.includes(canary), `${part} of ${run_id}`);
      views += view;
    }
  t.match(views, /"attempt":2/, 'calls were tried again');
  t.match(views, /arguments: first \*\*\*/, 'the script had arguments');
}

/** Only the first run is given the value; all others get to know it from that one. */
async function follows(t: Test, database_url?: string): Promise<void> {
  const canary = `c4n${randomBytes(18).toString('hex')}ary`;
  const project = await open(t, database_url);
  await project.ask('PUT', 'credentials/only', { kind: 'bearer', token: canary });
  await project.ask('PUT', 'handlers/follows', { on: ['follow.told'], filename: 'handled.sh', source: SHOW });
  const waiter = await project.submit({
    filename: 'waits.sh',
    source: 'told=$(svc wait-event follow.told)\necho "$told"',
  });
  await project.waitsFor(waiter, 'follow.told');
  const source = [
    'printf \'echo "spawned with %s"\' "$ONLY" > spawned.sh',
    'svc spawn spawned.sh',
    'svc emit follow.told --payload "{\\"told\\":\\"$ONLY\\"}"',
    'svc activity child -- sh -c "echo \'child with $ONLY\'"',
  ].join('\n');
  await project.submit({ filename: 'first.sh', source, credentials: { ONLY: 'only' } });
  await project.rests();
  const runs = await project.runs();
  t.equal(runs.length, 4, 'the first, the waiter, the spawned one and the handler run');
  for (const { run_id, status } of runs) {
    t.equal(status, 'succeeded');
    const log = await project.log(run_id);
    t.notOk(log.includes(canary), `the log of ${run_id} lacks the value`);
    t.ok(log.includes('***'), `it has a mask: ${log.slice(0, 200)}`);
    t.notOk((await project.ask('GET', `runs/${run_id}/input`)).includes(canary), 'nor is it in what the run was given');
    t.notOk((await project.ask('GET', `runs/${run_id}/steps`)).includes(canary), 'nor in its steps');
  }
  const { found } = await scanColumns(database_url ?? project.sqlite_url, needlesOf(canary));
  t.same(Object.fromEntries(found), {}, 'no column holds the value');
}

const TESTS = {
  'no column holds what a program puts into verbs': places,
  'masks follow a value to other runs': follows,
};

for (const [name, check] of Object.entries(TESTS)) {
  t.test(`SQLite: ${name}`, { timeout: 600_000, ...inTurn('sqlite') }, (t) => check(t as Test));

  t.test(`MySQL: ${name}`, { timeout: 600_000, ...inTurn('mysql') }, async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    return check(t as Test, database_url);
  });
}
