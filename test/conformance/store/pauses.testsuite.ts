import type { Test } from 'tap';
import { readRun } from '../../../plugins/engine/runs/store/read/reading.ts';
import { codeOf, type Scenario, refOf, step, waitFor } from './scenario.ts';

const read = (h: Scenario, run_id: string) => readRun(h.first.database, h.first.sealer, h.run(run_id), run_id);
const pause = (h: Scenario, run_id: string) => h.store.pauseRun({ ...h.run(run_id), name: 'ana', reason: 'upgrade' });
const resume = (h: Scenario, run_id: string) => h.store.resumeRun(h.run(run_id));

const claims = (h: Scenario) => h.store.claim(h.agent(), 2, 600_000);

/** pause and resume: nothing of a paused run is claimed, and all else goes on. */
export function pauseSuite(t: Test, scenario: () => Scenario): void {
  t.test('an activity of a paused run is claimed after the resume', async (t) => {
    const h = scenario();
    const { run_id } = await h.submit();
    t.match(await pause(h, run_id), { status: 'queued', paused: { by: 'ana', reason: 'upgrade' } });
    const first = (await read(h, run_id)).paused;
    t.same((await h.store.pauseRun({ ...h.run(run_id), name: 'bo', reason: 'other' })).paused, first);
    t.same(await claims(h), [], 'nothing to claim');
    t.equal((await resume(h, run_id)).paused, undefined);
    await resume(h, run_id);
    const claim = await h.claim();
    t.equal(claim.run_id, run_id);
    await h.store.complete(refOf(claim), { status: 'succeeded', output: null });
    t.equal(await codeOf(pause(h, run_id)), 'run_finished');
    t.equal(await codeOf(resume(h, run_id)), 'run_finished');
  });

  t.test('the agent of a paused run learns it, and what it records is stored', async (t) => {
    const h = scenario();
    const claim = await h.started();
    t.same(await h.store.append(refOf(claim), step(0)), {});
    await pause(h, claim.run_id);
    t.same(await h.store.append(refOf(claim), step(1)), { paused: true });
    t.same(await h.store.renew('agt_one', [refOf(claim)], 60_000), { lost: [], paused: [refOf(claim)] });
    await h.store.release(refOf(claim));
    t.same(await claims(h), []);
    await resume(h, claim.run_id);
    const again = await h.claim();
    t.equal(again.journal.length, 2);
    t.same(await h.store.append(refOf(again), step(2)), {});
    await h.store.complete(refOf(again), { status: 'succeeded', output: null });
  });

  t.test('a signal ends the wait of a paused run, which continues when it is resumed', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.park(refOf(claim), waitFor(0, 'go'));
    await pause(h, claim.run_id);
    const sent = await h.signal(claim.run_id, 'go', 7);
    t.equal(sent.state, 'taken');
    t.same(await claims(h), [], 'the first claim that finds it puts it off');
    t.same(await claims(h), []);
    await resume(h, claim.run_id);
    const again = await h.claim();
    t.equal(again.journal.length, 1);
    await h.store.complete(refOf(again), { status: 'succeeded', output: null });
  });

  t.test('a run is created paused, and a paused run is cancelled', async (t) => {
    const h = scenario();
    const { run_id } = await h.submit({ paused: { by: 'ana' } });
    t.match(await read(h, run_id), { status: 'queued', paused: { by: 'ana' } });
    t.same(await claims(h), []);
    const cancelled = await h.store.cancelRun({ ...h.run(run_id), reason: 'no' });
    t.match(cancelled, { status: 'cancelled', paused: undefined });
  });
}
