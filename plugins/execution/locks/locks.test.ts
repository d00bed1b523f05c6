import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Database, insertRows, type Log, type Transaction } from '../../../kernel/contracts/index.ts';
import type { LeaseOwner, LeaseOwnerKind } from './contract.ts';
import { releaseEndedRuns } from './service/release-ended.ts';
import { ThrottleWaker } from './service/throttle-waker.ts';
import { GroupSweeper } from './service/group-sweeper.ts';
import { LeaseNotifier } from './service/lease-notifier.ts';
import { MAX_UNTRUSTED_GROUPS } from './domain/group.ts';
import { groupOf } from './testing/group.ts';
import { checkLockInvariants } from './testing/invariants.ts';
import { listGroups } from './store/group-views.ts';
import { LeaseStore } from './store/lease-store.ts';
import { boot, openTestDatabase, type Store, STORES, systemClock, type TestServer } from '../../../test/kit/index.ts';

const write = () => {};
const quiet: Log = { debug: write, info: write, warn: write, error: write, child: () => quiet };
const SCOPE = { org_id: 'org_1', project_id: 'prj_1' };
const owner = (run_id: string, kind = 'lock', id = 'act_1/0'): LeaseOwner => ({ run_id, kind, id });
const ask = (run_id: string, group = 'g', kind = 'lock', id = 'act_1/0') => ({
  ...SCOPE,
  group,
  trusted: true,
  owner: owner(run_id, kind, id),
});
const runName = (n: number) => `run_${String(n).padStart(4, '0')}`;

/** Creates a holder and a queue of this length, and returns the names of the runs. */
async function queueUp(
  database: Database,
  take: (tx: Transaction, run_id: string) => Promise<unknown>,
  group: string,
  length: number,
): Promise<string[]> {
  const names = Array.from({ length: length + 2 }, (_, n) => `len_${length}_${n}`);
  await database.transaction((tx) => take(tx, names[0]!));
  const [made] = await database.read<{ group_key: string; last_ticket: number }>(
    'SELECT group_key, last_ticket FROM locks_groups WHERE name = ?',
    [group],
  );
  const taken = made!.last_ticket;
  const { org_id, project_id } = SCOPE;
  await database.transaction(async (tx) => {
    const columns = [
      'project_id',
      'group_key',
      'ticket',
      'org_id',
      'run_id',
      'owner_kind',
      'owner_id',
      'state',
      'asked_at',
    ];
    const rows = names.map((run, n) => [
      ...[project_id, made!.group_key, taken + n, org_id, run, 'lock', 'act_1/0', 'waiting', 1],
    ]);
    await insertRows(tx, 'INSERT INTO locks_tickets', columns, rows.slice(1));
    await tx.write('UPDATE locks_groups SET last_ticket = ? WHERE name = ?', [taken + names.length - 1, group]);
  });
  return names;
}

/** Counts the statements that this work executes. */
async function counting(tx: Transaction, work: (tx: Transaction) => Promise<unknown>): Promise<number> {
  let count = 0;
  const counted = new Proxy(tx, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'read' || name === 'write' || name === 'lock') count += 1;
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  await work(counted);
  return count;
}

/** Two servers on one database, each with its own store and notifier. */
async function openServers(store: Store) {
  const shared = await openTestDatabase(store);
  const heard: { run_id: string; id: string; fence: number; server: number }[] = [];
  const refusing = new Set<string>();
  const failing = new Set<string>();
  const servers: {
    server: TestServer;
    database: Database;
    leases: LeaseStore;
    notifier: LeaseNotifier;
    sweeper: GroupSweeper;
  }[] = [];
  for (const server of [0, 1]) {
    const booted = await boot({ database: shared, plugins: ['locks'], quiet: true });
    const kindOf = (kind: string, shares: boolean): LeaseOwnerKind => ({
      kind,
      shares,
      async granted(tx, grant) {
        if (failing.has(grant.owner.run_id)) throw new Error('the run cannot be told');
        if (refusing.has(grant.owner.run_id)) return false;
        const { run_id, id } = grant.owner;
        tx.afterCommit(() => {
          // The other server may have notified it at the same time.
          const known = heard.some((one) => one.run_id === run_id && one.id === id && one.fence === grant.fence);
          if (!known) heard.push({ run_id, id, fence: grant.fence, server });
        });
        return true;
      },
    });
    const owners = [kindOf('lock', true), kindOf('lock-step', false)];
    const database = booted.use(Database);
    const leases = new LeaseStore({ database, owners: () => owners, onGranted: write, onThrottled: write });
    const notifier = new LeaseNotifier({
      store: leases,
      owners: () => owners,
      database,
      sealer: { prepare: async () => {} },
      wakeups: { onTopic: () => write },
      clock: systemClock,
      log: quiet,
    });
    const sweeper = new GroupSweeper({ database, clock: systemClock, log: quiet });
    servers.push({ server: booted, database, leases, notifier, sweeper });
  }
  const [first, other] = servers as [(typeof servers)[0], (typeof servers)[0]];
  return {
    first,
    other,
    heard,
    refusing,
    failing,
    within: <T>(work: (tx: Transaction) => Promise<T>, on = first): Promise<T> => on.database.transaction(work),
    broken: () => checkLockInvariants(first.database),
    async close() {
      for (const { server } of servers) await server.close();
      await shared.drop();
    },
  };
}

// @store: the queue is a table.
for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const fixture = await openServers(store);
    t.teardown(() => fixture.close());
    const { first, other, heard, within } = fixture;
    t.afterEach(async () => {
      t.same(await fixture.broken(), [], 'the invariants hold');
      heard.length = 0;
    });

    t.test('one holds, the others wait in their order, each told once with a higher fence', async (t) => {
      const runs = Array.from({ length: 100 }, (_, n) => runName(n));
      t.same(await within((tx) => first.leases.acquire(tx, ask(runs[0]!))), { state: 'held', fence: 1 });
      for (const [n, run] of runs.entries())
        if (n > 0) {
          const on = n % 2 === 0 ? first : other;
          t.same(await within((tx) => on.leases.acquire(tx, ask(run)), on), { state: 'waiting' });
        }
      t.same(await within((tx) => first.leases.acquire(tx, ask(runs[7]!))), { state: 'waiting' }, 'a repeat');
      const view = await groupOf(first.database, SCOPE, 'g');
      t.equal(view?.holder?.run_id, runs[0]);
      t.same(view?.queue.map(({ run_id }) => run_id).slice(0, 99), runs.slice(1));
      t.equal(view?.queue_length, 99);
      for (const run of runs) {
        t.equal(await within((tx) => other.leases.release(tx, owner(run)), other), true);
        await Promise.all([first.notifier.notify(), other.notifier.notify()]);
      }
      t.same(
        heard.map(({ run_id }) => run_id),
        runs.slice(1),
      );
      t.same(
        heard.map(({ fence }) => fence),
        runs.slice(1).map((_, n) => n + 2),
      );
      t.equal(await groupOf(first.database, SCOPE, 'g'), undefined);
      t.equal(await within((tx) => first.leases.release(tx, owner(runs[3]!))), false, 'a second release is none');
    });

    t.test('two servers contend: never two holders, nobody is lost', async (t) => {
      const runs = Array.from({ length: 60 }, (_, n) => `con_${String(n).padStart(3, '0')}`);
      const done = new Set<string>();
      let inside = 0;
      const work = async (run: string, on: typeof first) => {
        let state = await within((tx) => on.leases.acquire(tx, ask(run, 'contended')), on);
        while (state.state !== 'held') {
          await on.notifier.notify();
          state = await within((tx) => on.leases.acquire(tx, ask(run, 'contended')), on);
        }
        inside += 1;
        t.equal(inside, 1, 'alone');
        await first.database.ping();
        inside -= 1;
        await within((tx) => on.leases.release(tx, owner(run)), on);
        done.add(run);
      };
      await Promise.all(runs.map((run, n) => work(run, n % 2 === 0 ? first : other)));
      t.equal(done.size, runs.length);
      t.equal(await groupOf(other.database, SCOPE, 'contended'), undefined);
    });

    t.test('runs that end give up what they hold and where they wait, whatever else ends with them', async (t) => {
      const over = releaseEndedRuns(() => first.leases);
      const end = (...run_ids: string[]) =>
        within((tx) =>
          over.onTransitions(
            tx,
            run_ids.map((run_id) => ({ type: 'run.failed', run_id, ...SCOPE }) as never),
          ),
        );
      for (const run of ['end_a', 'end_b', 'end_c', 'end_d'])
        for (const [n, group] of ['x', 'y'].entries())
          await within((tx) => first.leases.acquire(tx, ask(run, group, 'lock', `act_1/${n}`)));
      await end('end_b');
      t.equal((await groupOf(first.database, SCOPE, 'x'))?.queue_length, 2);
      await end('end_a', 'end_c');
      for (const group of ['x', 'y'])
        t.match(await groupOf(first.database, SCOPE, group), { holder: { run_id: 'end_d' }, queue: [] });
      await end('end_d', 'end_a');
      t.same(await listGroups(first.database, SCOPE, { limit: 10, after: undefined }), []);
    });

    t.test('the time of a place is over: it is given up, unless the lease came first', async (t) => {
      await within((tx) => first.leases.acquire(tx, ask('late_a', 'late')));
      for (const run of ['late_b', 'late_c', 'late_d'])
        await within((tx) => first.leases.acquire(tx, ask(run, 'late')));
      t.equal(await within((tx) => first.leases.abandon(tx, owner('late_c'))), undefined);
      await within((tx) => first.leases.release(tx, owner('late_a')));
      t.equal(await within((tx) => first.leases.abandon(tx, owner('late_b'))), 2, 'it was granted already');
      t.equal(await first.notifier.notify(), 0, 'and is told by that');
      await within((tx) => first.leases.release(tx, owner('late_b')));
      t.equal(await first.notifier.notify(), 1);
      t.same(heard, [{ run_id: 'late_d', id: 'act_1/0', fence: 3, server: 0 }]);
      await within((tx) => first.leases.release(tx, owner('late_d')));
    });

    t.test('an owner that is gone passes the lease on, one that cannot be told holds up nobody else', async (t) => {
      for (const run of ['gone_a', 'gone_b', 'gone_c'])
        await within((tx) => first.leases.acquire(tx, ask(run, 'gone')));
      for (const run of ['fail_a', 'fail_b']) await within((tx) => first.leases.acquire(tx, ask(run, 'fail')));
      fixture.refusing.add('gone_b');
      fixture.failing.add('fail_b');
      await within((tx) => first.leases.release(tx, owner('fail_a')));
      await within((tx) => first.leases.release(tx, owner('gone_a')));
      await t.rejects(first.notifier.notify(), { message: 'the run cannot be told' });
      await t.rejects(first.notifier.notify(), { message: 'the run cannot be told' });
      t.same(
        heard.map(({ run_id }) => run_id),
        ['gone_c'],
      );
      fixture.failing.clear();
      await other.notifier.notify();
      t.match(heard, [{ run_id: 'gone_c' }, { run_id: 'fail_b', server: 1 }]);
      for (const run of ['gone_c', 'fail_b']) await within((tx) => first.leases.release(tx, owner(run)));
    });

    t.test('a run shares the lease that it holds, and a place of it in the queue shares the grant', async (t) => {
      const take = (run: string, kind: string, id: string) =>
        within((tx) => first.leases.acquire(tx, ask(run, 'shared', kind, id)));
      t.match(await take('sh_a', 'lock', 'a'), { state: 'held' });
      t.match(await take('sh_a', 'lock-step', 'b'), { state: 'held' });
      t.equal(await within((tx) => first.leases.tryAcquire(tx, ask('sh_b', 'shared', 'lock', 'a'))), undefined);
      for (const id of ['a', 'b']) t.match(await take('sh_b', 'lock', id), { state: 'waiting' });
      t.match(await take('sh_b', 'lock-step', 'c'), { state: 'waiting' });
      t.match(await take('sh_c', 'lock', 'a'), { state: 'waiting' });
      t.ok(await within((tx) => first.leases.release(tx, owner('sh_a', 'lock-step', 'b'))));
      t.equal(heard.length, 0);
      await within((tx) => first.leases.release(tx, owner('sh_a', 'lock', 'a')));
      await first.notifier.notify();
      t.same(
        heard.map(({ run_id }) => run_id),
        ['sh_b', 'sh_b', 'sh_b'],
      );
      await within((tx) => first.leases.release(tx, owner('sh_b', 'lock', 'a')));
      t.match(await groupOf(first.database, SCOPE, 'shared'), { holder: { run_id: 'sh_b', id: 'b' } });
      t.same(await fixture.broken(), []);
      await within((tx) => first.leases.releaseRuns(tx, ['sh_b', 'sh_c']));
    });

    t.test('commands of one run keep each other out', async (t) => {
      const take = (id: string) => within((tx) => first.leases.tryAcquire(tx, ask('cmd', 'command', 'lock-step', id)));
      t.ok(await take('a'));
      t.equal(await take('b'), undefined);
      await within((tx) => first.leases.release(tx, owner('cmd', 'lock-step', 'a')));
      t.ok(await take('b'));
      await within((tx) => first.leases.releaseRuns(tx, ['cmd']));
    });

    t.test('groups are told apart byte by byte, by project and org; pages hold each once', async (t) => {
      const names = ['a', 'A', 'a ', 'ä', 'a\u0301', '\u{1F512}', 'x'.repeat(255)];
      for (const [n, name] of names.entries())
        t.match(await within((tx) => first.leases.acquire(tx, ask(`name_${n}`, name))), { state: 'held' });
      const elsewhere = { ...ask('name_0', 'a', 'lock', 'b'), project_id: 'prj_2' };
      t.match(await within((tx) => first.leases.acquire(tx, elsewhere)), { state: 'held' });
      t.equal(await groupOf(first.database, { ...SCOPE, org_id: 'org_2' }, 'a'), undefined);
      const seen: string[] = [];
      let after: { at: number; group_key: string } | undefined;
      for (;;) {
        const page = await listGroups(first.database, SCOPE, { limit: 3, after });
        seen.push(...page.map(({ view }) => view.group));
        if (page.length < 3) break;
        after = page.at(-1);
      }
      t.same(seen.toSorted(), names.toSorted());
      const bad = ['', 'x'.repeat(256), 'a\nb', 'a\0b', '\ud800', '\u{1F512}'.repeat(256)];
      for (const name of bad)
        await t.rejects(
          within((tx) => first.leases.acquire(tx, ask('bad', name))),
          { code: 'invalid_request' },
          JSON.stringify(name.slice(0, 9)),
        );
      await within((tx) => first.leases.releaseRuns(tx, ['name_0', ...names.map((_, n) => `name_${n}`)]));
    });

    t.test('runs that are not trusted have groups of their own', async (t) => {
      const untrusted = { ...ask('out_a', 'apart'), trusted: false };
      t.match(await within((tx) => first.leases.acquire(tx, untrusted)), { state: 'held', fence: 1 });
      t.match(await within((tx) => first.leases.acquire(tx, ask('in_a', 'apart'))), { state: 'held', fence: 1 });
      t.equal(
        await within((tx) => first.leases.tryAcquire(tx, { ...ask('out_b', 'apart'), trusted: false })),
        undefined,
      );
      t.match(await groupOf(first.database, SCOPE, 'apart', false), { trusted: false, holder: { run_id: 'out_a' } });
      t.match(await groupOf(first.database, SCOPE, 'apart'), { trusted: true, holder: { run_id: 'in_a' } });
      await within((tx) => first.leases.releaseRuns(tx, ['out_a', 'in_a']));
    });

    t.test('a group that nobody uses is removed, and its fence goes on rising', async (t) => {
      const here = (run: string, group: string) => ({ ...ask(run, group), project_id: 'prj_swept' });
      const groups = async () =>
        (await first.database.read<{ name: string }>("SELECT name FROM locks_groups WHERE project_id = 'prj_swept'"))
          .map(({ name }) => name)
          .toSorted();
      const take = (run: string, group: string) => within((tx) => first.leases.acquire(tx, here(run, group)));
      for (const run of ['sw_a', 'sw_b', 'sw_c']) {
        await take(run, 'often');
        await within((tx) => first.leases.release(tx, owner(run)));
      }
      t.same(await take('sw_d', 'held'), { state: 'held', fence: 1 });
      t.same(await take('sw_e', 'held'), { state: 'waiting' });
      await Promise.all([first.sweeper.sweep(), other.sweeper.sweep()]);
      t.same(await groups(), ['held'], 'what is held and waited for stays');
      t.equal(await within((tx) => first.leases.release(tx, owner('sw_a'))), false, 'a repeat of a release');
      t.equal(await within((tx) => first.leases.leaveQueue(tx, owner('sw_b'))), false);
      t.equal(await within((tx) => first.leases.abandon(tx, owner('sw_c'))), undefined);
      await within((tx) => first.leases.replaceEarlier(tx, owner('sw_a'), { holders: true }));
      await t.rejects(take('sw_a', 'often'), /ticket 1 of .* is released/, 'an owner takes it once');
      t.same(await groups(), ['held'], 'none of which makes the group again');
      t.same(await take('sw_f', 'often'), { state: 'held', fence: 4 }, 'above the fence of the holder before');
      t.same(await take('sw_g', 'other'), { state: 'held', fence: 4 }, 'a floor of the whole project');
      t.same(await take('sw_g2', 'other'), { state: 'waiting' });
      await within((tx) => first.leases.releaseRuns(tx, ['sw_d', 'sw_e', 'sw_f', 'sw_g', 'sw_g2']));
      t.equal((await first.sweeper.sweep()).processed, 3);
      t.equal((await first.sweeper.sweep()).processed, 0);
      t.same(await take('sw_h', 'held'), { state: 'held', fence: 5 }, 'also where it was lower in its own group');
      await within((tx) => first.leases.releaseRuns(tx, ['sw_h']));
      const elsewhere = { ...here('sw_i', 'held'), project_id: 'prj_unswept' };
      t.match(await within((tx) => first.leases.acquire(tx, elsewhere)), { fence: 1 });
      await within((tx) => first.leases.releaseRuns(tx, ['sw_i']));
    });

    t.test('groups are taken while they are removed: one holder at a time, nobody is lost, fences rise', async (t) => {
      const NAMES = Array.from({ length: 8 }, (_, n) => `race_${n}`);
      const holding = new Set<string>();
      const fences = new Map(NAMES.map((name) => [name, 0]));
      let working = 0;
      const work = async (n: number, on: typeof first) => {
        for (let turn = 0; turn < 12; turn += 1) {
          const group = NAMES[(n + turn) % NAMES.length]!;
          const run = `race_${n}_${turn}`;
          const take = () => within((tx) => on.leases.acquire(tx, { ...ask(run, group), project_id: 'prj_race' }), on);
          let state = await take();
          while (state.state !== 'held') {
            await on.notifier.notify();
            state = await take();
          }
          t.notOk(holding.has(group), 'alone');
          holding.add(group);
          t.ok(state.fence > fences.get(group)!, `${group}: ${state.fence} after ${fences.get(group)}`);
          fences.set(group, state.fence);
          await on.database.ping();
          holding.delete(group);
          await within((tx) => on.leases.release(tx, owner(run)), on);
        }
        working -= 1;
      };
      let removed = 0;
      const sweepOnce = async (on: typeof first) => {
        const { processed } = await on.sweeper.sweep();
        removed += processed;
      };
      const sweep = async (on: typeof first) => {
        while (working > 0) await sweepOnce(on);
      };
      const workers = [0, 1, 2, 3].map((n) => {
        working += 1;
        return work(n, n % 2 === 0 ? first : other);
      });
      await Promise.all([...workers, sweep(first), sweep(other)]);
      await sweepOnce(first);
      t.ok(removed > NAMES.length, `${removed} groups were removed`);
    });

    t.test('a group that others made and removed just now begins above what they were granted', async (t) => {
      // SQLite has one writer at a time: nobody comes in between.
      if (store === 'sqlite') return;
      const here = (run: string) => ({ ...ask(run, 'between'), project_id: 'prj_between' });
      const rival = async () => {
        await within((tx) => other.leases.acquire(tx, here('btw_b')), other);
        await within((tx) => other.leases.release(tx, owner('btw_b')), other);
        t.ok((await other.sweeper.sweep()).processed > 0);
      };
      let came = false;
      const state = await within((tx) => {
        const slow = new Proxy(tx, {
          get(target, name) {
            const member = Reflect.get(target, name, target) as unknown;
            if (name !== 'write') return typeof member === 'function' ? member.bind(target) : member;
            return async (statement: string, params: never) => {
              const making = !came && statement.startsWith('INSERT INTO locks_groups');
              came ||= making;
              if (making) await rival();
              return target.write(statement, params);
            };
          },
        });
        return first.leases.acquire(slow, here('btw_a'));
      });
      t.ok(came);
      t.same(state, { state: 'held', fence: 2 });
      await within((tx) => first.leases.releaseRuns(tx, ['btw_a']));
    });

    t.test('untrusted runs of a project use a bounded number of groups', async (t) => {
      const untrusted = (run: string, n: number) => ({
        ...ask(run, `many ${n}`, 'lock', `act_1/${n}`),
        ...{ project_id: 'prj_many', trusted: false },
      });
      await within(async (tx) => {
        for (let n = 0; n < MAX_UNTRUSTED_GROUPS; n += 1) await first.leases.acquire(tx, untrusted('many_a', n));
      });
      const full = { code: 'lock_limit', message: /hold or wait for 1000 locks/ };
      const take = (request: ReturnType<typeof untrusted>) => within((tx) => first.leases.acquire(tx, request));
      await t.rejects(take(untrusted('many_b', MAX_UNTRUSTED_GROUPS)), full);
      await t.rejects(
        within((tx) => first.leases.tryAcquire(tx, untrusted('many_b', MAX_UNTRUSTED_GROUPS))),
        full,
      );
      t.match(await take(untrusted('many_b', 0)), { state: 'waiting' }, 'a group that is there has a queue');
      t.match(
        await take({ ...untrusted('many_c', 1), trusted: true }),
        { state: 'held' },
        'trusted runs have their own',
      );
      t.match(await take({ ...untrusted('many_d', 1), project_id: 'prj_1' }), { state: 'held' });
      await within((tx) => first.leases.releaseRuns(tx, ['many_a', 'many_b', 'many_c', 'many_d']));
      await first.sweeper.sweep();
      t.match(await take(untrusted('many_e', MAX_UNTRUSTED_GROUPS)), { state: 'held' }, 'there is room again');
      await within((tx) => first.leases.releaseRuns(tx, ['many_e']));
    });

    t.test('replaced places are not granted, whoever ends first', async (t) => {
      const names = ['rep_a', 'rep_b', 'rep_c', 'rep_d', 'rep_e'];
      for (const run of names) await within((tx) => first.leases.acquire(tx, ask(run, 'rep')));
      await within((tx) => first.leases.acquire(tx, ask('rep_d', 'rep', 'lock-step', 'second')));
      await within((tx) => first.leases.replaceEarlier(tx, owner('rep_d'), { holders: true }));
      const replaced = await first.leases.listReplaced(first.database, owner('rep_d'), undefined, 2);
      t.match(replaced, [
        { run_id: 'rep_a', held: true },
        { run_id: 'rep_b', held: false },
      ]);
      t.match(await first.leases.listReplaced(first.database, owner('rep_d'), replaced[1], 2), [{ run_id: 'rep_c' }]);
      await within((tx) => first.leases.releaseRuns(tx, ['rep_a']));
      t.match(await groupOf(first.database, SCOPE, 'rep'), { holder: { run_id: 'rep_d' } }, 'past the others');
      t.same(await fixture.broken(), []);
      await within((tx) => first.leases.releaseRuns(tx, ['rep_d']));
      t.match(await groupOf(first.database, SCOPE, 'rep'), { holder: { run_id: 'rep_e' } });
      await within((tx) => first.leases.acquire(tx, ask('rep_f', 'rep')));
      await within((tx) => first.leases.replaceEarlier(tx, owner('rep_f'), { holders: true }));
      await within((tx) => first.leases.releaseRuns(tx, ['rep_f', 'rep_e']));
      t.equal(await groupOf(first.database, SCOPE, 'rep'), undefined, 'those that wait were replaced');
      t.match(await within((tx) => first.leases.acquire(tx, ask('rep_g', 'rep'))), { state: 'held' }, 'a later one');
      await within((tx) => first.leases.releaseRuns(tx, ['rep_b', 'rep_c', 'rep_g']));
      t.same(await checkLockInvariants(first.database, { settled_ms: 0 }), [], 'nobody is left');
    });

    const limited = (run: string, group: string, limit: number, priority = 0) => ({
      ...ask(run, group),
      limit,
      priority,
    });
    const take = (request: ReturnType<typeof limited>, on = first) =>
      within((tx) => on.leases.acquire(tx, request), on).then(({ state }) => state);
    const end = (...runs: string[]) => within((tx) => first.leases.releaseRuns(tx, runs));
    const viewed = async (group: string) => {
      const view = await groupOf(first.database, SCOPE, group);
      return {
        limit: view?.limit,
        count: view?.holder_count,
        holders: view?.holders.map(({ run_id }) => run_id).toSorted(),
        queue: view?.queue.map(({ run_id }) => run_id),
      };
    };

    t.test('as many hold a group as its limit allows, and each end lets one more in', async (t) => {
      const runs = Array.from({ length: 6 }, (_, n) => `lim_${n}`);
      const states = [];
      for (const run of runs) states.push(await take(limited(run, 'lim', 3)));
      t.same(states, ['held', 'held', 'held', 'waiting', 'waiting', 'waiting']);
      t.same(await viewed('lim'), {
        ...{ limit: 3, count: 3 },
        ...{ holders: runs.slice(0, 3), queue: runs.slice(3) },
      });
      t.same(await fixture.broken(), []);
      await end('lim_0');
      t.same((await viewed('lim')).holders, ['lim_1', 'lim_2', 'lim_3'], 'the first holder has ended');
      await first.notifier.notify();
      t.match(heard, [{ run_id: 'lim_3' }]);
      await end('lim_2', 'lim_3');
      t.same((await viewed('lim')).holders, ['lim_1', 'lim_4', 'lim_5']);
      const pages = await listGroups(first.database, SCOPE, { limit: 10, after: undefined });
      t.equal(pages.filter(({ view }) => view.group === 'lim').length, 1, 'a group is one row of the list');
      t.same(await fixture.broken(), []);
      await end('lim_1', 'lim_4');
      t.same((await viewed('lim')).holders, ['lim_5']);
      t.match(await within((tx) => first.leases.tryAcquire(tx, limited('lim_6', 'lim', 3))), { fence: Number });
      t.match(await within((tx) => first.leases.tryAcquire(tx, limited('lim_7', 'lim', 1))), undefined);
      await end('lim_5', 'lim_6');
      t.equal(await groupOf(first.database, SCOPE, 'lim'), undefined);
    });

    t.test('callers that name different limits: the lowest one counts, in the order of the queue', async (t) => {
      t.equal(await take(limited('mix_a', 'mix', 5)), 'held');
      t.equal(await take(limited('mix_b', 'mix', 2)), 'held');
      t.equal(await take(limited('mix_c', 'mix', 5)), 'waiting', 'a holder shares it with one other only');
      t.equal((await viewed('mix')).limit, 2);
      t.equal(await take(limited('mix_d', 'mix', 1)), 'waiting', 'one that shares it with nobody');
      t.equal(await take(limited('mix_e', 'mix', 5)), 'waiting');
      await end('mix_b');
      t.same(await viewed('mix'), { limit: 5, count: 2, holders: ['mix_a', 'mix_c'], queue: ['mix_d', 'mix_e'] });
      t.equal(await take(limited('mix_f', 'mix', 5)), 'waiting', 'who comes later does not pass one that needs room');
      t.equal(await within((tx) => first.leases.tryAcquire(tx, limited('mix_g', 'mix', 5))), undefined);
      await end('mix_a');
      t.same((await viewed('mix')).holders, ['mix_c']);
      await end('mix_c');
      t.same(await viewed('mix'), { limit: 1, count: 1, holders: ['mix_d'], queue: ['mix_e', 'mix_f'] });
      t.equal(await take(limited('mix_h', 'mix', 1)), 'waiting');
      await end('mix_d');
      t.same(await viewed('mix'), { limit: 5, count: 2, holders: ['mix_e', 'mix_f'], queue: ['mix_h'] });
      t.equal(await take(limited('mix_i', 'mix', 5)), 'waiting');
      await within((tx) => first.leases.abandon(tx, owner('mix_h')));
      t.same((await viewed('mix')).holders, ['mix_e', 'mix_f', 'mix_i'], 'whoever stood in the way has left');
      await first.notifier.notify();
      await end('mix_e', 'mix_f', 'mix_i');
    });

    t.test('a run shares its place of several, and its commands take one each', async (t) => {
      const of = (kind: string, id: string) => ({ ...ask('own_a', 'own', kind, id), limit: 2 });
      t.equal(await take(of('lock', 'a') as never), 'held');
      t.equal(await take(of('lock', 'b') as never), 'held');
      t.equal((await viewed('own')).count, 1, 'both are one place');
      t.equal(await take(limited('own_b', 'own', 2)), 'held');
      t.equal(await take(limited('own_c', 'own', 2)), 'waiting');
      await within((tx) => first.leases.release(tx, owner('own_a', 'lock', 'a')));
      t.same((await viewed('own')).holders, ['own_a', 'own_b'], 'the other one of the run goes on with it');
      await end('own_a', 'own_b', 'own_c');
      for (const id of ['a', 'b'])
        t.equal(await take({ ...ask('own_d', 'own', 'lock-step', id), limit: 2 } as never), 'held');
      t.equal((await viewed('own')).count, 2);
      await end('own_d');
    });

    t.test('a higher priority passes those that wait, but only so many of them', async (t) => {
      t.equal(await take(limited('pri_a', 'pri', 1)), 'held');
      for (const [run, priority] of [
        ...[['pri_b', 0] as const, ['pri_c', 1] as const, ['pri_d', 9] as const],
        ...[['pri_e', 1] as const, ['pri_f', 0] as const],
      ])
        t.equal(await take(limited(run, 'pri', 1, priority)), 'waiting');
      t.same((await viewed('pri')).queue, ['pri_d', 'pri_c', 'pri_e', 'pri_b', 'pri_f']);
      const order = [];
      for (let run = 'pri_a'; order.length < 5; order.push(run)) {
        await end(run);
        run = (await viewed('pri')).holders![0]!;
        t.same(await fixture.broken(), []);
      }
      t.same(order, ['pri_d', 'pri_c', 'pri_e', 'pri_b', 'pri_f']);
      t.equal(await take(limited('pri_low', 'pri', 1)), 'waiting');
      await first.database.write("UPDATE locks_groups SET last_ticket = last_ticket + 100 WHERE name = 'pri'");
      t.equal(await take(limited('pri_high', 'pri', 1, 1)), 'waiting');
      t.same((await viewed('pri')).queue, ['pri_low', 'pri_high'], '100 tickets for each level');
      await end('pri_f', 'pri_low', 'pri_high');
    });

    t.test('a throttle grants so many in a period; the rest wait for the time, which outlives its group', async (t) => {
      const throttle = { limit: 2, period_ms: 3_600_000 };
      const throttled = (run: string) => ({ ...ask(run, 'thr'), throttle }) as never;
      const shown = async () => {
        const { holders = [], queue = [], next_at } = (await groupOf(first.database, SCOPE, 'thr')) ?? {};
        return { holders: holders.length, queue: queue.map(({ run_id }) => run_id), is_dated: next_at !== undefined };
      };
      /** As if so much time had passed. */
      const pass = async (ms: number) => {
        await first.database.write(`UPDATE locks_tickets SET granted_at = granted_at - ${ms} WHERE throttle_limit = 2`);
        await first.database.write(
          `UPDATE locks_starts SET started_at = started_at - ${ms}, expires_at = expires_at - ${ms}`,
        );
        await first.database.write(`UPDATE locks_groups SET next_at = next_at - ${ms} WHERE next_at IS NOT NULL`);
        await waker.open();
      };
      const waker = new ThrottleWaker({
        store: first.leases,
        database: first.database,
        wakeups: { onTopic: () => write },
        clock: systemClock,
        log: quiet,
      });
      for (const run of ['thr_a', 'thr_b']) t.equal(await take(throttled(run)), 'held');
      for (const run of ['thr_c', 'thr_d', 'thr_e', 'thr_f']) t.equal(await take(throttled(run)), 'waiting');
      await end('thr_a', 'thr_b');
      t.same(
        await shown(),
        { holders: 0, queue: ['thr_c', 'thr_d', 'thr_e', 'thr_f'], is_dated: true },
        'nobody holds it',
      );
      t.equal(await take(ask('thr_g', 'thr') as never), 'waiting', 'who has no throttle takes its turn');
      await end('thr_g');
      await waker.open();
      t.same((await shown()).holders, 0, 'not before its time');
      await pass(3_600_000);
      t.same(await shown(), { holders: 2, queue: ['thr_e', 'thr_f'], is_dated: true }, 'two more');
      t.same(await fixture.broken(), []);
      await end('thr_c', 'thr_d', 'thr_e', 'thr_f');
      t.equal(await groupOf(first.database, SCOPE, 'thr'), undefined);
      await first.sweeper.sweep();
      t.equal(await take(throttled('thr_h')), 'waiting', 'a group that was removed in between');
      await pass(3_600_000);
      t.same(await shown(), { holders: 1, queue: [], is_dated: false });
      await end('thr_h');
      for (const bad of [
        { limit: 0, period_ms: 1000 },
        { limit: 1, period_ms: 999 },
      ])
        await t.rejects(take({ ...ask('bad', 'thr'), throttle: bad } as never), { code: 'invalid_request' });
    });

    t.test('who replaces others makes room for itself, and spares the newest that fit beside it', async (t) => {
      for (const run of ['new_a', 'new_b', 'new_c', 'new_d', 'new_e']) await take(limited(run, 'new', 3));
      await within((tx) => first.leases.replaceEarlier(tx, owner('new_e'), { holders: true }));
      const replaced = () => first.leases.listReplaced(first.database, owner('new_e'), undefined, 10);
      t.match(await replaced(), [
        { run_id: 'new_a', held: true },
        { run_id: 'new_d', held: false },
      ]);
      await end('new_a', 'new_d');
      t.same((await viewed('new')).holders, ['new_b', 'new_c', 'new_e']);
      await take(limited('new_f', 'new', 3));
      await take(limited('new_g', 'new', 3));
      await within((tx) => first.leases.replaceEarlier(tx, owner('new_g'), { holders: false }));
      const pending = await first.leases.listReplaced(first.database, owner('new_g'), undefined, 10);
      t.match(pending, [{ run_id: 'new_f', held: false }], 'only those that wait');
      t.equal(pending.length, 1);
      await end('new_f', 'new_b');
      t.same((await viewed('new')).holders, ['new_c', 'new_e', 'new_g']);
      await first.notifier.notify();
      t.same(await checkLockInvariants(first.database, { settled_ms: 0 }), [], 'whoever was replaced is gone');
      await end('new_c', 'new_e', 'new_g');
    });

    t.test('two servers contend for a group with a limit: never more holders, nobody is lost', async (t) => {
      let inside = 0;
      let most = 0;
      const work = async (run: string, limit: number, on: typeof first) => {
        while ((await take(limited(run, 'crowd', limit, limit % 3), on)) !== 'held') await on.notifier.notify();
        inside += 1;
        most = Math.max(most, inside);
        t.ok(inside <= limit, `${inside} beside ${limit}`);
        await sleep(20);
        inside -= 1;
        await within((tx) => on.leases.release(tx, owner(run)), on);
      };
      await Promise.all(
        Array.from({ length: 24 }, (_, n) => work(`crowd_${n}`, 2 + (n % 3), n % 2 === 0 ? first : other)),
      );
      t.ok(most > 1, `${most} at once`);
      t.equal(await groupOf(other.database, SCOPE, 'crowd'), undefined);
    });

    t.test('a limit that is none is rejected', async (t) => {
      for (const limit of [0, -1, 1.5, 1001, Number.NaN])
        await t.rejects(take(limited('bad', 'bad limit', limit)), { code: 'invalid_request', message: /1 to 1000/ });
    });

    t.test('the cost of a promotion does not grow with the queue', async (t) => {
      const costs: Record<string, number>[] = [];
      for (const length of [10, 10_000]) {
        const group = `len ${length}`;
        const names = await queueUp(
          first.database,
          (tx, run) => first.leases.acquire(tx, ask(run, group)),
          group,
          length,
        );
        const counts: Record<string, number> = {};
        for (const [what, work] of Object.entries({
          promotion: (tx: Transaction) => first.leases.releaseRuns(tx, [names[0]!]),
          arrival: (tx: Transaction) => first.leases.acquire(tx, ask(`len_${length}_last`, group)),
          replacing: (tx: Transaction) =>
            first.leases.replaceEarlier(tx, owner(`len_${length}_last`), { holders: true }),
          after: (tx: Transaction) => first.leases.releaseRuns(tx, [names[1]!]),
        }))
          counts[what] = await within((tx) => counting(tx, work));
        costs.push(counts);
        t.match(await groupOf(first.database, SCOPE, group), {
          holder: { run_id: `len_${length}_last` },
          queue_length: length,
        });
        await first.database.write('DELETE FROM locks_tickets WHERE run_id LIKE ?', ['len_%']);
      }
      t.same(costs[0], costs[1]);
    });
  });
