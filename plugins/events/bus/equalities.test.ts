import t from 'tap';
import { Expressions, Sealer } from '../../../kernel/contracts/index.ts';
import { boot, countWork, STORES } from '../../../test/kit/index.ts';
import type { Json } from '../../engine/runs/contract.ts';
import { equalityKey } from '../../platform/expressions/contract.ts';
import { parseExact } from '../../platform/schema/contract.ts';
import type { WaitValues } from './contract.ts';
import { findEqualities, readKeys } from './domain/equalities.ts';
import { sealEqualities } from './store/equalities.ts';
import { insertWait } from './store/waits.ts';
import { checkBusInvariants } from './testing/invariants.ts';
import { BusProject, type BusServer, openServers } from './testing/bus-server.ts';

t.setTimeout(600_000);

const kernel = await boot({ plugins: ['expressions'], quiet: true });
t.teardown(() => kernel.close());
const expressions = kernel.use(Expressions);

/** Values of events as they are sent. Many of them look alike, and some cannot be read by expressions. */
const TEXTS = [
  ...['null', 'true', 'false', '""', '"true"', '"1"', '"o-17"', '"O-17"', '"o-17 "', '"é"', '"e\\u0301"', '"\\u0000"'],
  ...['0', '-0', '-0.0', '1', '1.0', '1e0', '-1', '0.1', '0.10', '0.1000000000000000055', '1.5', '1e-400'],
  ...['9007199254740992', '9007199254740993', '9007199254740993.0', '9223372036854775807', '9223372036854775808'],
  ...['-9223372036854775808', '-9223372036854775809', '18446744073709551615', '18446744073709551616', '1e400', '1e19'],
  ...['[]', '["o-17"]', '{}', '{"text":"1"}', '"😀"', '"\\ud83d"'],
];
const parsed = (text: string): Json => parseExact(text) as Json;

t.test('two scalars have one key exactly if expressions find them equal', async (t) => {
  const compared = expressions.compile('event.a == event.b', ['event']);
  for (const a of TEXTS)
    for (const b of TEXTS) {
      const [left, right] = [equalityKey(parsed(a)), equalityKey(parsed(b))];
      if ((left === undefined || right === undefined) && /[[{]/.test(a + b)) continue;
      const result = compared.test({ event: { a: parsed(a), b: parsed(b) } });
      const equal = left !== undefined && left === right;
      if (equal !== (result.ok && result.value)) t.fail(`${a} and ${b}: ${left}, ${right}, ${JSON.stringify(result)}`);
    }
});

const demandsOf = (when: string, values?: WaitValues) => {
  const found = findEqualities(
    expressions.compile(when, ['event', 'event.payload.id', ...Object.keys(values ?? {})]),
    values,
  );
  return found && Object.fromEntries(found.paths.map((path, n) => [path.join('/'), found.keys[n]]));
};

t.test('only comparisons without which a predicate is not true are used', async (t) => {
  const values = { vars: { id: 'A-7', n: 7, none: null, list: [1], deep: { id: 'B' } }, run: { id: 'run_1' } };
  const cases: [when: string, demands: { [path: string]: string } | undefined][] = [
    ['event.payload.order == "o-17"', { 'payload/order': '"o-17' }],
    ['"o-17" == event.payload["the.order"]', { 'payload/the.order': '"o-17' }],
    ['event.payload.id == vars.id && event.key == run.id', { 'payload/id': '"A-7', key: '"run_1' }],
    [
      '(event.payload.a > 1 && (event.payload.id == vars.deep.id && event.b == true))',
      { 'payload/id': '"B', b: 'true' },
    ],
    ['event.payload.n == vars.n + 1', { 'payload/n': '8' }],
    ['event.payload.n == 1.0 && event.payload.n == 2', { 'payload/n': '1' }],
    ['event.payload.n == 7u', { 'payload/n': '7' }],
    ['event.payload.id == "x" + vars.id', { 'payload/id': '"xA-7' }],
    ['event.payload.id == (vars.n == 7 ? "seven" : vars.id)', { 'payload/id': '"seven' }],
    ['event.payload.id == vars.none', { 'payload/id': 'null' }],
    ['event.payload.id == "a" || event.payload.id == "b"', undefined],
    ['!(event.payload.id == "a")', undefined],
    ['event.payload.id != "a"', undefined],
    ['event.payload.ok ? event.payload.id == "a" : true', undefined],
    ['(event.payload.id == "a") == false', undefined],
    ['event.payload.list.exists(x, x == "a")', undefined],
    ['[1].all(event, event == 1)', undefined],
    ['[{"a": 1}].all(event, event.a == 1)', undefined],
    ['event.payload.id == event.key', undefined],
    ['event.payload[vars.id] == "a"', undefined],
    ['event.payload.list[0] == "a"', undefined],
    ['has(event.payload.id) == true', undefined],
    ['event == vars.n', undefined],
    ['size(event.payload.id) == 3', undefined],
    ['event.payload.id == vars.list', undefined],
    ['event.payload.id == vars.deep', undefined],
    ['event.payload.id == b"a"', undefined],
    ['event.payload.id == 1 / 0', undefined],
    ['event.payload.id == [1, 2].map(x, x)[1]', { 'payload/id': '2' }],
    ['event.payload.id == [0.0 / 0.0][0]', undefined],
    ['event.payload.in == "a"', undefined],
  ];
  for (const [when, demands] of cases) {
    if (when.includes('.in ')) t.throws(() => demandsOf(when, values), { code: 'expression_invalid' });
    else t.same(demandsOf(when, values), demands, when);
  }
  t.same(
    demandsOf('event.payload.id == "a"', { 'event.payload.id': 'a' }),
    undefined,
    'a name with dots is a variable',
  );
  const nine = Array.from({ length: 9 }, (_, n) => `event.payload.m${n} == ${n}`).join(' && ');
  t.equal(Object.keys(demandsOf(nine) ?? {}).length, 8);
  t.same(demandsOf(`event.payload.${'x'.repeat(1000)} == 1`), undefined, 'a long path is not stored');
});

/** A generator of predicates and events that meet often, the same in every run. */
function generator(seed: number) {
  let state = seed;
  const below = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const path = () =>
    one(['event.payload.a', 'event.payload["a"]', 'event.payload.b.c', 'event.key', 'event.payload.x']);
  const literal = () =>
    one(['1', '1.0', '"1"', '"x"', 'true', 'null', 'vars.v', 'vars.w.v', '2u', '[1]', 'vars.v + vars.v']);
  const comparison = () => one([() => `${path()} == ${literal()}`, () => `${literal()} == ${path()}`])();
  function condition(depth: number): string {
    const kind = below(depth === 0 ? 2 : 8);
    if (kind === 0)
      return one(['event.payload.n > 1', 'has(event.payload.x)', 'true', 'event.payload.n', '1 / 0 == 1']);
    if (kind < 4) return comparison();
    const [left, right] = [condition(depth - 1), condition(depth - 1)];
    if (kind < 6) return `(${left} && ${right})`;
    return one([`(${left} || ${right})`, `!(${left})`, `(${left} ? ${right} : ${comparison()})`]);
  }
  const value = () =>
    parsed(one(['1', '1.0', '"1"', '"x"', 'true', 'null', '2', '[1]', '{"c":1}', '{"c":"x"}', '1e400']));
  const payload = (): Json =>
    one([
      () => value(),
      () => ({ a: value(), b: value(), n: below(3) }),
      () => ({ a: value(), b: value(), x: value() }),
    ])();
  return {
    when: () => one([comparison, () => `${comparison()} && ${condition(2)}`])(),
    any: () => condition(3),
    values: (): WaitValues => ({ vars: { v: value(), w: { v: value() } } }),
    event: () => ({ payload: payload(), key: one([null, 'x', '1']) }),
  };
}

t.test('no event is ruled out for which a predicate is true', async (t) => {
  const random = generator(7);
  let [ruled_out, matched] = [0, 0];
  for (let n = 0; n < 4000; n++) {
    const [when, values] = [n % 2 === 0 ? random.when() : random.any(), random.values()];
    const predicate = expressions.compile(when, ['event', 'vars']);
    const found = findEqualities(predicate, values);
    for (let m = 0; m < 5; m++) {
      const { key, payload } = random.event();
      const event = { type: 't', event: 'evt_1', trusted: true, payload, ...(key === null ? {} : { key }) };
      const result = predicate.test({ ...values, event });
      const accepted = result.ok && result.value;
      if (accepted) matched += 1;
      if (found === undefined) continue;
      const read = readKeys(event, found.paths);
      if ('keys' in read && JSON.stringify(read.keys) === JSON.stringify(found.keys)) continue;
      ruled_out += 1;
      if (accepted) t.fail(`${when} with ${JSON.stringify(values)} is true for ${JSON.stringify(event)}`);
    }
  }
  t.ok(ruled_out > 5000 && matched > 500, `${ruled_out} ruled out, ${matched} matched`);
});

for (const store of STORES) {
  t.test(`${store}: waits end with the same events as without the index`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const [indexed, plain] = [new BusProject(server), new BusProject(server)];
    const random = generator(11);
    const runs: [string, string][] = [];
    for (let n = 0; n < 30; n++) {
      const args = {
        when: random.when(),
        ...(n % 2 === 0 ? { vars: random.values().vars! } : { values: random.values() }),
        untrusted: n % 3 === 0,
      } as { [name: string]: Json };
      const over = n % 5 === 0 ? { subject: 'x' } : {};
      const claims = [await indexed.waiting('paid', over, args), await plain.waiting('paid', over, args)] as const;
      runs.push([claims[0].run_id, claims[1].run_id]);
    }
    // What servers without the index write.
    await server.database.write('UPDATE bus_waits SET equality = NULL, equality_members = NULL WHERE project_id = ?', [
      plain.scope.project_id,
    ]);
    const stateOf = async (p: BusProject) => {
      const rows = await server.database.read<{ run_id: string; seq: number | null }>(
        'SELECT run_id, event_seq AS seq FROM bus_waits WHERE project_id = ?',
        [p.scope.project_id],
      );
      return new Map(rows.map(({ run_id, seq }) => [run_id, seq === null ? null : Number(seq)]));
    };
    for (let n = 0; n < 30; n++) {
      const event = { ...random.event(), ...(n % 4 === 0 ? { trusted: false } : {}) };
      const [one, two] = [await indexed.emit('paid', event), await plain.emit('paid', event)];
      const shown = async (p: BusProject, id: string) => {
        const { deliveries, unlisted_count } = await server.views.read(p.scope, id);
        return { states: new Map(deliveries.map(({ name, state }) => [name, state])), unlisted_count };
      };
      const [ours, theirs] = [await shown(indexed, one), await shown(plain, two)];
      t.equal(ours.unlisted_count, theirs.unlisted_count);
      const differing = runs.filter(([a, b]) => ours.states.get(a) !== theirs.states.get(b));
      t.same(differing, [], JSON.stringify(event));
    }
    const [ours, theirs] = [await stateOf(indexed), await stateOf(plain)];
    const seqs = ([a, b]: [string, string]) => [ours.get(a), theirs.get(b)];
    t.same(
      runs.filter((pair) => seqs(pair)[0] !== seqs(pair)[1]),
      [],
    );
    t.ok([...ours.values()].filter((seq) => seq !== null).length > 5, 'many of them have ended');
    t.ok([...ours.values()].filter((seq) => seq === null).length > 5, 'and many go on');
    while ((await server.deliver()) > 0);
    t.same(await checkBusInvariants(server.database, { settled: true }), []);
  });

  t.test(`${store}: an event reads none of the waits that demand something else`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const p = new BusProject(server);
    const sealer = server.use(Sealer);
    await sealer.prepare(p.scope.org_id);
    /** Rows alone: no run needs to exist for what an event reads. */
    const arm = (type: string, count: number) =>
      server.database.transaction(async (tx) => {
        for (let n = 0; n < count; n++) {
          const wait = { run_id: server.ids.next('run'), activity_id: 'act_1', position: 0, ...p.scope, type };
          const [when, values] = [
            'event.payload.order == vars.id && event.payload.total > 0',
            { vars: { id: `o-${n}` } },
          ];
          const text = `event.payload.order == "o-${n}"`;
          const compiled = server.use(Expressions).compile(n % 2 ? when : text, ['event', 'vars']);
          await insertWait(tx, sealer, {
            ...wait,
            subject: null,
            predicate: n % 2 ? { when, values } : text,
            equality: sealEqualities(sealer, wait, findEqualities(compiled, values)!),
            armed_seq: 0,
            skips: null,
            armed_at: 1,
            takes_untrusted: false,
          });
        }
      });
    await arm('few', 10);
    await arm('many', store === 'sqlite' ? 5000 : 1500);
    const counting = countWork(server.database, sealer);
    const emit = async (type: string, payload: Json) => {
      const { result, work } = await counting(() => p.emit(type, { payload }));
      const evaluated = work.opens.filter((column) => column === 'bus_waits.sealed_predicate').length;
      return { event: result, statements: work.within.length, evaluated, transactions: work.transactions };
    };
    for (const [payload, evaluated] of [
      [{ order: 'o-x', total: 1 }, 0],
      [{ order: 'o-7', total: 0 }, 1],
      [{ total: 1 }, 0],
    ] as const) {
      const [few, many] = [await emit('few', payload), await emit('many', payload)];
      t.equal(many.evaluated, evaluated);
      t.equal(few.evaluated, evaluated);
      t.equal(many.transactions, 1, 'nothing is evaluated beforehand');
      // Beside many waits, those that are not shown are counted.
      t.ok(many.statements <= few.statements + 4, `${many.statements} statements, ${few.statements} beside few waits`);
      const { deliveries, unlisted_count } = await server.views.read(p.scope, many.event);
      t.equal(deliveries.length, 200);
      t.ok(unlisted_count >= 300 && unlisted_count <= 1000, `${unlisted_count} are counted`);
      t.ok(deliveries.every(({ state }) => state === 'declined'));
      const reasons = [...new Set(deliveries.map(({ reason }) => reason))];
      const missing = 'the predicate cannot be evaluated: event.payload.order: no such field';
      t.same(reasons, ['order' in payload ? 'the predicate is false' : missing]);
    }
    const hit = await emit('many', { order: 'o-7', total: 1 });
    t.equal(hit.evaluated, 1);
    const { deliveries } = await server.views.read(p.scope, hit.event);
    t.equal(deliveries.filter(({ state }) => state === 'queued').length, 1);
  });

  t.test(`${store}: what the index cannot tell is evaluated`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const p = new BusProject(server);
    const states = async (id: string) =>
      (await server.views.read(p.scope, id)).deliveries.map(({ state }) => state).sort();
    const one = await p.waiting('paid', {}, { when: 'event.payload.id == "a"' });
    await p.waiting('paid', {}, { when: 'event.payload.id == vars.id', vars: { id: 'b' } });
    await p.waiting('paid', {}, { when: 'event.payload.id > "a"' });
    await server.database.write('UPDATE bus_waits SET equality_members = ? WHERE run_id = ?', [
      Buffer.from('altered'),
      one.run_id,
    ]);
    t.same(await states(await p.emit('paid', { payload: { id: 'a' } })), ['declined', 'declined', 'queued']);
    t.same(await states(await p.emit('paid', { payload: { id: 'b' } })), ['queued', 'queued']);
    for (let n = 0; n < 40; n++) await p.waiting('many', {}, { when: `event.payload.m${n} == 1` });
    t.same(await states(await p.emit('many', { payload: { m39: 1 } })), [
      ...Array.from({ length: 39 }, () => 'declined'),
      'queued',
    ]);
    while ((await server.deliver()) > 0);
    t.same(await checkBusInvariants(server.database), []);
  });
}
