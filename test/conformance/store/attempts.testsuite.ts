import type { Test } from 'tap';
import { insertRows } from '../../../kernel/contracts/index.ts';
import type { FailedAttempt } from '../../../plugins/engine/runs/contract.ts';
import { createRunReader } from '../../../plugins/engine/runs/store/read/run-reader.ts';
import { sealContext } from '../../../plugins/engine/runs/store/rows/sealing.ts';
import { StepViews } from '../../../plugins/operations/run-views/service/step-views.ts';
import { codeOf, refOf, type Scenario, step, until } from './scenario.ts';

const failed = (attempt: number, over: Partial<FailedAttempt> = {}): FailedAttempt => ({
  ...{ position: 0, kind: 'step', name: 'try', ordinal: 0, digest: '', started_at: 1_700_000_000_000 },
  ...{ attempt, attempts: 5, exit_code: 7, output: Buffer.from(`try ${attempt}\n`).toString('base64') },
  ...{ pause_ms: 0, park: false },
  ...over,
});

/** attempt: what failed is kept beside the journal, and whoever claims next goes on counting. */
export function attemptSuite(t: Test, scenario: () => Scenario): void {
  t.test('attempts are counted over passes, and a repeat is the same attempt', async (t) => {
    const h = scenario();
    const claim = await h.started();
    t.equal(claim.tried, undefined);
    t.same(await h.store.attempt(refOf(claim), failed(1)), { kept: true });
    t.same(await h.store.attempt(refOf(claim), failed(1)), { kept: true }, 'its answer was lost');
    t.same(await h.store.attempt(refOf(claim), failed(2, { pause_ms: 60_000 })), { kept: true });
    t.equal(await h.count('runs_attempts', 'run_id = ?', [claim.run_id]), 2);
    await h.store.release(refOf(claim));
    const next = await h.claim('agt_two');
    t.match(next, { epoch: 2, tried: { position: 0, kind: 'step', name: 'try', ordinal: 0, attempts: 2 } });
    const left = next.tried!.pause_ms;
    t.ok(left > 0 && left <= 60_000, `${left} ms are left`);
    t.equal(await codeOf(h.store.attempt(refOf(claim), failed(3))), 'lease_lost', 'the first claim is over');
    await h.store.append(refOf(next), step(0, { name: 'try' }));
    t.equal(await codeOf(h.store.attempt(refOf(next), failed(3))), 'journal_conflict', 'it has its record');
    await h.store.release(refOf(next));
    t.equal((await h.claim()).tried, undefined, 'a call with a record is not tried any more');
  });

  t.test('what does not follow is refused, and keeps nothing', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const keeps = (one: FailedAttempt) => codeOf(h.store.attempt(refOf(claim), one));
    t.equal(await keeps(failed(2)), 'journal_conflict', 'the first is missing');
    t.equal(await keeps(failed(1, { position: 1 })), 'journal_conflict', 'a gap');
    t.equal(await keeps(failed(1)), undefined);
    t.equal(await keeps(failed(2, { name: 'other' })), 'journal_conflict', 'another call');
    const large = [failed(1, { output: 'A'.repeat(8000) }), failed(1, { message: 'm'.repeat(2049) })];
    for (const wrong of [failed(100), failed(0), ...large, failed(1, { pause_ms: -1 })])
      t.equal(await keeps(wrong), 'invalid_request');
    t.equal(await h.count('runs_attempts', 'run_id = ?', [claim.run_id]), 1);
  });

  t.test('a long pause parks, and its end is no record: the call is made again, and may park again', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const parks = { pause_ms: 20, park: true };
    t.same(await h.store.attempt(refOf(claim), failed(1, parks)), { parked: true });
    t.same(await h.store.attempt(refOf(claim), failed(1, parks)), { parked: true }, 'its answer was lost');
    t.equal(await h.count('runs_waits', "run_id = ? AND state = 'armed' AND kind = 'retry'", [claim.run_id]), 1);
    t.same(await h.store.claim(h.agent(), 1, 600_000), [], 'a parked activity holds no agent');
    await until(async () => {
      await h.other.store.resolveDue(10);
      return (await h.count('runs_waits', 'run_id = ?', [claim.run_id])) === 0;
    });
    const next = await h.claim();
    t.match(next, { epoch: 2, journal: [], tried: { attempts: 1, pause_ms: 0 } });
    t.same(await h.store.attempt(refOf(next), failed(2, parks)), { parked: true });
    await until(async () => {
      await h.store.resolveDue(10);
      return (await h.count('runs_waits', 'run_id = ?', [claim.run_id])) === 0;
    });
    const last = await h.claim();
    t.match(last.tried, { attempts: 2 });
    await h.store.append(refOf(last), step(0, { name: 'try' }));
    await h.store.complete(refOf(last), { status: 'succeeded', output: null });
    t.equal(await h.count('runs_journal', 'run_id = ?', [claim.run_id]), 1, 'one record');
  });

  t.test('a cancelled run tries nothing again', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.attempt(refOf(claim), failed(1, { pause_ms: 1, park: true }));
    await h.store.cancelRun({ ...h.run(claim.run_id), reason: 'enough' });
    await h.store.resolveDue(10);
    t.same(await h.store.claim(h.agent(), 1, 600_000), []);
  });

  t.test('a run whose time is over fails, whatever it does, and others do not', async (t) => {
    const h = scenario();
    const late = await h.submit({ timeout_ms: 1 });
    const waiting = await h.claim();
    await h.store.attempt(refOf(waiting), failed(1, { pause_ms: 60_000, park: true }));
    const early = await h.submit({ timeout_ms: 3_600_000 });
    const ended = await h.submit({ timeout_ms: 1 });
    for (const claim of await h.store.claim(h.agent(), 2, 600_000))
      if (claim.run_id === ended.run_id) await h.store.complete(refOf(claim), { status: 'succeeded', output: 1 });
    await until(async () => {
      const { next } = await h.other.store.endOverdue(100);
      return next !== null && (await h.count('runs_deadlines', 'project_id = ?', [h.project_id])) === 1;
    });
    const statuses = await h.first.database.read<{ run_id: string; status: string; error_code: string | null }>(
      'SELECT run_id, status, error_code FROM runs_runs WHERE project_id = ?',
      [h.project_id],
    );
    const of = ({ run_id }: { run_id: string }) => statuses.find((one) => one.run_id === run_id);
    t.match(of(late), { status: 'failed', error_code: 'deadline_exceeded' });
    t.match(of(early), { status: 'running' });
    t.match(of(ended), { status: 'succeeded' });
    t.equal(await codeOf(h.store.append(refOf(waiting), step(0, { name: 'try' }))), 'lease_lost');
  });

  t.test('a run that cannot be ended keeps no other from its end', async (t) => {
    const h = scenario();
    const [stuck, late] = [await h.submit({ timeout_ms: 1 }), await h.submit({ timeout_ms: 2 })];
    const { database, sealer } = h.first;
    const prepare = sealer.prepare.bind(sealer);
    sealer.prepare = async (org_id) => {
      if (org_id === 'org_locked') throw new Error('its key is not there');
      await prepare(org_id);
    };
    const move = (org_id: string) =>
      database.transaction((tx) =>
        tx.write('UPDATE runs_deadlines SET org_id = ? WHERE run_id = ?', [org_id, stuck.run_id]),
      );
    await move('org_locked');
    await until(async () => {
      const failure = await codeOf(h.store.endOverdue(100));
      return (
        (failure ?? '').includes('its key') && (await h.count('runs_deadlines', 'run_id = ?', [late.run_id])) === 0
      );
    });
    t.equal(await h.count('runs_runs', "run_id = ? AND status = 'failed'", [late.run_id]), 1);
    t.equal(await h.count('runs_runs', "run_id = ? AND status = 'failed'", [stuck.run_id]), 0);
    sealer.prepare = prepare;
    await move(h.org_id);
    await h.store.endOverdue(100);
    t.equal(await h.count('runs_runs', "run_id = ? AND status = 'failed'", [stuck.run_id]), 1);
  });

  t.test('the deadlines of runs that have ended go together', async (t) => {
    const h = scenario();
    for (let n = 0; n < 5; n += 1) {
      const claim = await h.started({ timeout_ms: 1 });
      await h.store.complete(refOf(claim), { status: 'succeeded', output: n });
    }
    const commits = t.capture(h.first.database, 'transaction', h.first.database.transaction.bind(h.first.database));
    await until(async () => {
      await h.store.endOverdue(100);
      return (await h.count('runs_deadlines', 'project_id = ?', [h.project_id])) === 0;
    });
    t.ok(commits().length <= 2, 'the last may be due a millisecond later');
    t.equal(await h.count('runs_runs', "project_id = ? AND status = 'succeeded'", [h.project_id]), 5);
  });

  t.test('steps after more attempts than a page reads are found', async (t) => {
    const h = scenario();
    const run = await h.submit({}, 7);
    const claims = (await h.store.claim(h.agent(), 7, 600_000)).sort((a, b) =>
      a.activity_id < b.activity_id ? -1 : 1,
    );
    const last = claims.pop()!;
    await h.store.append(refOf(last), step(0));
    const { database, sealer, masks } = h.first;
    await sealer.prepare(h.org_id);
    for (const { activity_id, run_id } of claims) {
      const rows = Array.from({ length: 99 }, (_, i) => {
        const at = { run_id, activity_id, position: 0, attempt: i + 1 };
        const output = sealer.seal(sealContext.attempt(h, at, 'output'), Buffer.from('no'));
        return [run_id, activity_id, 0, i + 1, 100, 'step', 'try', 0, 1, output, 1, 1, 1, 1];
      });
      const columns =
        'run_id activity_id position attempt attempts kind name ordinal exit_code output epoch started_at ended_at next_at';
      await database.transaction((tx) => insertRows(tx, 'INSERT INTO runs_attempts', columns.split(' '), rows));
    }
    await h.store.cancelRun({ ...h.run(run.run_id), reason: 'enough' });
    const idle = { inFlight: async () => [], envelope_sources: [], tracer: undefined };
    const views = new StepViews(createRunReader({ database, sealer, ...idle }), masks);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await views.list(h, run.run_id, { limit: 100, cursor });
      names.push(...page.steps.map(({ name }) => name));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    t.same(names, ['step-0']);
  });
}
