import type { Test } from 'tap';
import type { Sealer } from '../../../kernel/contracts/index.ts';
import type { Json, NewRun } from '../../../plugins/engine/runs/contract.ts';
import { readRun } from '../../../plugins/engine/runs/store/read/reading.ts';
import { codeOf, type Scenario, refOf, text, until, waitFor } from './scenario.ts';

const read = (h: Scenario, run_id: string) =>
  readRun(h.first.database, h.first.sealer as Sealer, h.run(run_id), run_id);
const outside = (position: number, args: Json = {}) => waitFor(position, 'it', { kind: 'outside', args });

/** What other plugins do inside the engine's transactions, and what they hear of them. */
export function outsideSuite(t: Test, scenario: () => Scenario): void {
  t.test('runs are made in the transaction of somebody else, or not at all', async (t) => {
    const h = scenario();
    const { database, store, heard, sealer } = h.first;
    // What a run begins with is sealed, and no key can be loaded inside of a transaction.
    await sealer.prepare(h.org_id);
    const [one, two] = [h.newRun({ cancel_on: ['stop'] }), h.newRun({ requires: ['rare'] })];
    const before = heard.work;
    const results = await database.transaction(async (tx) => store.createIn(tx, [one, two]));
    t.same(
      results.map(({ run_id, duplicate }) => [run_id, duplicate]),
      [
        [one.run_id, false],
        [two.run_id, false],
      ],
    );
    t.equal(heard.work, before + 1, 'work is announced after the commit');
    const again = await database.transaction((tx) => store.createIn(tx, [one]));
    t.match(again, [{ run_id: one.run_id, duplicate: true }], 'an id is a run (I8)');
    const lost = h.newRun({ requires: ['rarer'] });
    await codeOf(
      database.transaction(async (tx) => {
        await store.createIn(tx, [lost]);
        throw new Error('rolled back');
      }),
    );
    t.equal(await h.count('runs_runs', 'run_id = ?', [lost.run_id]), 0);
    t.equal(heard.work, before + 1, 'what is rolled back wakes nobody');
    await store.createRun(lost);
    const claims = await store.claim(h.agent(['rare', 'rarer']), 5, 600_000);
    t.same(
      claims.map(({ run_id }) => run_id),
      [one.run_id, two.run_id, lost.run_id],
      'lanes of what was rolled back are made again',
    );
    t.same((await read(h, one.run_id)).cancel_on, ['stop']);
  });

  t.test('who observes submits hears of each run once, and can refuse it', async (t) => {
    const h = scenario();
    const { store, heard } = h.first;
    const known = (runs: readonly NewRun[]) => runs.map(({ run_id }) => run_id);
    const run = h.newRun({ idempotency_key: 'once' });
    await store.createRun(run);
    await store.createRun(h.newRun({ idempotency_key: 'once' }));
    t.same(known(heard.submitted), [run.run_id]);
    t.equal(await codeOf(store.createRun(h.newRun({ tags: ['refuse'] }))), 'forbidden');
    const many = ['a', 'refuse', 'b'].map((tag) => h.newRun({ tags: [tag] }));
    const codes = await Promise.all(many.map((one) => codeOf(store.createRun(one))));
    t.same(codes, [undefined, 'forbidden', undefined], 'a refusal takes nobody else down');
    t.equal(heard.submitted.length, 3);
  });

  t.test('a verb prepares before its transaction, and knows its place', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const call = { position: 0, kind: 'prepared', name: '', ordinal: 0, digest: '', started_at: 1 };
    t.equal(await codeOf(h.store.perform(refOf(claim), { ...call, args: 'refuse' })), 'forbidden');
    t.equal(text(await h.store.perform(refOf(claim), { ...call, args: null })), `0 ${claim.run_id} true`);
  });

  t.test('a kind registers what is armed and hears how it ends: resolved, expired, cancelled', async (t) => {
    const h = scenario();
    const { store, heard } = h.first;
    const resolved = await h.started();
    await store.park(refOf(resolved), outside(0));
    const expired = await h.started();
    await store.park(refOf(expired), { ...outside(0), timeout_ms: 1 });
    const cancelled = await h.started();
    await store.park(refOf(cancelled), outside(0));
    const names = [resolved, expired, cancelled].map(({ run_id }) => `${run_id} 0`);
    t.same(heard.armed, names);
    const wait = { run_id: resolved.run_id, activity_id: resolved.activity_id, position: 0 };
    const both = [wait, { ...wait, position: 7 }];
    const resolve = () =>
      h.first.database.transaction((tx) =>
        store.resolveAll(tx, both, () => ({ exit_code: 0, output: Buffer.alloc(0) })),
      );
    t.match(await resolve(), [wait]);
    t.same(await resolve(), [], 'one outcome a wait (I9)');
    await until(async () => (await store.resolveDue(10)).resolved === 0 && heard.ended.length === 2);
    const by = { event: 'evt_9', type: 'stop' };
    await store.cancelRun({ ...h.run(cancelled.run_id), reason: 'stopped', cancelled_by: by });
    t.same(heard.ended.toSorted(), names.toSorted());
    t.match(await read(h, cancelled.run_id), { status: 'cancelled', cancelled_by: by, reason: 'stopped' });
  });

  t.test('what was decided before the time was over wins over the timeout', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.park(refOf(claim), { ...outside(0, { late: true }), timeout_ms: 1 });
    await until(async () => {
      await h.store.resolveDue(10);
      return (await read(h, claim.run_id)).status === 'running';
    });
    const [record] = (await h.claim()).journal;
    t.match(record, { exit_code: 0 });
    t.equal(text(record!), 'late');
  });

  t.test('an envelope that a run refers to is read when its work is handed out', async (t) => {
    const h = scenario();
    const envelope = { type: 'build.done', $ref: 'kept:evt_1' };
    await h.submit({ envelope, trigger: { type: 'build.done' }, triggered: true });
    t.same((await h.claim()).envelope, { type: 'build.done', event: 'evt_1', payload: { big: true } });
    const gone = await h.submit({
      envelope: { type: 'x', $ref: 'kept:evt_2' },
      trigger: { type: 'x' },
      triggered: true,
    });
    t.same(await h.store.claim(h.agent(), 1, 600_000), []);
    t.match(await read(h, gone.run_id), { status: 'failed', error: { code: 'envelope_gone' } });
  });
}
