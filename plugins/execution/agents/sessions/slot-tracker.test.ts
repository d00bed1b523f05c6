import t from 'tap';
import { TestServer } from '../testing/server.ts';
import { BUILTIN } from '../testing/in-memory.ts';
import { hello } from '../testing/raw-client.ts';
import { systemClock, until } from '../../../../test/kit/index.ts';
import type { ChannelPush } from '../contract.ts';
import { OrgPool } from './org-pool.ts';
import { SlotTracker } from './slot-tracker.ts';

const use = (activity_id: string, run_id = 'run_1', trusted = true) => ({
  ...{ activity_id, run_id, org_id: 'org_1', project_id: 'prj_1', trusted },
});
const none = { trusted: Infinity, untrusted: Infinity };

t.test('what is full gets no more until one is let go, and then somebody is told', async (t) => {
  let told = 0;
  const limits = { run: { trusted: 2, untrusted: 1 }, project: { trusted: 3, untrusted: Infinity } };
  const slots = new SlotTracker(limits, systemClock, () => (told += 1));
  const owner = {};
  t.ok(slots.take(use('a')));
  t.ok(slots.take(use('a')), 'the same activity counts once');
  t.ok(slots.take(use('b')));
  t.notOk(slots.take(use('c')));
  t.same(slots.full({ trusted: true }), { runs: ['run_1'], projects: [] });
  t.ok(slots.take(use('d', 'run_2')));
  t.notOk(slots.take(use('e', 'run_3')));
  t.same(slots.full({ trusted: true }), { runs: ['run_1'], projects: ['prj_1'] });
  t.ok(slots.take(use('f', 'run_4', false)), 'work of untrusted runs counts apart');
  t.same(slots.full({ trusted: false }), { runs: ['run_4'], projects: [] });

  slots.hold(use('a'), owner);
  slots.free('a', {});
  slots.free('a');
  t.equal(told, 0, 'only its owner lets it go');
  slots.giveBack('a');
  slots.giveBack('b');
  t.equal(told, 0, 'a claim that came to nothing is told to nobody');
  t.ok(slots.take(use('b')));
  slots.free('a', owner);
  t.equal(told, 1);
  t.same(slots.full({ trusted: true }), { runs: [], projects: [] });
  for (const id of ['g', 'h', 'i']) slots.hold(use(id, 'run_5'), owner);
  slots.free('g', owner);
  t.equal(told, 1, 'what is held already counts beyond the bound, and is full still');
  t.same(slots.full({ trusted: true }), { runs: ['run_5'], projects: ['prj_1'] });
});

t.test('an org gets half of what others leave of a shared worker, once there are several orgs', async (t) => {
  let told = 0;
  let several = false;
  const slots = new SlotTracker({ run: none, project: none }, systemClock, () => (told += 1));
  const sizes = { all: 8, untrusted: 4 };
  const shared = slots.sharedBy(
    new OrgPool(
      () => sizes,
      () => several,
    ),
  );
  let made = 0;
  const of = (org_id: string, trusted = true) => ({ ...use(`a${(made += 1)}`, 'run_1', trusted), org_id });
  const takes = (org_id: string, trusted = true) => {
    const count = (taken: number): number => (shared.take(of(org_id, trusted)) ? count(taken + 1) : taken);
    return count(0);
  };
  const first = [of('a'), of('a'), of('a'), of('a'), of('a')];
  for (const one of first) t.ok(shared.take(one), 'a single org uses all of them');
  several = true;
  t.same(shared.full({ trusted: true }), { orgs: ['a'], runs: [], projects: [] });
  for (const { activity_id } of first) shared.giveBack(activity_id);
  t.equal(takes('a'), 4);
  t.equal(takes('b'), 2, 'half of the four that are left');
  t.equal(takes('c'), 1);
  t.ok(takes('d') >= 1, 'there is one for another org');
  t.same(shared.full({ trusted: true }).orgs, ['a', 'b', 'c', 'd']);
  t.equal(slots.full({ trusted: true }).orgs, undefined, 'workers of one org have no such limit');
  t.ok(slots.take(of('a')));

  const other = new SlotTracker({ run: none, project: none }, systemClock, () => (told += 1));
  const pool = other.sharedBy(
    new OrgPool(
      () => sizes,
      () => several,
    ),
  );
  const outsiders = [of('a', false), of('a', false), of('a', false)];
  t.same(
    outsiders.map((one) => pool.take(one)),
    [true, true, false],
    'half of the slots for untrusted work',
  );
  t.same([pool.full({ trusted: false }).orgs, pool.full({ trusted: true }).orgs], [['a'], []]);
  t.ok(pool.take(of('b', false)));
  const owner = {};
  other.hold(outsiders[0]!, owner);
  other.free(outsiders[0]!.activity_id, owner);
  t.equal(told, 1, 'what was skipped may be claimed');
  t.same(pool.full({ trusted: false }).orgs, ['b'].slice(1));
});

t.test('a place that an undone transaction has taken is free again after a while', async (t) => {
  let now = 0;
  const clock = { monotonic: () => now };
  const slots = new SlotTracker({ run: { trusted: 1, untrusted: 1 }, project: none }, clock, () => {});
  t.ok(slots.take(use('a'), 1000));
  t.ok(slots.take(use('b', 'run_2'), 1000));
  slots.hold(use('b', 'run_2'));
  now = 999;
  t.notOk(slots.take(use('c')));
  now = 1000;
  t.same(slots.full({ trusted: true }).runs, ['run_2'], 'what was handed over stays');
  t.ok(slots.take(use('c')));
});

t.test('a slot that becomes free is filled at once, without a poll', async (t) => {
  const clock = { ...systemClock, after: () => () => {} };
  const server = new TestServer({ clock, slot_limits: { project: { trusted: 1, untrusted: 1 } } });
  await server.sessions.start();
  t.teardown(() => server.sessions.stop());
  const pushed: ChannelPush[] = [];
  const session = server.sessions.connect(BUILTIN, (push) => pushed.push(push));
  await session.handle('hello', hello({ slots: 4 }));
  server.store.add('a');
  server.store.add('b');
  server.store.add('c');
  await session.handle('ready', { free: 4 });
  const begun = () =>
    pushed.flatMap((push) => (push.push === 'assign' ? push.assignments.map(({ activity_id }) => activity_id) : []));
  await until(() => begun().length === 1);
  const completion = { status: 'succeeded', output: null };
  await session.handle('complete', { claim: { activity_id: 'a', epoch: 1 }, completion });
  await until(() => begun().length === 2, { within_ms: 20_000 });
  await session.handle('release', { claim: { activity_id: 'b', epoch: 1 } });
  await until(() => begun().length === 3, { within_ms: 20_000 });
  t.same(begun(), ['a', 'b', 'b'], 'one at a time');
  await session.close();
});

t.test('what an agent has not renewed for two leases holds no slot', async (t) => {
  let now = 0;
  const timers: (() => void)[] = [];
  const after = (_ms: number, run: () => void) => {
    timers.push(run);
    return () => {};
  };
  const clock = { ...systemClock, monotonic: () => now, after };
  const server = new TestServer({ clock, lease_ms: 5000, slot_limits: { project: { trusted: 2, untrusted: 1 } } });
  await server.sessions.start();
  t.teardown(() => server.sessions.stop());
  const pushed: ChannelPush[] = [];
  const session = server.sessions.connect(BUILTIN, (push) => pushed.push(push));
  await session.handle('hello', hello({ slots: 4 }));
  for (const id of ['a', 'b', 'c', 'd']) server.store.add(id);
  await session.handle('ready', { free: 4 });
  const begun = () =>
    pushed.flatMap((push) => (push.push === 'assign' ? push.assignments.map(({ activity_id }) => activity_id) : []));
  await until(() => begun().length === 2);
  now = 8000;
  await session.handle('renew', { claims: [{ activity_id: 'b', epoch: 1 }] });
  now = 10_000;
  for (const run of timers.splice(0)) run();
  await until(() => timers.length > 0);
  t.same(begun(), ['a', 'b']);
  now = 10_001;
  for (const run of timers.splice(0)) run();
  await until(() => begun().length === 3, { within_ms: 20_000 });
  t.same(begun(), ['a', 'b', 'c'], 'one was renewed and counts still');
  await session.close();
});
