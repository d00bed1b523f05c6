import t, { type Test } from 'tap';
import type { Claimed, Json } from '../../engine/runs/contract.ts';
import type { RoundOptions } from './service/delivery.ts';
import { checkBusInvariants } from './testing/invariants.ts';
import { BusProject, type BusServer, openServers } from './testing/bus-server.ts';
import { longestHold, maxHoldMs, type Store, STORES, until } from '../../../test/kit/index.ts';

const payloadOf = ({ journal }: Claimed): Json =>
  (JSON.parse(Buffer.from(journal.at(-1)!.output, 'base64').toString()) as { payload: Json }).payload;

const count = async (server: BusServer, statement: string, params: string[]): Promise<number> =>
  Number((await server.database.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${statement}`, params))[0]!.n);

/** So many runs of the project that wait for the type, parked by whichever server. */
async function park(projects: readonly BusProject[], type: string, runs: number): Promise<void> {
  const [first] = projects as [BusProject];
  for (let made = 0; made < runs; made += 128)
    await Promise.all(Array.from({ length: Math.min(128, runs - made) }, () => first.submit()));
  for (let claims = await first.claim(128); claims.length > 0; claims = await first.claim(128))
    await Promise.all(claims.map((claim, n) => projects[n % projects.length]!.waitFor(claim, type)));
}

/**
 * Two servers emit while runs of both arm: whoever is armed after an event must not have it, whoever is armed before must.
 * Each run waits again and again, and notes what it got.
 */
async function emitsAndArms(t: Test, servers: readonly BusServer[]): Promise<void> {
  const projects = [new BusProject(servers[0]!)];
  projects.push(projects[0]!.on(servers.at(-1)!));
  const [runs, rounds] = [12, 6];
  await Promise.all(Array.from({ length: runs }, () => projects[0]!.submit()));
  const got = new Map<string, Json[]>();
  let emitted = 0;
  let busy = true;
  const emitting = projects.map(async (project) => {
    while (busy) {
      emitted += 1;
      await project.emit('tick', { payload: emitted });
      if (emitted % 7 === 0) await project.emit('other');
    }
  });
  let ended = 0;
  const working = projects.map(async (project) => {
    while (ended < runs)
      for (const claim of await project.claim(8)) {
        if (claim.journal.length > 0) got.set(claim.run_id, [...(got.get(claim.run_id) ?? []), payloadOf(claim)]);
        if (claim.journal.length < rounds) {
          await project.waitFor(claim, 'tick', { position: claim.journal.length });
          continue;
        }
        await project.server.store.complete(claim, { status: 'succeeded', output: null });
        ended += 1;
      }
  });
  await Promise.all(working);
  busy = false;
  await Promise.all(emitting);
  t.equal(got.size, runs);
  for (const payloads of got.values()) {
    t.equal(payloads.length, rounds, 'every wait had one outcome');
    t.equal(new Set(payloads).size, rounds, 'and each another event');
  }
  const project_id = projects[0]!.scope.project_id;
  t.equal(await count(servers[0]!, `bus_events WHERE type = 'tick' AND project_id = ?`, [project_id]), emitted);
}

/** Commit order: what one server has acknowledged has a lower number than what is emitted afterwards elsewhere. */
async function order(t: Test, servers: readonly BusServer[]): Promise<void> {
  const one = new BusProject(servers[0]!);
  const two = one.on(servers.at(-1)!);
  const seqs: number[] = [];
  for (let n = 0; n < 20; n++) {
    const project = n % 2 === 0 ? one : two;
    const side = (n % 2 === 0 ? two : one).emit('beside');
    seqs.push((await project.server.bus.read(project.scope, await project.emit('step')))!.seq);
    await side;
  }
  t.same(
    seqs,
    seqs.toSorted((a, b) => a - b),
  );
  const dedup = Array.from({ length: 40 }, (_, n) => `d${n % 5}`);
  const results = await Promise.all(
    dedup.map((text, n) => (n % 2 === 0 ? one : two).server.bus.emit(one.newEvent('once', { dedup: text }))),
  );
  t.equal(results.filter(({ duplicate }) => !duplicate).length, 5, 'one event a text, whoever asks');
  t.equal(new Set(results.map(({ event_id }) => event_id)).size, 5);
}

/** What a server that died has fired, another carries out; both at once do it once. */
async function sideBySide(t: Test, servers: readonly BusServer[]): Promise<void> {
  const one = new BusProject(servers[0]!);
  const two = one.on(servers.at(-1)!);
  const runs = 300;
  await park([one, two], 'go', runs);
  const cancelled = await Promise.all(Array.from({ length: 20 }, () => one.submit({ cancel_on: ['go'] })));
  await one.emit('go', { payload: 1 });
  // The emitting server does nothing more; then both work at once.
  t.equal(await two.server.deliver({ backwards: true, isStopped: once() }), 128);
  const delivered: Record<string, number> = { wait: 0, cancel: 0 };
  const rules: Partial<RoundOptions> = { onDelivered: (reaction, n) => void (delivered[reaction]! += n) };
  await Promise.all([one.server.deliver(rules), two.server.deliver({ ...rules, backwards: true })]);
  await one.server.deliver(rules);
  t.same(delivered, { wait: runs - 128, cancel: cancelled.length }, 'each once');
  const woken = new Set<string>();
  for (let claims = await one.claim(128); claims.length > 0; claims = await one.claim(128))
    for (const claim of claims) woken.add(claim.run_id);
  t.equal(woken.size, runs);
}

/** False once, then true: lets one batch pass. */
function once(): () => boolean {
  let asked = 0;
  return () => asked++ > 1;
}

/** Many parked waits and one event; the rest of the service must go on being served. */
async function many(t: Test, store: Store, servers: readonly BusServer[]): Promise<void> {
  const runs = Number(process.env.SVC_BUS_WAITS ?? (store === 'sqlite' ? 2000 : 600));
  const project = new BusProject(servers[0]!);
  await park([project], 'go', runs);
  const before = process.memoryUsage().heapUsed;
  const since = performance.now();
  let spent = 0;
  const { ms: held } = await longestHold(async () => {
    const id = await project.emit('go', { payload: 'x'.repeat(1000) });
    while ((await project.server.deliver()) > 0);
    spent = performance.now() - since;
    t.equal(await count(project.server, `bus_waits WHERE state = 'delivered' AND event_id = ?`, [id]), runs);
  });
  const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  t.comment(
    `${store}: ${runs} waits in ${Math.round(spent)} ms, the loop held for ${Math.round(held)} ms, ${Math.round(grown)} MiB more`,
  );
  t.ok(held < maxHoldMs(), `the loop was held for ${Math.round(held)} ms`);
  t.ok(grown < 200, 'memory is bounded');
}

/** A backlog of events of a type that nobody waited for, and then one wait: it sees only what comes. */
async function backlog(t: Test, servers: readonly BusServer[]): Promise<void> {
  const events = Number(process.env.SVC_BUS_EVENTS ?? 2000);
  const [one, two] = [new BusProject(servers[0]!), new BusProject(servers.at(-1)!)];
  const waiting = await one.waiting('last');
  for (let made = 0; made < events; made += 500)
    await Promise.all(Array.from({ length: Math.min(500, events - made) }, (_, n) => one.emit(`type-${n % 50}`)));
  const id = await one.emit('last');
  await two.server.deliver();
  const [woken] = await one.claim();
  t.equal(woken?.run_id, waiting.run_id);
  t.ok(id);
  let seen = 0;
  for (let before_seq: number | undefined; ; ) {
    const page = await one.server.views.list(one.scope, before_seq === undefined ? {} : { before_seq }, 200);
    seen += page.events.filter(({ type }) => type.startsWith('type-')).length;
    if (page.next_seq === undefined) break;
    before_seq = page.next_seq;
  }
  t.equal(seen, events, 'a reader that pages skips none');
}

// @store: the order of commits is the order of the sequence.
for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const fixture = await openServers(store, 2);
    t.teardown(() => fixture.close());
    const { servers } = fixture;
    const sound = async (t: Test) => t.same(await checkBusInvariants(servers[0]!.database, { settled: true }), []);
    await t.test('commit order is the order of the sequence', (t) => order(t, servers));
    await t.test('what is fired is carried out once, whichever server does it', (t) => sideBySide(t, servers));
    await sound(t);
    await t.test('many waits and one event', (t) => many(t, store, servers));
    await t.test('a long backlog', (t) => backlog(t, servers));
    for (const server of servers) server.startDeliverer();
    await t.test('emits and arms of two servers', (t) => emitsAndArms(t, servers));
    await until(async () => (await count(servers[0]!, `bus_waits WHERE state = 'fired'`, [])) === 0);
    await sound(t);
    t.same(
      servers.flatMap(({ logged }) => logged.filter(({ level }) => level === 'error')),
      [],
    );
  });
