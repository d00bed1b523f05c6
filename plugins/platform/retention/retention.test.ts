import { hash } from 'node:crypto';
import t, { type Test } from 'tap';
import { Database, type Log, Metrics } from '../../../kernel/contracts/index.ts';
import { lowestId, type Prunable, Prunables } from './contract.ts';
import { type Claimed, RunEngine, RunStore } from '../../engine/runs/contract.ts';
import { boot, checkRuns, STORES, tablesWith, type TestServer, until, VirtualClock } from '../../../test/kit/index.ts';
import { Pruner } from './service/pruner.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const AGENT = { agent_id: 'agt_1', capabilities: ['linux'] };
const LATER_MS = 60_000;

const named = (server: TestServer, name: string): Prunable =>
  server.use.all(Prunables).find((prunable) => prunable.name === name)!;

/** Prunes as if a minute had passed; answers the sizes of the batches. */
async function prune(server: TestServer, name: string, limit = 1000, before?: number): Promise<number[]> {
  const batches: number[] = [];
  const bound = before ?? server.use(Database).now() + LATER_MS;
  for await (const count of named(server, name).prune(bound, limit)) batches.push(count);
  return batches;
}

async function submit(server: TestServer, source: string, more: object = {}): Promise<string> {
  const answer = await server.call('member', `POST ${server.scoped}/runs`, { source, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.run_id;
}

async function claim(server: TestServer): Promise<Claimed> {
  const [claimed] = await server.use(RunStore).claim(AGENT, 1, 600_000);
  if (!claimed) throw new Error('there was nothing to claim');
  return claimed;
}

/** As if nobody had submitted anything for hours, which prune waits for before it removes a source. */
/** Sources are sealed; they are found by their digests. */
const sourceIs = (source: string): string => `digest = '${hash('sha256', source, 'hex')}'`;
const [ALONE, SHARED] = [sourceIs('echo alone'), sourceIs('echo shared')];

const forgetUses = (server: TestServer) => server.use(Database).write('UPDATE runs_sources SET used_at = 0');

/** A pass that writes into every table of runs. */
async function work(server: TestServer, steps = 3): Promise<Claimed> {
  const store = server.use(RunStore);
  const claimed = await claim(server);
  const base = { kind: 'step', digest: '', exit_code: 0, started_at: 0 };
  for (let position = 0; position < steps; position++)
    await store.append(claimed, { ...base, position, name: 's', ordinal: position, output: 'eA==' });
  const data = Buffer.from('a line\n').toString('base64');
  await store.appendLogs(
    claimed,
    Array.from({ length: steps }, (_, n) => ({ n, stream: 'stdout', at: 0, data })),
  );
  await store.annotate(claimed, 0, 'a note');
  return claimed;
}

const finish = (server: TestServer, claimed: Claimed) =>
  server.use(RunStore).complete(claimed, { status: 'succeeded', output: { done: true } });

const statusOf = async (server: TestServer, run_id: string) =>
  (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}`)).status;

const chunksOf = async (server: TestServer, run_id: string) =>
  (await server.use(RunEngine).logs(run_id, undefined, 100)).length;

const countOf = async (server: TestServer, table: string, condition = '1 = 1'): Promise<number> =>
  (await server.use(Database).read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${condition}`))[0]!.n;

async function runsAreRemoved(t: Test, server: TestServer): Promise<void> {
  const gone = await submit(server, 'echo shared', { tags: ['a:b'], idempotency_key: 'k', cancel_on: ['stop.it'] });
  await server.call('member', `POST ${server.scoped}/runs/${gone}/signals/go`, { n: 1 });
  await finish(server, await work(server));
  const stays = await submit(server, 'echo shared', { cancel_on: ['stop.it'] });
  const held = await work(server);
  const alone = await submit(server, 'echo alone');
  await finish(server, await work(server));
  t.same(await prune(server, 'runs', 1000, server.use(Database).now() - LATER_MS), [], 'none is old enough');
  const batches = await prune(server, 'runs', 7);
  t.ok(batches.length > 3 && batches.every((count) => count <= 100), batches.join(' '));
  t.equal(await statusOf(server, gone), 404);
  t.same(
    (await tablesWith(server.use(Database), gone)).filter(
      (table) => !/^(audit_entries|bus_events|bus_types)$/.test(table),
    ),
    [],
    'nothing of it is left but what tells of it: its audit and its events',
  );
  t.equal(await statusOf(server, alone), 404);
  t.equal(await countOf(server, 'runs_sources', ALONE), 1, 'a submit may have just found it');
  await forgetUses(server);
  await prune(server, 'runs');
  t.equal(await countOf(server, 'runs_sources', ALONE), 0);
  t.equal(await countOf(server, 'runs_sources', SHARED), 1, 'the other run has it too');
  t.equal(await countOf(server, 'runs_pruned'), 0);
  t.equal(await statusOf(server, stays), 200, 'what has not ended stays, whole');
  t.equal((await server.call('viewer', `GET ${server.scoped}/runs/${stays}/steps`)).json.steps.length, 3);
  t.equal(await chunksOf(server, stays), 3);
  const again = await submit(server, 'echo shared', { idempotency_key: 'k' });
  t.not(again, gone, 'its key is forgotten with it');
  await finish(server, held);
  await finish(server, await work(server));
  await forgetUses(server);
  await prune(server, 'runs');
  t.equal(await countOf(server, 'runs_runs'), 0);
  for (const table of ['runs_activities', 'runs_journal', 'runs_logs', 'runs_sources', 'bus_cancels', 'runs_tags'])
    t.equal(await countOf(server, table), 0, table);
  t.same(await checkRuns(server.use(Database)), []);
}

/** As after a clock that was days ahead and was put back: the ids of its runs are ahead still. */
async function openRunsKeepTheirSources(t: Test, server: TestServer): Promise<void> {
  await submit(server, 'echo shared');
  const held = await claim(server);
  await forgetUses(server);
  await prune(server, 'runs', 1000, server.use(Database).now() - 10 * 86_400_000);
  t.equal(await countOf(server, 'runs_sources', SHARED), 1);
  await finish(server, held);
  await prune(server, 'runs');
  await forgetUses(server);
  await prune(server, 'runs');
  t.equal(await countOf(server, 'runs_sources', SHARED), 0, 'until they have ended');
}

async function onesHalfRemovedAreFinished(t: Test, server: TestServer): Promise<void> {
  await submit(server, 'echo half');
  await finish(server, await work(server, 20));
  for await (const _ of named(server, 'runs').prune(server.use(Database).now() + LATER_MS, 5)) break;
  t.equal(await countOf(server, 'runs_pruned'), 1);
  t.equal(await countOf(server, 'runs_journal'), 20, 'hidden, and not taken apart');
  await prune(server, 'runs', 1000, 0);
  t.equal(await countOf(server, 'runs_pruned'), 0);
  t.equal(await countOf(server, 'runs_journal'), 0);
}

async function logsAreRemoved(t: Test, server: TestServer): Promise<void> {
  const over = await submit(server, 'echo over');
  await finish(server, await work(server));
  const open = await submit(server, 'echo open');
  const held = await work(server);
  t.same(await prune(server, 'logs', 2), [2, 1]);
  t.same(await prune(server, 'logs'), [], 'and is not looked at again');
  t.equal(await chunksOf(server, over), 0);
  t.equal(await statusOf(server, over), 200);
  t.equal((await server.call('viewer', `GET ${server.scoped}/runs/${over}/steps`)).json.steps.length, 3);
  t.equal(await chunksOf(server, open), 3);
  await finish(server, held);
}

async function eventsAreRemoved(t: Test, server: TestServer): Promise<void> {
  const emit = async (payload: unknown) =>
    (await server.call('member', `POST ${server.scoped}/events`, { type: 'made.it', payload })).json.event as string;
  const shows = async (event: string) => (await server.call('viewer', `GET ${server.scoped}/events/${event}`)).status;
  await prune(server, 'runs');
  await prune(server, 'events');
  const plain = await emit('nobody listens');
  await server.call('member', `PUT ${server.scoped}/handlers/watch`, { on: ['made.it'], source: 'true' });
  const started = await emit('a run starts');
  t.same((await prune(server, 'events')).length > 0, true);
  t.equal(await shows(plain), 404);
  t.equal(await shows(started), 200, 'its run has not ended');
  const handled = await claim(server);
  t.equal(handled.envelope.payload, 'a run starts', 'and can be read');
  await finish(server, handled);
  await prune(server, 'events');
  t.equal(await shows(started), 404);
  t.equal(await countOf(server, 'bus_deliveries'), 0);
  await server.call('member', `DELETE ${server.scoped}/handlers/watch`);
  await server.call('member', `PUT ${server.scoped}/schedules/pulse`, {
    cron: '* * * * * *',
    workflow: { source: 'true' },
  });
  const tick = await until(async () => {
    const { last_tick } = (await server.call('viewer', `GET ${server.scoped}/schedules/pulse`)).json;
    return last_tick;
  });
  await server.call('member', `DELETE ${server.scoped}/schedules/pulse`);
  await prune(server, 'events');
  t.equal(await shows(tick.event), 200, 'a run that a schedule started has yet to read it');
  for (let left = await countOf(server, 'runs_runs', "status = 'queued'"); left > 0; left--)
    await finish(server, await claim(server));
  await prune(server, 'events');
  t.equal(await shows(tick.event), 404);
  t.equal(await countOf(server, 'bus_events'), 0);
  const seen = async () => {
    const { types } = (await server.call('viewer', `GET ${server.scoped}/event-types`)).json;
    return types.flatMap((one: { type: string; last_seen?: string }) => (one.last_seen ? [one.type] : []));
  };
  t.same(await seen(), [], 'nor do the types of which there is none');
  const next = await emit('after all');
  t.same(await seen(), ['made.it']);
  t.equal(await shows(next), 200, 'the sequence goes on');
}

async function auditIsRemoved(t: Test, server: TestServer): Promise<void> {
  const before = await countOf(server, 'audit_entries');
  t.ok(before > 5);
  t.same(await prune(server, 'audit', 2, server.use(Database).now() - LATER_MS), []);
  const batches = await prune(server, 'audit', 2);
  t.equal(
    batches.reduce((sum, count) => sum + count, 0),
    before,
  );
  t.ok(batches.every((count) => count <= 2));
}

/** Many rows: no batch may block the database for long. The time is printed and has a generous limit. */
async function batchesAreShort(t: Test, server: TestServer): Promise<void> {
  const database = server.use(Database);
  const { org_id, project_id } = server.scope;
  const rows = 40_000;
  for (let from = 0; from < rows; from += 500) {
    const ids = Array.from({ length: 500 }, (_, i) => lowestId('aud', from + i + 1));
    const values = ids.map(() => `(?, ?, ?, 1, 'a', 's', '', 'user', 'u', 'n', 't', 'r', '')`).join(', ');
    await database.write(
      `INSERT INTO audit_entries (entry_id, org_id, project_id, at, action, subject, detail, principal_kind, principal_id,
         principal_name, token_id, request_id, ip) VALUES ${values}`,
      ids.flatMap((id) => [id, org_id, project_id]),
    );
  }
  await submit(server, 'echo long');
  const claimed = await claim(server);
  const data = Buffer.from('x'.repeat(100)).toString('base64');
  for (let n = 0; n < rows / 4; n += 500)
    await server.use(RunStore).appendLogs(
      claimed,
      Array.from({ length: 500 }, (_, i) => ({ n: n + i, stream: 'stdout' as const, at: 0, data })),
    );
  await finish(server, claimed);
  for (const [name, most] of [
    ['audit', rows],
    ['runs', rows / 4],
  ] as const) {
    let worst_ms = 0;
    let removed = 0;
    let since = performance.now();
    for await (const count of named(server, name).prune(database.now() + LATER_MS, 1000)) {
      worst_ms = Math.max(worst_ms, performance.now() - since);
      removed += count;
      since = performance.now();
    }
    t.comment(`${name}: ${removed} rows, worst batch of 1,000: ${worst_ms.toFixed(0)} ms`);
    t.ok(removed >= most);
    t.ok(worst_ms < 10_000, 'no batch takes all');
  }
}

// @store: what is removed is chosen by statements.
for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    await t.test('runs that ended are removed with all that is theirs', (t) => runsAreRemoved(t, server));
    await t.test('what goes on keeps its source', (t) => openRunsKeepTheirSources(t, server));
    await t.test('what was left half removed is found again', (t) => onesHalfRemovedAreFinished(t, server));
    await t.test('logs go, and their runs stay', (t) => logsAreRemoved(t, server));
    await t.test('events go when nothing needs them', (t) => eventsAreRemoved(t, server));
    await t.test('the audit goes by its age', (t) => auditIsRemoved(t, server));
    await t.test('many rows go in short batches', (t) => batchesAreShort(t, server));
  });

t.test('one server at a time, in pauses, and one failure stops no other', async (t) => {
  const server = await boot({ access: 'project' });
  t.teardown(() => server.close());
  const clock = new VirtualClock(1_800_000_000_000);
  const database = Object.assign(Object.create(null), {
    sql: server.use(Database).sql,
    read: server.use(Database).read.bind(server.use(Database)),
    write: server.use(Database).write.bind(server.use(Database)),
    now: () => clock.now(),
  }) as Database;
  const lines: string[] = [];
  const write = (_: Record<string, unknown>, message: string) => void lines.push(message);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  const turns: { by: string; before: number }[] = [];
  const pruner = (by: string) => {
    const fine: Prunable = {
      name: 'fine',
      summary: '',
      async *prune(before) {
        turns.push({ by, before });
        yield 10;
        yield 5;
      },
    };
    const broken: Prunable = {
      name: 'broken',
      summary: '',
      async *prune() {
        yield 1;
        throw new Error('it cannot go on');
      },
    };
    const unnamed: Prunable = { ...fine, name: 'unnamed' };
    const retention = { broken: 3_600_000, fine: 3_600_000 };
    return new Pruner({
      database,
      clock,
      log,
      metrics: server.use(Metrics),
      prunables: [broken, fine, unnamed],
      retention,
    });
  };
  const start = clock.now();
  const stops = [pruner('one').start(), pruner('two').start()];
  const passes = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1000) {
      await clock.advance(1000);
      // The database answers only when told to.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await passes(30_000);
  t.same(
    turns.map(({ before }) => before < start + 30_000 - 3_600_000),
    [true],
    'one of the two, once, by what is named',
  );
  t.ok(lines.includes('pruning failed; retrying') && lines.includes('pruned'), lines.join());
  await passes(400_000);
  t.equal(turns.length, 2, 'again after a tenth of the time that it is kept');
  await Promise.all(stops.map((stop) => stop()));
  t.equal(clock.armed, 0);
});

t.test('a setting that is none stops the start, with the reason', async (t) => {
  const refused = async (SVC_RETENTION: string) => {
    const started = await boot({ env: { SVC_RETENTION } }).catch((error: unknown) => error as Error);
    if (!(started instanceof Error)) await started.close();
    return started;
  };
  for (const text of [
    'runs',
    'runs=',
    'runs=soon',
    'runs=0s',
    'runs=1d,runs=2d',
    'runs=1d=2',
    '=1d',
    'Runs=1d',
    ',',
    'runs=9999d',
  ])
    t.match(await refused(text), { code: 'setting_invalid', message: /SVC_RETENTION/ }, text);
  t.match(await refused('runs=90d,wishes=1d'), { message: /contains wishes; the known names are/ });
  t.notMatch(await refused('runs=90d, logs=30d,events=30d,audit=365d'), { message: /./ });
});
