import t from 'tap';
import { createExpressions } from '../../plugins/platform/expressions/create-expressions.ts';
import { pickWaitValues } from '../../plugins/events/bus/contract/wait-values.ts';
import { countReads, STORES } from '../kit/index.ts';
import type { ServiceError } from '../../kernel/contracts/index.ts';
import type { PendingEvent } from '../../plugins/events/bus/contract.ts';
import { BudgetedEvaluator, lockedUnits } from '../../plugins/events/bus/service/predicate-evaluator.ts';
import { checkBusInvariants } from '../../plugins/events/bus/testing/invariants.ts';
import { BusProject, type BusServer, openServers } from '../../plugins/events/bus/testing/bus-server.ts';
import type { Json } from '../../plugins/engine/runs/contract.ts';

t.setTimeout(600_000);

const expressions = createExpressions();
const scope = {
  jobs: { build: { outputs: { id: 42, 'a-b': [1, 2], secret: 'x' }, status: 'succeeded' } },
  vars: { __proto__: null, mode: 'all', none: null },
  run: { id: 'run_1' },
};
const pick = (when: string) => JSON.parse(JSON.stringify(pickWaitValues(expressions, when, scope) ?? null)) as Json;
const codeOf = (when: string): unknown => {
  try {
    return pick(when);
  } catch (error) {
    return [(error as { code: string }).code, (error as Error).message];
  }
};

t.test('a wait stores only the members that its predicate reads', async (t) => {
  t.equal(pick('event.payload.jobs == 1'), null, 'the event is not a value');
  t.same(pick('event.payload.id == jobs.build.outputs.id'), { jobs: { build: { outputs: { id: 42 } } } });
  t.same(pick('jobs["build"].outputs["a-b"].exists(run, run == event.n)'), {
    jobs: { build: { outputs: { 'a-b': [1, 2] } } },
  });
  t.same(pick('event.run == run.id && vars.none == null'), { run: { id: 'run_1' }, vars: { none: null } });
  t.same(pick('vars[event.payload] == run.id'), { vars: { mode: 'all', none: null }, run: { id: 'run_1' } });
  t.same(
    pick('jobs.build.outputs.id == 1 || jobs.build.status == event.s || size(jobs.build.outputs) > 1'),
    { jobs: { build: { outputs: { id: 42, 'a-b': [1, 2], secret: 'x' }, status: 'succeeded' } } },
    'a member contains the members that are read separately',
  );
});

t.test('a member that is tested may be missing, and no other', async (t) => {
  t.same(pick('has(jobs.build.outputs.gone) && jobs.build.outputs.gone == event.n'), {
    jobs: { build: { outputs: {} } },
  });
  t.same(pick('has(jobs.build.outputs.id)'), { jobs: { build: { outputs: { id: {} } } } }, 'its value is not needed');
  t.same(pick('has(jobs.build.outputs.id) && jobs.build.outputs.id == event.n'), {
    jobs: { build: { outputs: { id: 42 } } },
  });
  const missing = (path: string) => ['wait_value_missing', `\`when\` uses ${path}, which does not exist`];
  t.same(codeOf('event.n == jobs.build.outputs.idd.x'), missing('jobs.build.outputs.idd'));
  t.same(codeOf('event.n == vars["the-mode"]'), missing('vars["the-mode"]'));
  t.same(codeOf('event.n == vars.mode.length'), missing('vars.mode.length'), 'a text has no members');
  t.same(codeOf('event.n == vars.toString'), missing('vars.toString'));
  t.same(codeOf('has(vars.gone.x)'), missing('vars.gone'));
});

t.test('what a wait stores is bounded', async (t) => {
  const large = { vars: { list: ['x'.repeat(16 * 1024)] } };
  t.throws(() => pickWaitValues(expressions, 'event.n in vars.list', large), { code: 'wait_values_too_large' });
});

for (const store of STORES) {
  t.test(`${store}: each wait has values of its own`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const p = new BusProject(server);
    const when = 'event.payload.id == vars.id';
    const one = await p.waiting('paid', {}, { when, vars: { id: 'c4nary-one' } });
    const two = await p.waiting('paid', {}, { when, vars: { id: 'c4nary-two' } });
    const named = await p.waiting('paid', {}, { when: 'event.payload.run == run.id', vars: {} });
    const shared = await p.waiting('paid', {}, { when: 'event.payload.id == "c4nary-two"' });
    const node = await p.waiting('paid', {}, { when: 'event.payload.id == vars.id', values: { vars: { id: 7 } } });
    const exact = await p.waiting('large', {}, {
      when: 'event.payload == vars.n',
      values: { vars: { n: 12345678901234567n } },
    } as never);
    const stored = await server.database.read<Record<string, unknown>>('SELECT * FROM bus_waits WHERE project_id = ?', [
      p.scope.project_id,
    ]);
    const sealed = stored.filter((row) => row.sealed_predicate !== null);
    t.same(
      sealed.map(({ run_id }) => run_id).sort(),
      [one, two, named, node, exact].map(({ run_id }) => run_id).sort(),
    );
    // The sealer of this test binds values to their place and leaves them readable.
    for (const { sealed_predicate: _, ...others } of sealed)
      t.notMatch(JSON.stringify(others), /c4nary|vars|run\.id/, 'nothing of it is in another column');

    const states = async (event: string) =>
      Object.fromEntries((await server.views.read(p.scope, event)).deliveries.map(({ name, state }) => [name, state]));
    const first = await p.emit('paid', { payload: { id: 'c4nary-two', run: 'x' } });
    t.match(await states(first), {
      [one.run_id]: 'declined',
      [two.run_id]: 'queued',
      [named.run_id]: 'declined',
      [shared.run_id]: 'queued',
      [node.run_id]: 'declined',
    });
    t.equal(await server.deliver(), 2);
    const second = await p.emit('paid', { payload: { id: 7, run: named.run_id } });
    t.match(await states(second), { [one.run_id]: 'declined', [named.run_id]: 'queued', [node.run_id]: 'queued' });
    t.equal(await server.deliver(), 2);
    const unreadable = await p.emit('paid', { payload: {} });
    const [declined] = (await server.views.read(p.scope, unreadable)).deliveries;
    t.match(declined, { state: 'declined', reason: /event\.payload\.id: no such field/ });
    const close = await p.emit('large', { payload: 12345678901234568n as never });
    t.equal((await server.views.read(p.scope, close)).deliveries[0]?.state, 'declined', 'numbers are exact');
    await p.emit('large', { payload: 12345678901234567n as never });
    t.equal(await server.deliver(), 1, exact.run_id);
    t.same(await checkBusInvariants(server.database), []);
  });

  t.test(`${store}: a predicate that was copied to another wait does not open, and declines`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const p = new BusProject(server);
    const [one, two] = [
      await p.waiting('paid', {}, { when: 'vars.ok', vars: { ok: true } }),
      await p.waiting('paid', {}, { when: 'vars.ok', vars: { ok: false } }),
    ];
    const blobOf = async (run_id: string) =>
      (
        await server.database.read<{ sealed: Buffer }>(
          'SELECT sealed_predicate AS sealed FROM bus_waits WHERE run_id = ?',
          [run_id],
        )
      )[0]!.sealed;
    const copied = await blobOf(one.run_id);
    await server.database.write('UPDATE bus_waits SET sealed_predicate = ? WHERE run_id = ?', [copied, two.run_id]);
    const { deliveries } = await server.views.read(p.scope, await p.emit('paid'));
    t.match(
      deliveries.find(({ run_id }) => run_id === two.run_id),
      { state: 'declined', reason: /cannot be evaluated/ },
    );
    t.equal(deliveries.find(({ run_id }) => run_id === one.run_id)?.state, 'queued', 'the other one still matches');
  });

  t.test(`${store}: many waits with values are evaluated before the transaction`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const p = new BusProject(server);
    const COUNT = 230;
    const claims = [];
    for (let n = 0; n < COUNT; n++)
      claims.push(await p.waiting('paid', {}, { when: 'event.payload >= vars.n', vars: { n } }));
    const { deliveries, unlisted_count } = await server.views.read(p.scope, await p.emit('paid', { payload: 219 }));
    t.equal(deliveries.length + unlisted_count, COUNT);
    t.equal(await server.deliver(), 220);
    const rest = await p.emit('paid', { payload: 1000 });
    t.equal((await server.views.read(p.scope, rest)).deliveries.length, 10);
    t.equal(await server.deliver(), 10);
    t.same(await checkBusInvariants(server.database), []);
  });

  t.test(`${store}: a transaction reads few of the values that many waits have`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const p = new BusProject(server);
    const [COUNT, SIZE] = [120, 15_000];
    for (let n = 0; n < COUNT; n++) {
      const values = { vars: { n, pad: 'x'.repeat(SIZE) } };
      await p.waiting('paid', {}, { when: "event.payload >= vars.n && vars.pad != ''", values });
    }
    const counting = countReads(server.database);
    const { reads } = await counting(() => p.emit('paid', { payload: 99 }));
    t.ok(reads.largest.bytes <= 60 * SIZE, `${reads.largest.bytes} bytes at once: ${reads.largest.statement}`);
    t.ok(reads.within_transactions <= 70 * SIZE, `${reads.within_transactions} bytes in transactions`);
    t.equal(await server.deliver(), 100);
    t.same(await checkBusInvariants(server.database), []);
  });
}

t.test('opening large values yields to the event loop', async (t) => {
  const evaluator = new BudgetedEvaluator(() => expressions);
  const event = {
    event_id: 'evt_1',
    type: 'paid',
    payload: 1,
    generation: 0,
    trusted: true,
  } as unknown as PendingEvent;
  evaluator.attach(event, evaluator.begin());
  const predicates = Array.from({ length: 200 }, (_, n) => ({
    key: `\0${n}`,
    bytes: 16 * 1024,
    open: () => ({ when: 'event.payload == vars.n', values: { vars: { n } } }),
  }));
  let turns = 0;
  let timer = setImmediate(function count() {
    turns += 1;
    timer = setImmediate(count);
  });
  t.teardown(() => clearImmediate(timer));
  async function* pages() {
    yield predicates;
  }
  try {
    evaluator.evaluateBound(event, predicates, lockedUnits(), pages);
    t.fail('so much is not opened under locks');
  } catch (error) {
    await (error as ServiceError).extras.outside!();
  }
  t.ok(turns >= 3, `${turns} turns`);
  const results = evaluator.evaluateBound(event, predicates, lockedUnits(), pages);
  t.same(
    [...results].flatMap(([key, result]) => (result.ok && result.value ? [key] : [])),
    ['\x001'],
  );
});
