import t, { type Test } from 'tap';
import { Errors } from '../../kernel/contracts/index.ts';
import type { EventReaction } from './contract.ts';
import { type Store, STORES, until } from '../../test/kit/index.ts';
import { BusProject, type BusServer, openServers } from './testing/bus-server.ts';
import { checkBusInvariants } from './testing/invariants.ts';

const refusing: EventReaction = {
  name: 'refusing',
  precedence: 1,
  async decide(_tx, _scope, events) {
    const refused = Errors.rateLimited('not this one', { retryAfterMs: 1000 });
    return events.map(({ type }) => (type === 'refused' ? { refused } : { plan: undefined }));
  },
  async apply() {
    return [];
  },
};

/** Two servers, of which one numbers the events of a project, as on a cluster that certifies writes. */
async function open(t: Test, store: Store, reactions: readonly EventReaction[] = []) {
  const fixture = await openServers(store, 2, reactions, { idle: false, env: { SVC_EVENT_SEQUENCER: 'on' } });
  t.teardown(() => fixture.close());
  const one = new BusProject(fixture.servers[0]!);
  return { ...fixture, one, two: one.on(fixture.servers[1]!) };
}

/** The head held by a server that does nothing: what is handed over stays where it is. */
async function holdElsewhere({ server, scope }: BusProject): Promise<void> {
  const forever = server.database.now() + 3_600_000;
  const changed = await server.database.write(
    'UPDATE bus_heads SET holder = ?, holder_until = ? WHERE project_id = ?',
    ['srv_elsewhere', forever, scope.project_id],
  );
  if (changed !== 1) throw new Error('the project has no head yet');
}

const letGo = ({ server, scope }: BusProject) =>
  server.database.write('UPDATE bus_heads SET holder_until = 0 WHERE project_id = ?', [scope.project_id]);

const pending = ({ server, scope }: BusProject) =>
  server.database.read<{ type: string; event_id: string }>(
    'SELECT type, event_id FROM bus_outbox WHERE project_id = ? ORDER BY made_at, event_id',
    [scope.project_id],
  );

const empty = (project: BusProject) => until(async () => (await pending(project)).length === 0);

async function types({ server, scope }: BusProject): Promise<string[]> {
  const { events } = await server.views.list(scope, {}, 200);
  return events.map(({ type }) => type).reverse();
}

const sound = async (t: Test, server: BusServer) =>
  t.same(await checkBusInvariants(server.database, { settled: true }), []);

for (const store of STORES) {
  t.test(
    `${store}: what another server has made true is numbered by the holder, and by others when it is gone`,
    async (t) => {
      const { one, two, servers } = await open(t, store);
      await one.emit('first');
      await holdElsewhere(one);
      const run = await two.submit();
      t.match(await pending(two), [{ type: 'manual' }], 'the submit is committed, its event waits');
      t.same(await types(two), ['first']);
      t.equal(await two.server.bus.read(two.scope, 'evt_none'), undefined);
      await letGo(one);
      await empty(two);
      t.same(await types(two), ['first', 'manual']);
      t.ok(run.run_id);
      await sound(t, servers[0]!);
    },
  );

  t.test(`${store}: a caller of another server is told what became of its event, also a refusal`, async (t) => {
    const { one, two, servers } = await open(t, store, [refusing]);
    await one.emit('first');
    await holdElsewhere(one);
    const emits = ['second', 'second', 'refused'].map((type, n) =>
      two.server.bus.emit(two.newEvent(type, { dedup: type, payload: n })),
    );
    const outcomes = Promise.allSettled(emits);
    await until(async () => (await pending(two)).length === 3);
    t.same(await types(two), ['first']);
    await letGo(one);
    const [made, repeated, refused] = await outcomes;
    t.match([made, repeated].map((one) => (one as PromiseFulfilledResult<object>).value).sort(), [
      { type: 'second', duplicate: false },
      { type: 'second', duplicate: true },
    ]);
    t.match(refused, {
      reason: { code: 'rate_limited', message: 'not this one', extras: { retryAfterMs: 1000 } },
    });
    t.same(await types(two), ['first', 'second']);
    await sound(t, servers[0]!);
  });

  t.test(
    `${store}: a script's emit at another server happens once for its position, as long as its claim holds`,
    async (t) => {
      const { one, two, servers } = await open(t, store);
      await one.emit('first');
      const claim = await two.started();
      await holdElsewhere(one);
      const call = {
        kind: 'emit',
        name: 'go',
        ordinal: 0,
        position: 0,
        digest: '',
        args: { type: 'go' },
        started_at: 1,
      };
      const repeated = [1, 2].map(() => two.server.store.perform(claim, call));
      const stale = two.server.store.perform({ ...claim, epoch: claim.epoch + 1 }, call);
      await t.rejects(stale, { code: 'lease_lost' });
      await until(async () => (await pending(two)).filter(({ type }) => type === 'go').length > 0);
      await letGo(one);
      const records = await Promise.all(repeated);
      t.equal(records[0]!.output, records[1]!.output);
      t.equal((await types(two)).filter((type) => type === 'go').length, 1);
      t.same(await two.server.store.perform(claim, call), records[0], 'a repeat is answered from the record');
      await empty(two);
      await sound(t, servers[0]!);
    },
  );

  t.test(`${store}: what nobody numbers in time is taken back and recorded here`, async (t) => {
    const { one, two, servers } = await open(t, store);
    await one.emit('first');
    await holdElsewhere(one);
    const emitted = two.emit('second');
    await until(async () => (await pending(two)).length === 1);
    let over = false;
    void emitted.then(() => (over = true));
    await until(async () => {
      servers[1]!.clock.advance(10_001);
      return over;
    });
    t.same(await types(two), ['first', 'second']);
    t.same(await pending(two), []);
    await sound(t, servers[0]!);
  });

  t.test(`${store}: a wait sees no event that was on its way when it was armed, and each one after`, async (t) => {
    const { one, two, servers } = await open(t, store);
    await one.emit('first');
    const waiting = await one.started();
    await holdElsewhere(one);
    const early = await two.started({ subject: 'early' });
    await one.waitFor(waiting, 'run.started');
    await two.submit({ cancel_on: ['run.started'], subject: 'early' });
    t.same((await pending(two)).map(({ type }) => type).sort(), ['manual', 'manual', 'run.started']);
    await letGo(one);
    await empty(two);
    const rows = () =>
      two.server.database.read<{ state: string; skips: string | null }>(
        'SELECT state, skips FROM bus_waits WHERE run_id = ? UNION ALL SELECT state, skips FROM bus_cancels',
        [waiting.run_id],
      );
    t.match(await rows(), [
      { state: 'armed', skips: /^evt_/ },
      { state: 'armed', skips: /^evt_/ },
    ]);
    const [late] = await two.claim();
    t.ok(late && late.run_id !== early.run_id);
    await until(async () => (await rows())[0]!.state === 'delivered');
    await sound(t, servers[0]!);
  });

  t.test(`${store}: the events of a run keep their order, whatever the servers' clocks say`, async (t) => {
    const { one, two, servers } = await open(t, store);
    await one.emit('first');
    await holdElsewhere(one);
    const claim = await two.started();
    await two.server.store.complete(claim, { status: 'succeeded', output: null });
    await two.server.database.write("UPDATE bus_outbox SET made_at = made_at + 60000 WHERE type <> 'run.succeeded'");
    t.same((await pending(two)).map(({ type }) => type)[0], 'run.succeeded');
    await letGo(one);
    await empty(two);
    t.same(await types(two), ['first', 'manual', 'run.started', 'run.succeeded']);
    await sound(t, servers[0]!);
  });

  t.test(`${store}: a server that ends leaves the head to the others within two seconds`, async (t) => {
    const { one, two, servers } = await open(t, store);
    await one.emit('first');
    for (let n = 0; n < 5; n++) await two.submit();
    const [{ holder } = { holder: '' }] = await two.server.database.read<{ holder: string }>(
      'SELECT holder FROM bus_heads',
    );
    t.match(holder, /^srv_/);
    await servers[0]!.close();
    await two.submit();
    await empty(two);
    t.equal((await types(two)).filter((type) => type === 'manual').length, 6);
    await sound(t, servers[1]!);
  });
}

t.test('an unknown setting is refused before the server listens', async (t) => {
  await t.rejects(openServers('sqlite', 1, [], { env: { SVC_EVENT_SEQUENCER: 'maybe' } }), {
    code: 'setting_invalid',
    message: /SVC_EVENT_SEQUENCER is "maybe"; it must be auto, on or off/,
  });
});
