import t, { type Test } from 'tap';
import { Errors, GroupCommits, Log } from '../../../kernel/contracts/index.ts';
import { Wakeups } from '../../engine/runs/contract.ts';
import type { EventBus, EventReaction } from './contract.ts';
import { CommitForwarder } from './service/commit-forwarder.ts';
import { Sequencer } from './service/sequencing.ts';
import { ForwardClock, type Store, STORES, until } from '../../../test/kit/index.ts';
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

const announcing: EventReaction & { bus: () => EventBus } = {
  name: 'announcing',
  precedence: 1,
  bus: () => {
    throw new Error('not yet');
  },
  decide: async (_tx, _scope, events) => events.map(({ type }) => ({ plan: type === 'go' ? {} : undefined })),
  async apply(tx, scope, planned) {
    for (const { event } of planned) {
      const from = {
        source: 'lifecycle',
        source_name: 'run_none',
        generation: 0,
        trusted: true,
        refusable: false,
      } as const;
      await this.bus().record(tx, [{ ...scope, type: 'announced', key: null, payload: event.event_id, ...from }]);
    }
    return [];
  },
};

const failing: EventReaction = {
  name: 'failing',
  precedence: 1,
  async decide(_tx, _scope, events) {
    if (events.some(({ type }) => type === 'broken')) throw new Error('the reaction fails');
    return events.map(() => ({ plan: undefined }));
  },
  apply: async () => [],
};

/** Two servers, of which one numbers the events of a project, as on a cluster that certifies writes. */
async function open(t: Test, store: Store, reactions: readonly EventReaction[] = []) {
  const fixture = await openServers(store, 2, reactions, { idle: false, env: { SVC_EVENT_SEQUENCER: 'on' } });
  t.teardown(() => fixture.close());
  const one = new BusProject(fixture.servers[0]!);
  return { ...fixture, one, two: one.on(fixture.servers[1]!) };
}

const holding = new Map<string, NodeJS.Timeout>();

/** The head held by a server that does nothing: what is handed over stays where it is. */
async function holdElsewhere(project: BusProject): Promise<void> {
  const { server, scope } = project;
  const prolong = () =>
    server.database.write('UPDATE bus_heads SET holder = ?, holder_until = ? WHERE project_id = ?', [
      'srv_elsewhere',
      server.database.now() + 2700,
      scope.project_id,
    ]);
  if ((await prolong()) !== 1) throw new Error('the project has no head yet');
  // Until it is let go; the servers of the test close after that.
  const timer = setInterval(() => void prolong().catch(() => clearInterval(timer)), 300);
  holding.set(scope.project_id, timer);
}

async function letGo({ server, scope }: BusProject): Promise<void> {
  clearInterval(holding.get(scope.project_id));
  await server.database.write('UPDATE bus_heads SET holder_until = 0 WHERE project_id = ?', [scope.project_id]);
}

/** The same for a project that has no event yet. */
async function holdElsewhereUnmade(project: BusProject): Promise<void> {
  await project.emit('head');
  await holdElsewhere(project);
}

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

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

// @store: which event is taken next, and by whom.
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
    const told = [made, repeated].map((one) => (one as PromiseFulfilledResult<{ duplicate: boolean }>).value);
    t.match(
      told.sort((one, other) => Number(one.duplicate) - Number(other.duplicate)),
      [
        { type: 'second', duplicate: false },
        { type: 'second', duplicate: true },
      ],
    );
    t.match(refused, {
      reason: { code: 'rate_limited', message: 'not this one', extras: { retryAfterMs: 1000 } },
    });
    t.same(await types(two), ['first', 'second']);
    await sound(t, servers[0]!);
  });

  t.test(
    `${store}: @EVT-031 an emit of a script at another server happens once for its position, as long as the claim holds`,
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

  t.test(`${store}: what nobody numbers in time is taken back`, async (t) => {
    const { servers, one } = await open(t, store);
    const clock = new ForwardClock();
    const { use, database } = servers[0]!;
    const never = { isEnabled: true, isNumberedElsewhere: async () => true } as unknown as Sequencer;
    const parts = { database, clock, sequencer: never, log: use(Log), wakeups: use(Wakeups) };
    const asking = new CommitForwarder({ ...parts, group_commits: use(GroupCommits) });
    const recording = () => {
      const event = { ...one.newEvent('late'), event_id: one.server.ids.next('evt') };
      return { event, sealed: Buffer.from('x'), by: undefined, attempted: false };
    };
    t.equal(await asking.forward(recording()), undefined, 'before it runs nobody would fetch an outcome');
    const stop = asking.start();
    // No other server finds it: the loops look for projects of this server.
    await holdElsewhereUnmade(one);
    const asked = asking.forward(recording());
    let over = false;
    void asked.then(() => (over = true));
    await until(async () => {
      clock.advance(10_001);
      return over;
    });
    t.equal(await asked, undefined);
    t.same(await pending(one), []);
    const last = asking.forward(recording());
    await stop();
    t.equal(await last, undefined, 'who waits when the server stops is told to record it');
    t.equal(await asking.forward(recording()), undefined);
    await letGo(one);
  });

  t.test(
    `${store}: an event that is handed over again, because its commit was not answered, is the first one`,
    async (t) => {
      const { one, two, servers } = await open(t, store);
      await one.emit('first');
      await holdElsewhere(one);
      const emitted = two.emit('second', { dedup: 'twice' });
      await until(async () => (await pending(two)).length === 1);
      const columns =
        'event_id, project_id, org_id, type, event_key, body, source, source_name, generation, trusted, withheld, made_at, asked';
      await two.server.database.write(`CREATE TABLE kept AS SELECT ${columns} FROM bus_outbox`);
      await letGo(one);
      await emitted;
      await two.server.database.write(`INSERT INTO bus_outbox (${columns}) SELECT ${columns} FROM kept`);
      await empty(two);
      await one.emit('third');
      t.same(await types(two), ['first', 'second', 'third']);
      await sound(t, servers[0]!);
    },
  );

  t.test(`${store}: a reaction may record in the same transaction while others wait for numbers`, async (t) => {
    const { one, two, servers } = await open(t, store, [announcing]);
    announcing.bus = () => servers[0]!.bus;
    await one.emit('first');
    await holdElsewhere(one);
    await two.submit();
    const asked = two.emit('go');
    await until(async () => (await pending(two)).length === 2);
    await letGo(one);
    t.ok(await asked);
    await empty(two);
    t.same((await types(two)).sort(), ['announced', 'first', 'go', 'manual']);
    await sound(t, servers[0]!);
  });

  t.test(`${store}: an event that cannot be recorded holds up no other`, async (t) => {
    const { one, two, servers } = await open(t, store, [failing]);
    await one.emit('first');
    await holdElsewhere(one);
    for (let n = 0; n < 3; n++) await two.submit();
    const broken = two.emit('broken').catch((error: Error) => error);
    await until(async () => (await pending(two)).length === 4);
    await two.server.database.write('UPDATE bus_outbox SET body = ? WHERE event_id = ?', [
      Buffer.from('no seal'),
      (await pending(two))[1]!.event_id,
    ]);
    await letGo(one);
    await until(async () => (await pending(two)).length === 1);
    t.match(await broken, { message: /the reaction fails/ });
    t.same(await types(two), ['first', 'manual', 'manual']);
    t.equal(await one.emit('after').then(() => 'recorded'), 'recorded');
    const said = servers.flatMap(({ logged }) => logged).filter(({ message }) => message.includes('set aside'));
    t.equal(said.length, 2, 'each is logged once');
  });

  t.test(`${store}: projects of other servers do not hold up those of this one`, async (t) => {
    const { servers, one } = await open(t, store);
    const others = Array.from({ length: 20 }, () => new BusProject(servers[0]!));
    const mine = [...others, one].sort((a, b) => (a.scope.project_id < b.scope.project_id ? -1 : 1));
    const free = mine.pop()!;
    for (const project of [...mine, free]) await project.emit('first');
    for (const project of [...mine, free]) await holdElsewhere(project);
    for (const project of [...mine, free]) await project.on(servers[1]!).submit();
    await letGo(free);
    await empty(free);
    t.ok((await pending(mine[0]!)).length > 0);
    for (const project of mine) await letGo(project);
    for (const project of mine) await empty(project);
    await sound(t, servers[0]!);
  });

  t.test(`${store}: a backlog longer than a batch keeps the order of each run`, async (t) => {
    const { one, two, servers } = await open(t, store);
    await one.emit('first');
    await holdElsewhere(one);
    for (let n = 0; n < 70; n++) await two.submit();
    const claim = await two.started();
    await two.server.database.write(
      "UPDATE bus_outbox SET made_at = made_at + 60000 WHERE type = 'manual' AND source_name = ?",
      [claim.run_id],
    );
    await letGo(one);
    await one.server.store.complete(claim, { status: 'succeeded', output: null });
    await empty(two);
    const { events } = await two.server.views.list(two.scope, {}, 200);
    const own = events.filter(({ source_name }) => source_name === claim.run_id).map(({ type }) => type);
    t.same(own.reverse(), ['manual', 'run.started', 'run.succeeded']);
    await sound(t, servers[0]!);
  });

  t.test(`${store}: a server that loses the lease while it records keeps the order of each run`, async (t) => {
    const { one, two, servers } = await open(t, store);
    await one.emit('first');
    await holdElsewhere(one);
    const claim = await two.started();
    // What the server has read about the lease is outdated when it locks the head.
    const read = Sequencer.prototype.isNumberedElsewhere;
    Sequencer.prototype.isNumberedElsewhere = async () => false;
    t.teardown(() => void (Sequencer.prototype.isNumberedElsewhere = read));
    await two.server.store.complete(claim, { status: 'succeeded', output: null });
    Sequencer.prototype.isNumberedElsewhere = read;
    t.same(await types(two), ['first']);
    await letGo(one);
    await empty(two);
    t.same((await types(two)).slice(1), ['manual', 'run.started', 'run.succeeded']);
    await sound(t, servers[0]!);
  });

  t.test(`${store}: an event that fails with what waits keeps the order of its run afterwards`, async (t) => {
    const { one, two } = await open(t, store);
    await one.emit('first');
    await holdElsewhere(one);
    const claim = await two.started();
    await two.submit();
    const unreadable = (await pending(two)).at(-1)!;
    await two.server.database.write('UPDATE bus_outbox SET body = ? WHERE event_id = ?', [
      Buffer.from('no seal'),
      unreadable.event_id,
    ]);
    // The loops look for projects outside of a transaction, and find none until the run has ended.
    const read = Sequencer.prototype.isNumberedElsewhere;
    Sequencer.prototype.isNumberedElsewhere = async (on) => !('afterCommit' in on);
    t.teardown(() => void (Sequencer.prototype.isNumberedElsewhere = read));
    await letGo(one);
    const complete = () => one.server.store.complete(claim, { status: 'succeeded', output: null });
    await t.rejects(complete(), 'the unreadable event makes the transaction fail');
    await complete();
    Sequencer.prototype.isNumberedElsewhere = read;
    await until(async () => (await pending(two)).length === 1);
    t.same(await types(two), ['first', 'manual', 'run.started', 'run.succeeded']);
    t.same(await pending(two), [unreadable]);
  });

  t.test(`${store}: an event that fails by itself does not keep others from being recorded at once`, async (t) => {
    const { one, two, servers } = await open(t, store, [failing]);
    await one.emit('first');
    await t.rejects(one.emit('broken'), /the reaction fails/);
    const read = Sequencer.prototype.isNumberedElsewhere;
    Sequencer.prototype.isNumberedElsewhere = async (on) => !('afterCommit' in on);
    t.teardown(() => void (Sequencer.prototype.isNumberedElsewhere = read));
    await one.submit();
    Sequencer.prototype.isNumberedElsewhere = read;
    t.same(await types(two), ['first', 'manual']);
    await sound(t, servers[0]!);
  });

  t.test(`${store}: a lease that a clock far ahead has given is none`, async (t) => {
    const { one, two, servers } = await open(t, store);
    await one.emit('first');
    const ahead = one.server.database.now() + 3_600_000;
    await one.server.database.write("UPDATE bus_heads SET holder = 'srv_ahead', holder_until = ?", [ahead]);
    await two.submit();
    await empty(two);
    t.same(await types(two), ['first', 'manual']);
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
