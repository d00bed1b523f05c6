import type { Test } from 'tap';
import type { RunStatus } from '../../../plugins/engine/runs/contract.ts';
import { readRun } from '../../../plugins/engine/runs/store/read/reading.ts';
import { codeOf, type Scenario, refOf, step, waitFor } from './scenario.ts';

type Transition = { type: string; payload: Record<string, unknown> };

const read = (h: Scenario, run_id: string) => readRun(h.first.database, h.first.sealer, h.run(run_id), run_id);
const lasts = (h: Scenario): Transition => h.first.heard.transitions.at(-1)! as Transition;

/** complete and cancel: one end a run, announced with it, nothing left open. */
export function finishSuite(t: Test, scenario: () => Scenario): void {
  t.test('a completion ends the run with its output', async (t) => {
    const h = scenario();
    const claim = await h.started({ subject: 'acme/app', tags: ['a:b'] });
    await h.store.complete(refOf(claim), { status: 'succeeded', output: { n: [1, 'é'] } });
    await h.store.complete(refOf(claim), { status: 'succeeded', output: { n: [1, 'é'] } });
    const run = await read(h, claim.run_id);
    t.match(run, { status: 'succeeded', output: { n: [1, 'é'] }, error: null, subject: 'acme/app', substate: null });
    t.ok(run.finished_at! >= run.started_at!);
    t.match(lasts(h), {
      type: 'run.succeeded',
      subject: 'acme/app',
      payload: { status: 'succeeded', output: { n: [1, 'é'] } },
    });
    t.equal(h.first.heard.transitions.length, 2, 'a repeat announces nothing');
    t.equal(await codeOf(h.store.complete(refOf(claim), { status: 'failed', code: 'x', message: '' })), 'lease_lost');
    t.equal(await codeOf(h.store.append(refOf(claim), step(0))), 'lease_lost');
  });

  t.test('a failure keeps the end of its text, counted in code points', async (t) => {
    const h = scenario();
    const claim = await h.started({ trigger: { type: 'push', sha: 'abc', ref: null, paths: ['a'], forge: 'forge_a' } });
    const message = `${'😀'.repeat(5000)}end`;
    await h.store.complete(refOf(claim), { status: 'failed', code: 'step_failed', message, exit_code: 3 });
    t.match(await read(h, claim.run_id), {
      status: 'failed',
      error: { code: 'step_failed', message },
      output: undefined,
    });
    const { payload } = lasts(h);
    t.equal([...(payload.error as string)].length, 4000);
    t.ok((payload.error as string).endsWith('😀end'));
    t.same(payload.trigger, { type: 'push', sha: 'abc', forge: 'forge_a' });
    t.notOk('output' in payload || 'reason' in payload);
  });

  t.test('what is announced is masked, first, and cut after; the record keeps the output', async (t) => {
    const h = scenario();
    const secret = 'hunter2-canary';
    const done = await h.started();
    await h.first.masks.remember(h.run(done.run_id), [secret]);
    await h.store.annotate(refOf(done), 0, `note ${secret}`);
    await h.store.complete(refOf(done), { status: 'succeeded', output: { [secret]: [`is ${secret}`, 1] } });
    t.same(lasts(h).payload.output, { '***': ['is ***', 1] });
    t.match(await read(h, done.run_id), { output: { [secret]: [`is ${secret}`, 1] }, annotations: ['note ***'] });

    const failed = await h.started();
    await h.first.masks.remember(h.run(failed.run_id), [secret]);
    // The cut at 4000 characters would fall into the value, and no mask would know the rest of it.
    const message = `${'y'.repeat(50)}${secret}${'x'.repeat(3995)}`;
    await h.store.complete(refOf(failed), { status: 'failed', code: 'step_failed', message });
    t.equal(lasts(h).payload.error, `yy***${'x'.repeat(3995)}`);
    t.match(await read(h, failed.run_id), { error: { message: `${'y'.repeat(50)}***${'x'.repeat(3995)}` } });
  });

  t.test('odd completions never leave a run open', async (t) => {
    const h = scenario();
    for (const completion of [
      { status: 'succeeded' as const, output: 'x'.repeat(5 * 1024 * 1024) },
      { status: 'failed' as const, code: 'Not A Code\n', message: 'x'.repeat(200_000), exit_code: Number.NaN },
    ]) {
      const claim = await h.started();
      await h.store.complete(refOf(claim), completion);
      t.equal((await read(h, claim.run_id)).status, 'failed');
    }
  });

  t.test('a run of several activities ends with the last of them', async (t) => {
    const h = scenario();
    const { run_id } = await h.submit({}, 3);
    const claims = await h.store.claim(h.agent(), 3, 600_000);
    await h.store.complete(refOf(claims[0]!), { status: 'succeeded', output: 1 });
    await h.store.park(refOf(claims[1]!), waitFor(0, 'go'));
    await h.store.complete(refOf(claims[2]!), { status: 'succeeded', output: 3 });
    t.equal((await read(h, run_id)).status, 'waiting');
    await h.signal(run_id, 'go');
    await h.store.complete(refOf(await h.claim()), { status: 'succeeded', output: 2 });
    t.match(await read(h, run_id), { status: 'succeeded', output: { 'job-0': 1, 'job-1': 2, 'job-2': 3 } });
    const failing = await h.submit({}, 2);
    const two = await h.store.claim(h.agent(), 2, 600_000);
    await h.store.complete(refOf(two[0]!), { status: 'failed', code: 'first', message: 'm' });
    t.equal((await read(h, failing.run_id)).status, 'running');
    await h.store.complete(refOf(two[1]!), { status: 'succeeded', output: null });
    t.match(await read(h, failing.run_id), { status: 'failed', error: { code: 'first' } });
  });

  t.test('a cancel ends everything that is open, from every status', async (t) => {
    const h = scenario();
    const reason = `why ${'é'.repeat(5000)}`;
    const cancel = (run_id: string) => h.store.cancelRun({ ...h.run(run_id), reason });
    const queued = await h.submit();
    t.match(await cancel(queued.run_id), { status: 'cancelled', reason, started_at: undefined });
    t.same(await h.store.claim(h.agent(), 5, 600_000), [], 'nothing of it is handed out');
    const { run_id } = await h.submit({}, 3);
    const [parked, running] = await h.store.claim(h.agent(), 2, 600_000);
    await h.store.park(refOf(parked!), waitFor(0, 'go', { timeout_ms: 3_600_000 }));
    t.match(await cancel(run_id), { status: 'cancelled', substate: null });
    t.match(await cancel(run_id), { status: 'cancelled' }, 'a repeat answers the same');
    t.match(
      h.first.heard.revoked,
      [
        { ...refOf(parked!), agent_id: null, reason: /cancelled: / },
        { ...refOf(running!), agent_id: 'agt_one', reason: /cancelled: / },
      ],
      'the agent that parked one may still have its program',
    );
    t.equal([...(lasts(h).payload.reason as string)].length, 4000);
    t.equal(h.first.heard.transitions.filter(({ type }) => type === 'run.cancelled').length, 2);
    t.equal(await codeOf(h.store.complete(refOf(running!), { status: 'succeeded', output: null })), 'lease_lost');
    t.same(await h.store.park(refOf(parked!), waitFor(0, 'go')), { parked: true }, 'a repeat of what it had done');
    t.equal(await codeOf(h.store.park(refOf(running!), waitFor(0, 'go'))), 'lease_lost');
    t.equal(
      await codeOf(h.store.appendLogs(refOf(running!), [{ n: 0, stream: 'stdout', at: 1, data: '' }])),
      'lease_lost',
    );
    t.same(await h.store.renew('agt_one', [refOf(running!)], 600_000), { lost: [refOf(running!)] });
    t.equal(await codeOf(h.signal(run_id, 'go')), 'run_finished');
    const other = { ...h.run(run_id), project_id: 'prj_other', reason: '' };
    t.equal(await codeOf(h.store.cancelRun(other)), 'not_found');
    const done = await h.started();
    await h.store.complete(refOf(done), { status: 'succeeded', output: null });
    t.equal(await codeOf(cancel(done.run_id)), 'run_finished');
  });

  t.test('of a cancel and a completion one wins, and both sides agree (I13)', async (t) => {
    const h = scenario();
    await Promise.all(Array.from({ length: 40 }, () => h.submit()));
    const claims = await h.store.claim(h.agent(), 40, 600_000);
    const ends = await Promise.all(
      claims.flatMap((claim, i) => {
        const [a, b] = i % 2 === 0 ? [h.first, h.other] : [h.other, h.first];
        return [
          codeOf(a.store.complete(refOf(claim), { status: 'succeeded', output: i })),
          codeOf(b.store.cancelRun({ ...h.run(claim.run_id), reason: 'race' })),
        ];
      }),
    );
    for (const [i, { run_id }] of claims.entries()) {
      const [completed, cancelled] = [ends[2 * i], ends[2 * i + 1]];
      const expected: RunStatus = completed === undefined ? 'succeeded' : 'cancelled';
      t.equal((await read(h, run_id)).status, expected);
      t.equal(cancelled, expected === 'cancelled' ? undefined : 'run_finished');
      t.equal(completed, expected === 'cancelled' ? 'lease_lost' : undefined);
    }
    t.equal(h.announced('run.succeeded', 'run.cancelled'), 40);
  });

  t.test('a cancel races claims, parks and signals without leaving anything open', async (t) => {
    const h = scenario();
    const runs = await Promise.all(Array.from({ length: 30 }, () => h.submit({}, 2)));
    const claims = await h.store.claim(h.agent(), 30, 600_000);
    await Promise.all([
      ...runs.map(({ run_id }) => h.other.store.cancelRun({ ...h.run(run_id), reason: '' })),
      ...claims.map((claim) => codeOf(h.store.park(refOf(claim), waitFor(0, 'go')))),
      ...runs.map(({ run_id }) => codeOf(h.signal(run_id, 'go'))),
      ...Array.from({ length: 6 }, (_, i) =>
        (i % 2 === 0 ? h.first : h.other).store.claim(h.agent([], `agt_${i}`), 10, 600_000),
      ),
    ]);
    t.equal(await h.count('runs_activities', "project_id = ? AND state <> 'cancelled'", [h.project_id]), 0);
    t.equal(await h.count('runs_waits', "project_id = ? AND state = 'armed'", [h.project_id]), 0);
  });
}
