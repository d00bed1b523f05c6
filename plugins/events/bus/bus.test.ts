import { hash } from 'node:crypto';
import t, { type Test } from 'tap';
import { defineError, isServiceError, type ServiceError, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Claimed, Json } from '../../engine/runs/contract.ts';
import { RunEngine, triggerEventOf } from '../../engine/runs/contract.ts';
import type { EventReaction, NewEvent } from './contract.ts';
import { lastSeq } from './store/heads.ts';
import { checkBusInvariants } from './testing/invariants.ts';
import { BusProject, type BusServer, openServers } from './testing/bus-server.ts';
import { BusErrors } from './errors.ts';
import { untrusted as untrustedColumns } from './migrations/0005-untrusted.ts';
import { STORES } from '../../../test/kit/index.ts';

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> => {
  try {
    await work;
    return undefined;
  } catch (error) {
    return isServiceError(error) ? error.code : String(error);
  }
};

const text = (record: { output: string }) => Buffer.from(record.output, 'base64').toString();

// @apart: the plugin of handlers declares it too, in whatever this process loads later.
const tooMany = defineError({ code: 'handlers_in_flight', status: 429, title: 'Too many.', next: 'Wait.' });

/** Refuses events of the types `refuse` and `full`, and notes the others under the names of two handlers. */
const decided: string[] = [];
const reaction: EventReaction<string> = {
  name: 'test',
  precedence: 100,
  async decide(_tx, _scope, events) {
    decided.push(...events.map(({ type }) => type));
    return events.map((event) => {
      const refused: ServiceError = BusErrors.typeReserved('not this one');
      if (event.type === 'full') return { refused: tooMany('16 are open') };
      return event.type.startsWith('refuse') ? { refused } : { plan: event.type === 'ok' ? event.type : undefined };
    });
  },
  async apply(_tx: Transaction, _scope, planned) {
    return planned.flatMap(({ event: { event_id }, plan }) => [
      { event_id, reaction: 'handler', name: `first-${plan}`, state: 'declined' as const, reason: 'not today' },
      { event_id, reaction: 'handler', name: `second-${plan}`, state: 'queued' as const },
    ]);
  },
};

/** The one claim that there is, with its journal. */
async function resumed(project: BusProject): Promise<Claimed> {
  const claims = await project.claim(5);
  if (claims.length !== 1) throw new Error(`${claims.length} claims instead of one`);
  return claims[0]!;
}

const runOf = (server: BusServer, { scope }: BusProject, run_id: string) => server.use(RunEngine).read(scope, run_id);

const events = async (project: BusProject, more: Record<string, unknown> = {}) =>
  (await project.server.views.list(project.scope, more, 200)).events.map(({ type }) => type);

for (const store of STORES)
  t.test(store, async (t) => {
    const fixture = await openServers(store, 1, [reaction as EventReaction]);
    const [server] = fixture.servers as [BusServer];
    t.teardown(() => fixture.close());
    const project = () => new BusProject(server);

    await t.test('what is emitted is on the bus, in order, sealed, once', (t) => emits(t, project()));
    await t.test('what no event may say is refused', (t) => refusals(t, project()));
    await t.test('reactions decide, act and refuse', (t) => reactions(t, project()));
    await t.test('a wait takes the next event of its type', (t) => waits(t, server, project));
    await t.test('a wait that ends otherwise', (t) => endings(t, server, project));
    await t.test('@WAIT-012 predicates decline privately, and one that cannot be evaluated is logged', (t) =>
      predicates(t, server, project),
    );
    await t.test('cancel_on', (t) => cancels(t, server, project));
    await t.test('what untrusted runs emit', (t) => untrusted(t, server, project));
    await t.test('scripts emit once a position', (t) => verb(t, server, project()));
    await t.test('triggers and lifecycles', (t) => lifecycles(t, server, project()));
    await t.test('what fails is passed over', (t) => failures(t, server, project));
    t.same(await checkBusInvariants(server.database, { settled: true }), []);
  });

async function emits(t: Test, p: BusProject) {
  const { bus, views } = p.server;
  const payload: Json = { secret: 'hidden-in-the-seal', list: [1, null, 'ü'] };
  const first = await p.emit('build.done', { key: 'acme/web', payload, fields: { sha: 'abc' } });
  const second = await p.emit('build.done');
  t.match(await bus.read(p.scope, first), {
    event_id: first,
    type: 'build.done',
    key: 'acme/web',
    payload,
    fields: { sha: 'abc' },
    seq: 1,
    generation: 0,
    trusted: true,
    source: 'emit',
  });
  t.match(await bus.read(p.scope, second), { payload: null, key: null, seq: 2 });
  t.equal(await bus.read(p.scope, 'evt_absent'), undefined);
  t.equal(await bus.read({ ...p.scope, project_id: 'prj_other' }, first), undefined, 'of another project');
  const rows = await p.server.database.read('SELECT * FROM bus_events WHERE event_id = ?', [first]);
  t.equal(rows.length, 1);

  const twice = await Promise.all(['a', 'b', 'a'].map((dedup) => bus.emit(p.newEvent('twice', { dedup }))));
  t.same(
    twice.map(({ duplicate }) => duplicate),
    [false, false, true],
  );
  t.equal(twice[2]!.event_id, twice[0]!.event_id);
  t.match(await bus.emit(p.newEvent('other', { dedup: 'a', payload: 2 })), {
    event_id: twice[0]!.event_id,
    type: 'twice',
    duplicate: true,
  });
  t.match(await bus.emit({ ...new BusProject(p.server).newEvent('twice'), dedup: 'a' }), { duplicate: false });

  t.same(await events(p), ['twice', 'twice', 'build.done', 'build.done'], 'newest first');
  t.same(await events(p, { key: 'acme/web' }), ['build.done']);
  t.same(await events(p, { type: 'twice' }), ['twice', 'twice']);
  t.same(await events(p, { source: 'hook' }), []);
  const page = await views.list(p.scope, {}, 3);
  t.equal(page.next_seq, 2);
  t.same(
    (await views.list(p.scope, { before_seq: page.next_seq! }, 3)).events.map(({ event_id }) => event_id),
    [first],
  );
  const { recorded_at } = (await bus.read(p.scope, second))!;
  t.equal((await views.list(p.scope, { since: recorded_at + 60_000 }, 3)).events.length, 0);
  t.equal((await views.list(p.scope, { since: recorded_at - 60_000 }, 1)).next_seq, 4);

  const many = await Promise.all(Array.from({ length: 150 }, (_, n) => p.emit('many', { payload: n })));
  t.equal(new Set(many).size, 150);
  const big = 'x'.repeat(2 * 1024 * 1024 - '{"type":"big","payload":""}'.length);
  t.equal(((await bus.read(p.scope, await p.emit('big', { payload: big })))?.payload as string).length, big.length);
}

async function refusals(t: Test, p: BusProject) {
  const cases: [string, string, Partial<NewEvent>][] = [
    ['event_type_invalid', '', {}],
    ['event_type_invalid', 'a b', {}],
    ['event_type_invalid', 'x'.repeat(65), {}],
    ['event_type_invalid', 'ü', {}],
    ...['push', 'manual', 'schedule.tick', 'spawn', 'run.started', 'run.x', 'svc.x'].map(
      (type): [string, string, Partial<NewEvent>] => ['event_type_reserved', type, {}],
    ),
    ['invalid_request', 'a', { key: '' }],
    ['invalid_request', 'a', { key: 'x'.repeat(256) }],
    ['invalid_request', 'a', { key: 'a\nb' }],
    ['invalid_request', 'a', { key: '\u0000' }],
    ['invalid_request', 'a', { key: '\ud800' }],
    ['invalid_request', 'a', { payload: nested(101) }],
    ['payload_too_large', 'a', { payload: 'x'.repeat(2 * 1024 * 1024) }],
    ['payload_too_large', 'a', { payload: 'x'.repeat(13 * 1024 * 1024), source: 'hook' }],
  ];
  for (const [code, type, over] of cases) t.equal(await codeOf(p.emit(type, over)), code, `${code}: ${type}`);
  t.same(await events(p), [], 'nothing of them is left');
  for (const [type, over] of [
    ['x'.repeat(64), { key: '🎉'.repeat(255) }],
    ['runx', {}],
    ['pushed', { payload: nested(100) }],
    ['run', {}],
    ['forge.issues', { payload: 'NUL \u0000 and \ud83d' }],
    ['push', { source: 'forge', refusable: false }],
  ] satisfies [string, Partial<NewEvent>][])
    t.ok(await p.emit(type, over), type);
  t.equal((await events(p)).length, 6);
}

const nested = (levels: number): Json => (levels === 0 ? null : [nested(levels - 1)]);

async function reactions(t: Test, p: BusProject) {
  const mixed = ['plain', 'ok', 'refuse', 'plain', 'refuse.too'];
  const outcomes = await Promise.all(mixed.map((type) => codeOf(p.emit(type))));
  t.same(outcomes, [undefined, undefined, 'event_type_reserved', undefined, 'event_type_reserved']);
  t.same(await events(p), ['plain', 'ok', 'plain'], 'a refused event is on no bus and takes nobody down');
  t.equal(await lastSeq(p.server.database, p.scope.project_id), 3);
  const [, ok] = (await p.server.views.list(p.scope, {}, 5)).events;
  t.match(await p.server.views.read(p.scope, ok!.event_id), {
    deliveries: [
      { reaction: 'handler', name: 'first-ok', state: 'declined', reason: 'not today' },
      { reaction: 'handler', name: 'second-ok', state: 'queued' },
    ],
    unlisted_count: 0,
  });
  await p.server.database.transaction((tx) =>
    p.server.bus.updateDeliveries(tx, p.scope, [
      {
        event_id: ok!.event_id,
        reaction: 'handler',
        name: 'second-ok',
        state: 'refused',
        reason: 'gone',
      },
    ]),
  );
  t.match((await p.server.views.read(p.scope, ok!.event_id)).deliveries[1], { state: 'refused', reason: 'gone' });
  const both = [p.newEvent('plain'), p.newEvent('refuse')];
  await t.rejects(
    p.server.database.transaction((tx) => p.server.bus.record(tx, both)),
    { code: 'event_type_reserved' },
  );
  t.equal((await events(p)).length, 3, 'a refusal takes the transaction of a caller with it');
}

async function waits(t: Test, server: BusServer, project: () => BusProject) {
  await t.test('the next one, never one from before, the whole envelope', async (t) => {
    const p = project();
    await p.emit('plain', { payload: 'before' });
    const { run_id } = await p.waiting('plain');
    t.match(await runOf(server, p, run_id), { status: 'waiting', substate: { kind: 'event', name: 'plain' } });
    t.equal(await server.deliver(), 0);
    await p.emit('other');
    t.equal(await server.deliver(), 0);
    const payload = { big: 'y'.repeat(300_000), n: 1 };
    const id = await p.emit('plain', { payload, key: 'k', fields: { ref: 'main' } });
    await p.emit('plain', { payload: 'later' });
    const before = await server.views.read(p.scope, id);
    t.match(before.deliveries, [{ reaction: 'wait', name: run_id, state: 'queued' }]);
    t.equal(await server.deliver(), 1);
    const claim = await resumed(p);
    const envelope = { ref: 'main', type: 'plain', event: id, key: 'k', trusted: true, payload };
    t.same(JSON.parse(text(claim.journal[0]!)), envelope);
    t.ok(text(claim.journal[0]!).endsWith('}\n'));
    t.match((await server.views.read(p.scope, id)).deliveries, [
      { reaction: 'wait', name: run_id, state: 'delivered' },
    ]);
    t.equal(await server.deliver(), 0);
  });

  await t.test('everybody who waits hears it; subjects narrow only where both have one', async (t) => {
    const p = project();
    const web = await p.waiting('plain', { subject: 'acme/web' });
    const app = await p.waiting('plain', { subject: 'acme/app' });
    const none = await p.waiting('plain');
    await p.emit('plain', { key: 'acme/web', payload: 1 });
    t.equal(await server.deliver(), 2);
    const woken = (await p.claim(5)).map(({ run_id }) => run_id).toSorted();
    t.same(woken, [web.run_id, none.run_id].toSorted());
    await p.emit('plain', { key: 'Acme/app' });
    await p.emit('plain', { key: 'acme/app ' });
    t.equal(await server.deliver(), 0, 'byte by byte');
    await p.emit('plain');
    t.equal(await server.deliver(), 1, 'a broadcast reaches all');
    t.equal((await resumed(p)).run_id, app.run_id);
  });

  await t.test('an event as large as a hook brings it', async (t) => {
    const p = project();
    await Promise.all([p.submit(), p.submit()]);
    for (const claim of await p.claim(2)) await p.waitFor(claim, 'plain');
    const payload = '\u0001'.repeat(2 * 1024 * 1024);
    await p.emit('plain', { payload, source: 'hook', source_name: 'h', refusable: false });
    t.equal(await server.deliver(), 2);
    for (const claim of await p.claim(2)) t.ok(text(claim.journal[0]!).length > 12 * 1024 * 1024);
  });

  await t.test('two positions and two activities of a run wait on their own', async (t) => {
    const p = project();
    const first = await p.waiting('plain');
    await p.emit('plain', { payload: 1 });
    await server.deliver();
    await p.waitFor(await resumed(p), 'plain', { position: 1 });
    t.equal(await server.deliver(), 0);
    await p.emit('plain', { payload: 2 });
    await server.deliver();
    const { journal } = await resumed(p);
    t.same(
      journal.map((record) => (JSON.parse(text(record)) as { payload: Json }).payload),
      [1, 2],
    );
    t.equal(first.journal.length, 0);
  });
}

async function endings(t: Test, server: BusServer, project: () => BusProject) {
  const due = async (p: BusProject, run_id: string) => {
    while ((await runOf(server, p, run_id)).status === 'waiting') await server.store.resolveDue(10);
    return (await resumed(p)).journal[0]!;
  };
  const rowOf = async (run_id: string) =>
    (await server.database.read<{ state: string }>('SELECT state FROM bus_waits WHERE run_id = ?', [run_id]))[0]?.state;

  await t.test('by the signal that bridges it, sent before or after', async (t) => {
    const p = project();
    const early = await p.started();
    const name = (activity_id: string) => `event:plain:${activity_id}`;
    const signal = (claim: { run_id: string; activity_id: string }, payload: Json) =>
      server.store.sendSignal({ ...p.scope, run_id: claim.run_id, name: name(claim.activity_id), payload });
    await signal(early, { early: true });
    const at_once = await p.waitFor(early, 'plain');
    t.equal('record' in at_once && text(at_once.record), '{"early":true}\n');
    const late = await p.waiting('plain');
    await signal(late, 'go');
    t.equal(text((await resumed(p)).journal[0]!), '"go"\n');
    t.equal(await rowOf(late.run_id), undefined, 'nothing is left behind');
    const named = await p.waiting('plain', {}, { signal: 'event:approval' });
    await server.store.sendSignal({ ...p.scope, run_id: named.run_id, name: 'event:approval', payload: 1 });
    t.equal(text((await resumed(p)).journal[0]!), '1\n');
  });

  await t.test('a signal that comes between the event and its delivery wins, and the event says so', async (t) => {
    const p = project();
    const { run_id, activity_id } = await p.waiting('plain');
    const id = await p.emit('plain');
    await server.store.sendSignal({ ...p.scope, run_id, name: `event:plain:${activity_id}`, payload: 'first' });
    await server.deliver();
    t.equal(text((await resumed(p)).journal[0]!), '"first"\n');
    t.match((await server.views.read(p.scope, id)).deliveries, [
      { reaction: 'wait', state: 'declined', reason: 'the wait had already ended' },
    ]);
  });

  await t.test('by its time: 124, and what it did not take', async (t) => {
    const p = project();
    const claim = await p.started({ subject: 'acme/web' });
    const before = await p.emit('plain');
    await p.waitFor(claim, 'plain', { timeout_ms: 1500 });
    const other = await p.emit('plain', { key: 'acme/app' });
    const record = await due(p, claim.run_id);
    t.match(record, { exit_code: 124, output: '' });
    const [first, second, third, ...rest] = record.message!.split('\n');
    t.equal(first, 'no event plain arrived before the timeout; these did not end the wait:');
    t.match(second, new RegExp(`^  ${before} at 20.*: it was recorded before the wait began$`));
    t.match(third, new RegExp(`^  ${other} at 20.*: its key "acme/app" is not the subject of the run, "acme/web"$`));
    t.same(rest, []);
    t.equal(await rowOf(claim.run_id), undefined);

    const quiet = await p.started();
    const answer = await p.waitFor(quiet, 'never', { timeout_ms: 0 });
    t.match(answer, { record: { exit_code: 124, message: 'no event never arrived before the timeout' } });
  });

  await t.test('what was fired before the time was over is delivered, however late', async (t) => {
    const p = project();
    const claim = await p.started();
    await p.waitFor(claim, 'plain', { timeout_ms: 1500 });
    const id = await p.emit('plain', { payload: 7 });
    const record = await due(p, claim.run_id);
    t.match(JSON.parse(text(record)), { event: id, payload: 7 });
    t.equal(await rowOf(claim.run_id), 'delivered');
    t.equal(await server.deliver(), 0);
  });

  await t.test('by the end of its run', async (t) => {
    const p = project();
    const armed = await p.waiting('plain');
    await server.store.cancelRun({ ...p.scope, run_id: armed.run_id, reason: '' });
    t.equal(await rowOf(armed.run_id), undefined);
    const fired = await p.waiting('plain');
    await p.emit('plain');
    await server.store.cancelRun({ ...p.scope, run_id: fired.run_id, reason: '' });
    t.equal(await server.deliver(), 1);
    t.equal(await rowOf(fired.run_id), 'missed');
  });
}

async function predicates(t: Test, server: BusServer, project: () => BusProject) {
  const p = project();
  const one = await p.waiting('plain', {}, { when: 'event.payload.n == 2' });
  const two = await p.waiting('plain', {}, { when: 'event.payload.n == 2 && event.type == "plain"' });
  const any = await p.waiting('plain');
  const first = await p.emit('plain', { payload: { n: 1 } });
  t.equal(await server.deliver(), 1);
  t.equal((await resumed(p)).run_id, any.run_id, 'declining is private to a wait');
  t.match((await server.views.read(p.scope, first)).deliveries, [
    { reaction: 'wait', name: any.run_id, state: 'delivered' },
    { reaction: 'wait', name: one.run_id, state: 'declined', reason: 'the predicate is false' },
    { reaction: 'wait', name: two.run_id, state: 'declined', reason: 'the predicate is false' },
  ]);
  const logged = server.logged.length;
  const broken = await p.emit('plain', { payload: 'no object' });
  t.equal(await server.deliver(), 0, 'what cannot be evaluated declines');
  t.match((await server.views.read(p.scope, broken)).deliveries[0], {
    reason: /^the predicate cannot be evaluated: .+/,
  });
  t.match(server.logged.slice(logged), [
    { level: 'warn', fields: { event_id: broken }, message: 'evaluating the predicate of a wait failed' },
    { level: 'warn' },
  ]);
  const hit = await p.emit('plain', { payload: { n: 2 } });
  t.equal(await server.deliver(), 2);
  const records = (await p.claim(5)).map(({ journal }) => JSON.parse(text(journal[0]!)) as { event: string });
  t.same(
    records.map(({ event }) => event),
    [hit, hit],
  );

  const timed = await p.started();
  await p.waitFor(timed, 'plain', { args: { when: 'false' }, timeout_ms: 1500 });
  const declined = await p.emit('plain');
  while ((await runOf(server, p, timed.run_id)).status === 'waiting') await server.store.resolveDue(10);
  t.match((await resumed(p)).journal[0], {
    exit_code: 124,
    message: new RegExp(`${declined} .*: the predicate is false`),
  });

  const wrong = await p.started();
  t.equal(await codeOf(p.waitFor(wrong, 'plain', { args: { when: 'steps.x == 1' } })), 'expression_invalid');
  t.equal(await codeOf(p.waitFor(wrong, 'no type')), 'event_type_invalid');

  const q = project();
  const runs = await Promise.all(Array.from({ length: 230 }, () => q.submit()));
  for (let claims = await q.claim(128); claims.length > 0; claims = await q.claim(128))
    for (const claim of claims) await q.waitFor(claim, 'plain', { args: { when: 'event.payload == 1' } });
  const id = await q.emit('plain', { payload: 0 });
  const shown = await server.views.read(q.scope, id);
  t.match(
    [shown.deliveries.length, shown.unlisted_count],
    [200, 30],
    'of so many only some are listed, and all counted',
  );
  const all = await q.emit('plain', { payload: 1 });
  while ((await server.deliver()) > 0);
  const after = await server.views.read(q.scope, all);
  t.match([after.deliveries.length, after.unlisted_count, runs.length], [200, 30, 230]);
}

async function cancels(t: Test, server: BusServer, project: () => BusProject) {
  const p = project();
  const before = await p.emit('stop', { payload: 'before' });
  const web = await p.submit({ subject: 'web', cancel_on: ['stop', 'halt'] });
  const app = await p.submit({ subject: 'app', cancel_on: ['stop'] });
  t.equal(await server.deliver(), 0, 'nothing from before, and not its own trigger');
  await p.emit('stop', { key: 'other' });
  t.equal(await server.deliver(), 0);
  const id = await p.emit('stop', { key: 'web' });
  t.equal(await server.deliver(), 1);
  t.match(await runOf(server, p, web.run_id), {
    status: 'cancelled',
    cancelled_by: { event: id, type: 'stop' },
    reason: `cancelled by the event stop (${id})`,
  });
  t.match((await server.views.read(p.scope, id)).deliveries, [
    { reaction: 'cancel', name: web.run_id, state: 'delivered' },
  ]);
  t.same(
    (await server.views.read(p.scope, before)).deliveries.filter(({ reaction }) => reaction === 'cancel'),
    [],
  );
  const left = await server.database.read('SELECT type FROM bus_cancels WHERE run_id = ?', [web.run_id]);
  t.match(left, [{ type: 'stop' }], 'the other type is not listened for any more');

  const [claim] = (await p.claim(5)).filter(({ run_id }) => run_id === app.run_id);
  const late = await p.emit('stop');
  await server.store.complete(claim!, { status: 'succeeded', output: null });
  t.equal(await server.deliver(), 1);
  t.equal((await runOf(server, p, app.run_id)).status, 'succeeded', 'what has ended is not cancelled');
  t.match((await server.views.read(p.scope, late)).deliveries, [
    { reaction: 'cancel', name: app.run_id, state: 'declined', reason: 'the run had already ended' },
  ]);

  const q = project();
  const own = await q.submit({ cancel_on: ['run.started', 'manual'] });
  await q.claim();
  t.equal(await server.deliver(), 0, 'neither its trigger nor its start cancels a run');
  await q.submit();
  t.equal(await server.deliver(), 1, "another run's submit is another event");
  t.match(await runOf(server, q, own.run_id), { status: 'cancelled', cancelled_by: { type: 'manual' } });
}

async function untrusted(t: Test, server: BusServer, project: () => BusProject) {
  const p = project();
  const outside = { trusted: false, source_name: 'run_outside' } as const;
  const waits = {
    plain: await p.waiting('plain'),
    when: await p.waiting('plain', {}, { when: 'true' }),
    asks: await p.waiting('plain', {}, { untrusted: true }),
    picky: await p.waiting('plain', {}, { when: 'event.trusted', untrusted: true }),
    other: await p.waiting('plain', { subject: 'acme/app' }),
    own: await p.waiting('plain', { trusted: false }),
  };
  const held = await p.submit({ cancel_on: ['plain'] });
  const theirs = await p.submit({ cancel_on: ['plain'], trusted: false });
  const names = new Map(Object.entries({ ...waits, held, theirs }).map(([name, { run_id }]) => [run_id, name]));
  const came = async (event_id: string) =>
    (await server.views.read(p.scope, event_id)).deliveries
      .map(({ reaction, name, state, reason = '' }) => `${reaction} ${names.get(name)} ${state} ${reason}`.trim())
      .sort();

  const first = await p.emit('plain', { ...outside, key: 'acme/web' });
  t.equal(await server.deliver(), 3);
  t.same(await came(first), [
    'cancel held declined untrusted',
    'cancel theirs delivered',
    'wait asks delivered',
    'wait own delivered',
    'wait picky declined the predicate is false',
    'wait plain declined untrusted',
    'wait when declined untrusted',
  ]);
  t.match(await runOf(server, p, theirs.run_id), { status: 'cancelled' });
  t.match(await runOf(server, p, held.run_id), { status: 'queued' });

  const delivered = await p.emit('plain', { trusted: false, source: 'hook', source_name: 'h', refusable: false });
  t.equal(await server.deliver(), 4, 'deliveries of hooks and forges reach everything');
  t.same(await came(delivered), [
    'cancel held delivered',
    'wait other delivered',
    'wait picky declined the predicate is false',
    'wait plain delivered',
    'wait when delivered',
  ]);

  const timed = project();
  const claim = await timed.started({ subject: 'acme/web' });
  await timed.waitFor(claim, 'plain', { timeout_ms: 1500 });
  const missed = await timed.emit('plain', outside);
  while ((await runOf(server, timed, claim.run_id)).status === 'waiting') await server.store.resolveDue(10);
  t.match((await resumed(timed)).journal[0], {
    exit_code: 124,
    message: new RegExp(
      `${missed} .*: an untrusted run emitted it, and the wait does not accept events from untrusted runs`,
    ),
  });

  const older = project();
  const before = { theirs: await older.waiting('plain', { trusted: false }), ours: await older.waiting('plain') };
  await server.database.write('UPDATE bus_waits SET takes_untrusted = NULL WHERE project_id = ?', [
    older.scope.project_id,
  ]);
  for (const statement of untrustedColumns.sqlite.filter((one) => one.startsWith('UPDATE')))
    await server.database.write(statement, []);
  const upgraded = await older.emit('plain', outside);
  t.match((await server.views.read(older.scope, upgraded)).deliveries, [
    { name: before.theirs.run_id, state: 'queued' },
    { name: before.ours.run_id, state: 'declined' },
  ]);
  t.equal(await server.deliver(), 1, 'what an older version has armed is known after the upgrade');

  const many = project();
  await Promise.all(Array.from({ length: 230 }, () => many.submit({ cancel_on: ['plain'] })));
  for (let claims = await many.claim(128); claims.length > 0; claims = await many.claim(128))
    for (const one of claims) await many.waitFor(one, 'plain');
  const shown = await server.views.read(many.scope, await many.emit('plain', outside));
  t.match(
    [shown.deliveries.length, shown.unlisted_count],
    [200, 260],
    'of so many only some are listed, and all counted',
  );
}

async function verb(t: Test, server: BusServer, p: BusProject) {
  const claim = await p.started({ generation: 2, trusted: false });
  const call = (position: number, args: Json, ordinal = position) =>
    server.store.perform(claim, { position, kind: 'emit', name: 'plain', ordinal, digest: '', args, started_at: 1 });
  const record = await call(0, { type: 'plain', key: 'k', payload: { n: 1 } });
  const id = text(record).trim();
  t.match(record, { exit_code: 0 });
  t.match(await server.bus.read(p.scope, id), {
    source: 'emit',
    source_name: claim.run_id,
    generation: 2,
    trusted: false,
    key: 'k',
    payload: { n: 1 },
  });
  t.equal(text(await call(0, { type: 'plain', payload: { n: 2 } })).trim(), id, 'the first payload stands');
  t.equal((await events(p, { type: 'plain' })).length, 1);
  t.equal(await codeOf(call(1, { type: 'push' })), 'event_type_reserved');
  t.equal(await codeOf(call(1, { type: 'refuse' })), 'event_type_reserved');
  t.equal(await codeOf(call(1, { type: 'plain', key: 3 })), 'invalid_request');
  t.equal(await codeOf(call(1, 'plain')), 'invalid_request');
  t.not(text(await call(1, { type: 'plain' })).trim(), id, 'another position is another event');
  const site = 'job/'.repeat(200);
  const once = text(await call(2, { type: 'plain', site })).trim();
  const dedup = `run:${claim.run_id}/site:sha256:${hash('sha256', site, 'hex')}`;
  t.match(await server.bus.emit(p.newEvent('plain', { dedup })), { event_id: once, duplicate: true }, 'by its digest');
  t.not(text(await call(3, { type: 'plain', site: `${site}2` })).trim(), once, 'another long place is another event');
  const refused = await call(4, { type: 'full' });
  t.match(refused, { exit_code: 1, output: '', message: 'handlers_in_flight: 16 are open' });
  t.match(await call(4, { type: 'full' }), refused, 'a ceiling is an answer, and stands');
  t.equal((await events(p, { type: 'full' })).length, 0);
}

async function lifecycles(t: Test, server: BusServer, p: BusProject) {
  const run = await p.submit({ subject: 'web', input: { a: 1 }, tags: ['team:core', 'nightly'] });
  t.match(await server.bus.read(p.scope, triggerEventOf(run.run_id)), {
    type: 'manual',
    key: 'web',
    payload: { run_id: run.run_id, workflow: 'build.sh', input: { a: 1 } },
    source: 'manual',
    source_name: run.run_id,
  });
  const [claim] = await p.claim();
  await server.store.complete(claim!, { status: 'succeeded', output: { done: true } });
  const child = await p.started({ trigger: { type: 'spawn' }, parent: run.run_id, generation: 1 });
  t.match(await server.bus.read(p.scope, triggerEventOf(child.run_id)), {
    type: 'spawn',
    fields: { parent: run.run_id },
    generation: 1,
    key: null,
  });
  await server.store.complete(child, { status: 'failed', code: 'failed', message: 'broke' });
  const handled = await p.submit({ trigger: { type: 'x', handler: 'h' }, triggered: true, generation: 3 });
  t.equal(await server.bus.read(p.scope, triggerEventOf(handled.run_id)), undefined, 'its event is on the bus already');
  await server.store.cancelRun({ ...p.scope, run_id: handled.run_id, reason: 'enough' });
  const list = await server.views.list(p.scope, { source: 'lifecycle' }, 10);
  t.match(
    list.events.map(({ type, event_key, withheld, generation }) => [type, event_key, withheld, generation]),
    [
      ['run.cancelled', null, 1, 3],
      ['run.failed', null, 0, 1],
      ['run.started', null, 0, 1],
      ['run.succeeded', 'web', 0, 0],
      ['run.started', 'web', 0, 0],
    ],
  );
  const ended = await server.bus.read(p.scope, list.events[3]!.event_id);
  t.match(ended?.payload, { run_id: run.run_id, status: 'succeeded', output: { done: true }, tag: { team: 'core' } });
  const kept = await p.submit({
    trigger: { type: 'x' },
    triggered: true,
    envelope: { type: 'x', $ref: `bus:${ended!.event_id}` },
  });
  t.match(await p.claim(), [
    { run_id: kept.run_id, envelope: { type: 'run.succeeded', event: ended!.event_id, key: 'web' } },
  ]);
  const gone = await p.submit({
    trigger: { type: 'x' },
    triggered: true,
    envelope: { type: 'x', $ref: 'bus:evt_gone' },
  });
  t.same(await p.claim(), []);
  t.match(await runOf(server, p, gone.run_id), { status: 'failed', error: { code: 'envelope_gone' } });
}

async function failures(t: Test, server: BusServer, project: () => BusProject) {
  const p = project();
  const [one, two] = [await p.waiting('plain'), await p.waiting('plain')];
  await p.emit('plain');
  const [first] = [one.run_id, two.run_id].toSorted();
  const real = server.resolver.resolveAll.bind(server.resolver);
  server.resolver.resolveAll = (tx, waits, outcome) => {
    if (waits.some(({ run_id }) => run_id === first)) throw new Error('this one breaks');
    return real(tx, waits, outcome);
  };
  const failed: unknown[] = [];
  t.equal(await server.deliver({ onFailure: (error) => failed.push(error) }), 2);
  server.resolver.resolveAll = real;
  t.match(failed, [{ message: 'this one breaks' }]);
  t.equal((await resumed(p)).run_id === first, false, 'one that breaks holds no other up');
  t.equal(await server.deliver(), 1, 'and is tried again');
  t.equal((await resumed(p)).run_id, first);
}
