import t, { type Test } from 'tap';
import {
  Database,
  Expressions,
  insertRows,
  isServiceError,
  type Param,
  type ServiceError,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { HandlerMatches } from './contract.ts';
import { handlerRunId } from './domain/run-id.ts';
import { untrusted as untrustedColumns } from './migrations/0005-untrusted.ts';
import { handlerCredentialUser } from './service/credential-uses.ts';
import { assertInvariants, inWorld } from './testing/in-world.ts';
import { openTestDatabase, STORES, type TestDatabase, until } from '../../../test/kit/index.ts';
import { count, deliveriesOf, openWorld, graphs, runsOf, type World } from './testing/world.ts';

t.setTimeout(600_000);

async function refused(doing: Promise<unknown>): Promise<ServiceError> {
  try {
    await doing;
  } catch (error) {
    if (isServiceError(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

const pointersOf = ({ extras }: ServiceError) => extras.errors?.map(({ pointer }) => pointer).join() ?? '';

/** Two servers for one project. */
async function twoServers(database: TestDatabase): Promise<[World, World]> {
  const one = await openWorld(database);
  return [one, await openWorld(database, { project_id: one.scope.project_id })];
}

/** The project's events are numbered by a server that does nothing, until it is let go. */
async function holdElsewhere({ database, scope }: World): Promise<() => Promise<unknown>> {
  const hold = (until: number) =>
    database.write('UPDATE bus_heads SET holder = ?, holder_until = ? WHERE project_id = ?', [
      'srv_elsewhere',
      until,
      scope.project_id,
    ]);
  await hold(database.now() + 2700);
  const prolonging = setInterval(() => void hold(database.now() + 2700).catch(() => clearInterval(prolonging)), 300);
  return () => {
    clearInterval(prolonging);
    return hold(0);
  };
}

// @apart: a hook at the root of the tests lets that end as soon as this file has.
for (const store of STORES) {
  let database: TestDatabase;
  t.before(async () => {
    database = await openTestDatabase(store);
  });
  t.teardown(() => database.drop());

  const withWorld = (t: Test, run: (world: World) => Promise<void>, env: Record<string, string> = {}) =>
    inWorld(t, database, { env }, run);

  t.test(`${store}: what a change that was undone had made is not remembered`, (t) =>
    withWorld(t, async (world) => {
      const matching = (tx: Transaction) => world.use(HandlerMatches).listMatching(tx, world.scope, 'order.made');
      await world.set('orders', { on: ['order.*'] });
      const undone = world.database.transaction(async (tx) => {
        const { project_id } = world.scope;
        await tx.write('UPDATE handlers_versions SET version = version + 1 WHERE project_id = ?', [project_id]);
        await tx.write("UPDATE handlers_handlers SET patterns = '[]' WHERE project_id = ?", [project_id]);
        t.same(await matching(tx), []);
        throw new Error('undone');
      });
      await t.rejects(undone, { message: 'undone' });
      await world.set('more', { on: ['other.*'] });
      t.same(await world.database.transaction(matching), ['orders']);
    }),
  );

  t.test(`${store}: a slot is free once the server that numbers the events has the end`, async (t) => {
    const handingOver = { env: { SVC_EVENT_SEQUENCER: 'on' }, idle: false };
    const one = await openWorld(database, handingOver);
    const two = await openWorld(database, { ...handingOver, project_id: one.scope.project_id });
    await one.set('one', { on: ['deploy.*'] });
    await one.emit();
    const letGo = await holdElsewhere(one);
    try {
      t.same((await two.agent.work(1)).length, 1);
      t.equal(await count(two, 'handlers_runs'), 1, 'the end waits for its number');
      await assertInvariants(t, two);
      await letGo();
      await until(async () => (await count(two, 'handlers_runs')) === 0);
      await assertInvariants(t, two);
    } finally {
      await letGo();
      await two.close();
      await one.close();
    }
  });

  t.test(`${store}: an event starts a run of every handler that it fits`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', { on: ['deploy.*'], tags: ['team:core'], cancel_on: ['deploy.abort'] });
      await world.set('two', { on: ['push', 'deploy.done'], when: "event.key == 'shop' && event.payload.n + 1 > 1.5" });
      await world.set('three', { on: ['deploy.done'], when: 'event.payload.n > 1' });
      await world.set('four', { on: ['build.*'] });
      const { event_id } = await world.emit({ key: 'shop', payload: { n: 1 }, fields: { sha: 'abc', paths: ['a'] } });
      const runs = await runsOf(world);
      t.same(
        runs.map(({ run_id }) => run_id).sort(),
        ['one', 'two'].map((name) => handlerRunId(event_id, name)).sort(),
      );
      for (const run of runs) {
        t.match(run, { subject: 'shop', generation: 1, trusted: 1, status: 'queued' });
        t.match(run.trigger, { type: 'deploy.done', event: event_id, sha: 'abc' });
        t.notOk('paths' in run.trigger);
      }
      t.same(await deliveriesOf(world), ['one delivered', 'three declined the predicate is false', 'two delivered']);
      t.equal(await count(world, 'bus_cancels'), 1);
      t.equal(await count(world, 'handlers_runs'), 2);
      t.same((await world.agent.work(10)).length, 2);
      t.equal(await count(world, 'handlers_runs'), 0, 'what has ended is not in flight');
      const types = await world.database.read<{ type: string; withheld: number }>(
        'SELECT type, withheld FROM bus_events WHERE project_id = ?',
        [world.scope.project_id],
      );
      t.same(
        types.filter(({ type }) => type.startsWith('run.')).map(({ withheld }) => withheld),
        [1, 1, 1, 1],
      );
    }),
  );

  t.test(`${store}: a repeated emit has the run of the first`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', {});
      const first = await world.emit({ dedup: 'once' });
      const again = await world.emit({ dedup: 'once', payload: 'other' });
      t.equal(again.event_id, first.event_id);
      t.equal((await runsOf(world)).length, 1);
    }),
  );

  t.test(`${store}: a predicate that finds no answer declines, says why, and is logged`, (t) =>
    withWorld(t, async (world) => {
      await world.set('sha', { when: "event.payload.sha == 'a'" });
      await world.set('guarded', { when: "has(event.payload.sha) && event.payload.sha == 'a'" });
      await world.set('key', { when: 'has(event.key)' });
      await world.set('text', { when: 'event.type' });
      await world.emit({ payload: { secret: 'hidden' } });
      t.same(await deliveriesOf(world), [
        'guarded declined the predicate is false',
        'key declined the predicate is false',
        'sha declined the predicate cannot be evaluated: event.payload.sha: no such field',
        'text declined the predicate cannot be evaluated: the expression is neither true nor false',
      ]);
      t.same(
        world.warnings.map(({ fields }) => fields.handler),
        ['sha', 'text'],
      );
      t.notMatch(JSON.stringify(world.warnings), /hidden/);
      t.equal((await runsOf(world)).length, 0);
    }),
  );

  t.test(`${store}: an event that is not trusted gets no credential`, (t) =>
    withWorld(t, async (world) => {
      await world.set('with', { credentials: { TOKEN: 'bot' } });
      await world.set('without', {});
      await world.emit({ source: 'hook', source_name: 'hook', trusted: false, refusable: false });
      const [refusal, delivered] = await deliveriesOf(world);
      t.match(refusal, /^with refused untrusted_run_declares_credential: .*TOKEN/);
      t.equal(delivered, 'without delivered');
      t.match(await runsOf(world), [{ trusted: 0, trigger: { handler: 'without' } }]);
      await world.emit({ source: 'hook', source_name: 'hook', refusable: false });
      t.equal((await runsOf(world)).filter(({ trusted }) => trusted === 1).length, 2, 'a trusted one starts both');
      t.same(await handlerCredentialUser(world.database).uses(world.scope, 'bot', 10), [
        { kind: 'handler', name: 'with', detail: 'TOKEN' },
      ]);
      t.same(await handlerCredentialUser(world.database).uses({ ...world.scope, project_id: 'prj_2' }, 'bot', 10), []);
    }),
  );

  t.test(`${store}: a chain ends after five generations`, (t) =>
    withWorld(t, async (world) => {
      await world.set('next', {});
      await world.emit({ generation: 4 });
      t.match(await runsOf(world), [{ generation: 5 }]);
      const before = await count(world, 'bus_events');
      const error = await refused(world.emit({ generation: 5 }));
      t.match(error, { code: 'chain_too_deep', status: 409, message: /next.*generation 6/ });
      t.equal(await count(world, 'bus_events'), before, 'a refused emit leaves nothing');
      await world.emit({ generation: 5, type: 'nobody.listens' });
      await world.emit({ generation: 5, refusable: false, source: 'lifecycle' });
      t.match((await deliveriesOf(world)).at(-1), /^next refused chain_too_deep: .*generation 6/);
      t.equal((await runsOf(world)).length, 1);
    }),
  );

  t.test(`${store}: at most sixteen handler runs are in flight; what nobody may refuse waits its turn`, (t) =>
    withWorld(t, async (world) => {
      for (let n = 0; n < 17; n++) await world.set(`all-${n}`, { on: [n === 16 ? 'many.*' : 'many.one', 'many.two'] });
      t.match(await refused(world.emit({ type: 'many.two' })), {
        code: 'handlers_in_flight',
        status: 429,
        extras: { retryAfterMs: 1000 },
      });
      t.equal(await count(world, 'bus_events'), 0, 'nothing of it is recorded');
      await world.set('last', { on: ['other'] });
      await world.remove('all-16');
      await world.emit({ type: 'many.one' });
      t.equal(await count(world, 'handlers_runs'), 16);
      t.match(await refused(world.emit({ type: 'other' })), { code: 'handlers_in_flight' });
      const waiting: string[] = [];
      for (const payload of [1, 2, 3]) {
        const { event_id } = await world.emit({ type: 'other', payload, refusable: false, source: 'schedule' });
        waiting.push(handlerRunId(event_id, 'last'));
      }
      t.match((await deliveriesOf(world)).slice(-3), [/^last queued/, /^last queued/, /^last queued/]);
      t.same(await world.handlers.load(world.scope), { in_flight: 16, queued: 3 });
      await assertInvariants(t, world);
      await world.agent.work(1);
      t.same(await world.handlers.load(world.scope), { in_flight: 16, queued: 2 });
      const started = (await runsOf(world)).filter(({ trigger }) => trigger.handler === 'last');
      t.same(
        started.map(({ run_id }) => run_id),
        [waiting[0]],
        'the first that came is the first that starts',
      );
      await world.agent.work(20);
      t.same(await world.handlers.load(world.scope), { in_flight: 2, queued: 0 });
      await world.agent.work(20);
      t.same((await deliveriesOf(world)).slice(-3), ['last delivered', 'last delivered', 'last delivered']);
      t.same(await world.handlers.load(world.scope), { in_flight: 0, queued: 0 });
    }),
  );

  t.test(`${store}: untrusted handler runs have four of the places, and hold up no trusted one`, (t) =>
    withWorld(t, async (world) => {
      await world.set('a', { on: ['tick'] });
      await world.set('b', { on: ['tick'] });
      const outside = { type: 'tick', refusable: false, source: 'hook', source_name: 'h', trusted: false } as const;
      for (let n = 0; n < 3; n++) await world.emit(outside);
      const full = 'a project can have at most 4 untrusted handler runs in flight';
      t.same((await deliveriesOf(world)).slice(-2), [`a queued ${full}`, `b queued ${full}`]);
      await world.database.write('UPDATE handlers_runs SET untrusted = NULL WHERE project_id = ?', [
        world.scope.project_id,
      ]);
      for (const statement of untrustedColumns.sqlite.filter((one) => one.startsWith('UPDATE')))
        await world.database.write(statement, []);
      await world.emit({ type: 'tick', trusted: false });
      t.same(await world.handlers.load(world.scope), { in_flight: 4, queued: 4 }, 'not even an emit is refused');
      await world.emit({ type: 'tick' });
      t.same((await deliveriesOf(world)).slice(-2), ['a delivered', 'b delivered'], 'trusted ones pass them');
      await assertInvariants(t, world);

      for (let n = 0; n < 10; n++) await world.set(`all-${n}`, { on: ['many'] });
      await world.emit({ type: 'many' });
      await world.emit({ ...outside, trusted: true });
      t.same(await world.handlers.load(world.scope), { in_flight: 16, queued: 6 });
      t.match(await refused(world.emit({ type: 'tick', trusted: false })), { code: 'handlers_in_flight' });
      const end = async (trusted: number) => {
        const open = await world.database.read<{ run_id: string }>(
          'SELECT h.run_id AS run_id FROM handlers_runs h JOIN runs_runs r ON r.run_id = h.run_id WHERE r.project_id = ? AND r.trusted = ?',
          [world.scope.project_id, trusted],
        );
        const { org_id, project_id } = world.scope;
        await world.runs.cancelRun({ org_id, project_id, run_id: open[0]!.run_id, reason: 'enough' });
      };
      await end(1);
      t.same((await deliveriesOf(world)).slice(-2), [
        'a delivered',
        'b queued a project can have at most 16 handler runs in flight',
      ]);
      await end(0);
      t.equal((await deliveriesOf(world)).at(-1), 'b delivered', 'a trusted one goes before untrusted ones');
      const ticks = (await deliveriesOf(world)).filter((line) => /^[ab] /.test(line));
      t.same(ticks.slice(4, 6), [`a queued ${full}`, `b queued ${full}`]);
      t.same(await world.handlers.load(world.scope), { in_flight: 16, queued: 4 });
      for (let n = 0; n < 12; n++) await end(1);
      t.same(await world.handlers.load(world.scope), { in_flight: 5, queued: 3 }, 'free places stay free for others');
      await assertInvariants(t, world);
      while ((await world.agent.work(20)).length > 0);
      t.same(await world.handlers.load(world.scope), { in_flight: 0, queued: 0 });
      const outsiders = (await runsOf(world)).filter(
        ({ trusted, trigger }) => trigger.type === 'tick' && trusted === 0,
      );
      t.equal(outsiders.length, 8, 'none is lost');
    }),
  );

  t.test(`${store}: what untrusted runs emit starts no more runs than untrusted runs may start`, (t) =>
    withWorld(
      t,
      async (world) => {
        await world.set('a', { on: ['tick'] });
        const outside = { type: 'tick', refusable: false, source: 'hook', source_name: 'h', trusted: false } as const;
        await world.emit(outside);
        await world.emit({ type: 'tick', trusted: false });
        t.match(await refused(world.emit({ type: 'tick', trusted: false })), { code: 'untrusted_run_limit' });
        await world.emit({ type: 'tock', trusted: false });
        t.pass('an event that starts nothing is recorded');
        await world.emit({ type: 'tick' });
        await world.emit(outside);
        t.same(await world.handlers.load(world.scope), { in_flight: 4, queued: 0 }, 'nobody else is refused');
        await assertInvariants(t, world);
      },
      { SVC_UNTRUSTED_PROJECT_LIMITS: 'runs=2' },
    ),
  );

  t.test(`${store}: what the emits of an untrusted run start counts for it, also where it waits in the queue`, (t) =>
    withWorld(
      t,
      async (world) => {
        for (const name of ['a', 'b']) await world.set(name, { on: ['tick'] });
        await world.emit({ type: 'tick', refusable: false, source: 'hook', source_name: 'h', trusted: false });
        const [{ run_id: source_name } = { run_id: '' }] = await runsOf(world);
        const emit = { type: 'tick', source: 'emit', source_name, trusted: false, generation: 1 } as const;
        for (let n = 0; n < 3; n += 1) await world.emit(emit);
        t.same(await world.handlers.load(world.scope), { in_flight: 4, queued: 4 });
        t.match(await refused(world.emit(emit)), { code: 'run_storage_limit' }, 'a queue has an end');
        t.same(await world.handlers.load(world.scope), { in_flight: 4, queued: 4 });
        await world.emit({ ...emit, type: 'tock' });
        t.pass('what starts nothing is recorded');
        await world.set('c', { on: ['tuck'], when: 'false' });
        let declined = 0;
        const tucks = async () => {
          for (; declined < 20; declined += 1) await world.emit({ ...emit, type: 'tuck' });
        };
        t.match(await refused(tucks()), { code: 'run_storage_limit' }, 'what is declined is stored, too');
        t.equal(declined, 2);
        await world.emit({ ...emit, trusted: true });
        await world.emit({ type: 'tick', refusable: false, source: 'hook', source_name: 'h', trusted: false });
        t.pass('nor is anybody else refused');
        await assertInvariants(t, world);
        while ((await world.agent.work(20)).length > 0);
      },
      { SVC_UNTRUSTED_RUN_LIMITS: 'calls=50KiB' },
    ),
  );

  t.test(`${store}: of a queue of untrusted deliveries trusted ones are found`, (t) =>
    withWorld(t, async (world) => {
      for (let n = 0; n < 12; n++) await world.set(`all-${n}`, { on: ['many'] });
      await world.set('last', { on: ['tick'] });
      await world.emit({ type: 'many' });
      const tick = { type: 'tick', refusable: false, source: 'hook', source_name: 'h' } as const;
      await Promise.all(Array.from({ length: 150 }, () => world.emit({ ...tick, trusted: false })));
      t.same(await world.handlers.load(world.scope), { in_flight: 16, queued: 146 });
      for (let n = 0; n < 5; n++) await world.emit(tick);
      const { org_id, project_id } = world.scope;
      for (const { run_id, trigger } of await runsOf(world))
        if (trigger.type === 'many') await world.runs.cancelRun({ org_id, project_id, run_id, reason: 'enough' });
      t.same(await world.handlers.load(world.scope), { in_flight: 9, queued: 146 });
    }),
  );

  t.test(`${store}: what waits for a handler that is removed or replaced`, (t) =>
    withWorld(t, async (world) => {
      for (let n = 0; n < 16; n++) await world.set(`all-${n}`, { on: ['many'] });
      await world.set('gone', { on: ['tick'] });
      await world.set('other', { on: ['tick'] });
      await world.emit({ type: 'many' });
      const tick = { type: 'tick', refusable: false, source: 'hook', source_name: 'h', trusted: false } as const;
      await world.emit(tick);
      await world.emit(tick);
      await world.remove('gone');
      t.same((await deliveriesOf(world)).slice(-4), [
        'gone refused the handler was removed',
        'other queued a project can have at most 16 handler runs in flight',
        'gone refused the handler was removed',
        'other queued a project can have at most 16 handler runs in flight',
      ]);
      await assertInvariants(t, world);
      await world.set('other', { on: ['tick'], credentials: { TOKEN: 'bot' } });
      await world.agent.work(1);
      const after = (await deliveriesOf(world)).filter((line) => line.startsWith('other'));
      t.match(after, [/^other refused untrusted_run_declares_credential/, /^other refused untrusted_run/]);
      t.same(await world.handlers.load(world.scope), { in_flight: 15, queued: 0 });
    }),
  );

  t.test(
    `${store}: of many that wait for one handler those are refused that may not run, and the first that may takes the place`,
    (t) =>
      withWorld(t, async (world) => {
        for (let n = 0; n < 16; n++) await world.set(`all-${n}`, { on: ['many'] });
        for (const name of ['gone', 'other']) await world.set(name, { on: ['tick'] });
        await world.emit({ type: 'many' });
        const tick = { type: 'tick', refusable: false, source: 'hook', source_name: 'h' } as const;
        await Promise.all(Array.from({ length: 300 }, () => world.emit({ ...tick, trusted: false })));
        await world.emit(tick);
        t.same(await world.handlers.load(world.scope), { in_flight: 16, queued: 602 });
        await world.remove('gone');
        t.same(await world.handlers.load(world.scope), { in_flight: 16, queued: 301 });
        await world.set('other', { on: ['tick'], credentials: { TOKEN: 'bot' } });
        // The first one that ends gives its slot to the trusted delivery.
        await world.agent.work(2);
        t.same(await world.handlers.load(world.scope), { in_flight: 15, queued: 0 });
        const states = Object.groupBy(await deliveriesOf(world), (line) => line.split(' ').slice(0, 2).join(' '));
        t.equal(states['gone refused']?.length, 301);
        t.equal(states['other refused']?.length, 300);
        t.same(states['other delivered'], ['other delivered']);
        await assertInvariants(t, world);
      }),
  );

  t.test(`${store}: a handler that cannot be run any more takes no place from those behind it`, async (t) => {
    const all = await openWorld(database, { kinds: [graphs] });
    const fewer = await openWorld(database, { project_id: all.scope.project_id });
    await all.set('a-graph', { on: ['tick'], source: undefined, graph: 'release' });
    for (let n = 10; n < 27; n++) await all.set(`script-${n}`, { on: ['tick'] });
    await fewer.emit({ type: 'tick', refusable: false, source: 'hook', source_name: 'h' });
    t.same(await all.handlers.load(all.scope), { in_flight: 16, queued: 1 });
    t.match((await deliveriesOf(all))[0], /^a-graph refused workflow_kind_unknown/);
    t.equal((await deliveriesOf(all)).at(-1), 'script-26 queued a project can have at most 16 handler runs in flight');
    await assertInvariants(t, all);
    await all.close();
    await fewer.close();
  });

  t.test(`${store}: a project has a bounded number of handlers`, (t) =>
    withWorld(t, async (world) => {
      await world.set('h', {});
      const [row] = await world.database.read<Record<string, Param>>(
        'SELECT * FROM handlers_handlers WHERE project_id = ?',
        [world.scope.project_id],
      );
      const copies = Array.from({ length: 1999 }, (_, n) => ({ ...row, name: `h-${n}`, handler_id: `hdl_${n}` }));
      await world.database.transaction((tx) =>
        insertRows(tx, 'INSERT INTO handlers_handlers', Object.keys(row!), copies.map(Object.values)),
      );
      t.match(await refused(world.set('one-more', {})), {
        code: 'handlers_full',
        message: 'the project has 2000 handlers',
      });
      await world.set('h', { when: 'true' });
      await world.remove('h-7');
      await world.set('one-more', {});
    }),
  );

  t.test(`${store}: the predicates of a project are bounded together`, (t) =>
    withWorld(t, async (world) => {
      const when = (n: number) => `true || event.payload == ${n}`.padEnd(8192);
      for (let n = 0; n < 32; n++) await world.set(`h-${n}`, { when: when(n) });
      t.match(await refused(world.set('one-more', { when: 'true' })), {
        code: 'handlers_full',
        message: 'when brings all predicates, keys and priorities of the project to 262148 bytes; the limit is 262144',
        extras: { errors: [{ pointer: '/when' }] },
      });
      t.equal(await count(world, 'handlers_handlers'), 32);
      await world.set('without', {});
      const keyed = [{ throttle: { limit: 1, period: '1s', key: 'event.key' } }, { priority: 'event.payload' }];
      for (const options of keyed)
        t.match(await refused(world.set('keyed', options)), {
          code: 'handlers_full',
          message: /^the handler brings all predicates, keys and priorities of the project to 2621\d\d bytes/,
        });
      await world.set('h-0', { when: when(99).slice(0, 8188) });
      await world.set('one-more', { when: 'true' });
      t.match(await refused(world.set('h-0', { when: when(0) })), { code: 'handlers_full' });
    }),
  );

  t.test(`${store}: two servers keep the ceilings together`, async (t) => {
    const [one, two] = await twoServers(database);
    try {
      await storm(t, store, one, two);
    } finally {
      await one.close();
      await two.close();
    }
  });

  t.test(`${store}: every server serves what any has registered`, async (t) => {
    const [one, two] = await twoServers(database);
    const matching = (world: World) =>
      world.use(Database).transaction((tx) => world.use(HandlerMatches).listMatching(tx, world.scope, 'push'));
    t.same(await matching(one), []);
    await two.set('b', { on: ['push'] });
    t.same(await matching(one), ['b']);
    await one.set('a', { on: ['pu*'] });
    t.same(await matching(two), ['a', 'b']);
    await two.set('b', { on: ['other'] });
    t.same(await matching(one), ['a']);
    await two.remove('a');
    t.same(await matching(one), []);
    await one.close();
    await two.close();
  });

  t.test(`${store}: what cannot be right is refused when it is registered`, (t) =>
    withWorld(t, async (world) => {
      const refusal = async (body: Parameters<World['set']>[1], name = 'h') => refused(world.set(name, body));
      t.equal(pointersOf(await refusal({ on: ['push', 'a b', '*x'] })), '/on/1,/on/2');
      t.match(await refusal({ when: 'event.type ==' }), { code: 'expression_invalid', message: /line 1, column 12/ });
      t.equal(pointersOf(await refusal({ when: 'vars.a == 1' })), '/when');
      t.match(await refusal({ when: 'steps.x' }), { extras: { data: { problems: [{ line: 1, column: 1 }] } } });
      t.match(await refusal({ source: 'if' }), { code: 'workflow_invalid' });
      t.match(await refusal({ source: undefined, graph: 'g' }), { code: 'workflow_kind_unknown' });
      t.match(await refusal({ source: undefined, node: 'http', config: {} }), { code: 'workflow_kind_unknown' });
      t.match(await refusal({ kind: 'pipeline' }), { code: 'workflow_kind_unknown' });
      t.equal(pointersOf(await refusal({ env: { SVC_X: '1' } })), '/env/SVC_X');
      t.equal(pointersOf(await refusal({ credentials: { PATH: 'bot' } })), '/credentials/PATH');
      t.equal(pointersOf(await refusal({ requires: ['a b'] })), '/requires/0');
      t.match(await refused(world.remove('h')), { code: 'not_found' });
      t.match(await refused(world.handlers.read({ scope: world.scope, name: 'no name' })), { code: 'not_found' });
      t.match(await world.set('h', { on: ['a', 'a'], when: 'true' }), { made: true, view: { on: ['a'] } });
      t.match(await world.set('h', { on: ['b'] }), { made: false, view: { on: ['b'] } });
      t.match(await world.handlers.read({ scope: world.scope, name: 'h' }), { on: ['b'], when: undefined });
      t.equal(await count(world, 'audit_entries'), 2);
    }),
  );

  t.test(`${store}: a kind that a plugin brings is taken without a change here`, async (t) => {
    const world = await openWorld(database, { kinds: [graphs] });
    await world.set('g', { source: undefined, graph: 'release' });
    t.match(await refused(world.set('h', { source: undefined, graph: 'release', credentials: { A: 'bot' } })), {
      code: 'invalid_request',
      message: /credentials can be combined with source and function, not with graph/,
    });
    await world.emit({});
    const [run] = await world.database.read<{ kind: string }>('SELECT kind FROM runs_runs WHERE project_id = ?', [
      world.scope.project_id,
    ]);
    t.equal(run!.kind, 'graph');
    await world.close();
  });

  t.test(`${store}: a trial tells what an event would do, and starts nothing`, (t) =>
    withWorld(t, async (world) => {
      const { event_id } = await world.emit({ payload: { n: 1 } });
      await world.set('fits', { when: 'event.payload.n == 1' });
      await world.set('not', { on: ['x.*'] });
      await world.set('false', { when: 'event.payload.n == 2' });
      await world.set('fails', { when: 'event.payload.m == 2' });
      const parts = { ...world, expressions: world.use(Expressions) };
      const tried = (name: string) => world.try(parts, name, event_id);
      t.match(await tried('fits'), {
        outcome: 'start',
        pattern: 'deploy.done',
        when: { value: true },
        run_id: handlerRunId(event_id, 'fits'),
      });
      t.match(await tried('not'), { outcome: 'not_matched' });
      t.match(await tried('false'), { outcome: 'declined', when: { value: false } });
      t.match(await tried('fails'), { outcome: 'declined', when: { error: /event.payload.m: no such field/ } });
      t.match(await refused(world.try(parts, 'fits', 'evt_none')), { code: 'not_found' });
      t.match(await refused(world.try(parts, 'nobody', event_id)), { code: 'not_found' });
      t.equal((await runsOf(world)).length, 0);
    }),
  );
}

/** Two servers emit and work in parallel until everything is recorded and done. */
async function storm(t: Test, store: string, one: World, two: World): Promise<void> {
  const EVENTS = 30;
  for (const name of ['a', 'b', 'c']) await one.set(name, { on: ['storm.*'] });
  const accepted: string[] = [];
  let refusals = 0;
  let most = 0;
  let emitting = 2;
  const emitter = async (world: World, refusable: boolean) => {
    for (let n = 0; n < EVENTS; ) {
      try {
        const event = world.eventOf({
          type: `storm.${n}`,
          refusable,
          ...(refusable ? {} : { source: 'hook', source_name: 'h' }),
        });
        accepted.push((await world.bus.emit(event)).event_id);
        n++;
      } catch (error) {
        if (!isServiceError(error, 'handlers_in_flight')) throw error;
        refusals++;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    emitting--;
  };
  const worker = async (world: World) => {
    for (;;) {
      const done = await world.agent.work(3);
      most = Math.max(most, await count(world, 'handlers_runs'));
      const load = await world.handlers.load(world.scope);
      if (done.length === 0 && emitting === 0 && load.in_flight === 0 && load.queued === 0) return;
    }
  };
  await Promise.all([emitter(one, true), emitter(two, false), worker(one), worker(two)]);
  t.comment(`${store}: ${accepted.length} events, ${refusals} refusals, at most ${most} in flight`);
  t.equal(accepted.length, 2 * EVENTS);
  t.ok(most <= 16, `${most} in flight`);
  t.ok(refusals > 0, 'the ceiling was reached');
  const wanted = accepted.flatMap((event_id) => ['a', 'b', 'c'].map((name) => handlerRunId(event_id, name)));
  t.same((await runsOf(one)).map(({ run_id }) => run_id).sort(), wanted.sort(), 'one run each, none lost');
  await assertInvariants(t, one);
}
