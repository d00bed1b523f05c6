import t from 'tap';
import { Errors } from '../../../../kernel/contracts/index.ts';
import { type Run, type RunStatus, waitOf } from '../contract.ts';
import type { WaitCaller } from './run-waiters.ts';
import { MAX_WAITING_IN_PROJECT, MAX_WAITING_OF_A_USER, RunWaits } from './run-waits.ts';
import { VirtualClock } from '../../../../test/kit/index.ts';

const SCOPE = { org_id: 'org_1', project_id: 'prj_1' };
const FOREIGN = { org_id: 'org_2', project_id: 'prj_9' };

function world() {
  const clock = new VirtualClock();
  const listeners = new Set<(over: boolean) => void>();
  const state = { status: 'running' as RunStatus, reads: 0, failure: undefined as Error | undefined };
  const tell = (over: boolean) => {
    for (const listen of [...listeners]) listen(over);
  };
  const waits = new RunWaits({
    clock,
    watch: {
      watch(_run_id, changed) {
        listeners.add(changed);
        return () => void listeners.delete(changed);
      },
    },
    read: async ({ project_id }) => {
      state.reads += 1;
      if (state.failure) throw state.failure;
      if (project_id !== SCOPE.project_id) throw Errors.notFound('no such run in this project');
      return { run_id: 'run_1', status: state.status } as Run;
    },
    present: (run) => ({ ...run, trace_url: 'here' }),
  });
  const idle = () => listeners.size === 0 && clock.armed === 0;
  return { clock, state, tell, waits, idle, waiting: () => listeners.size };
}

const { signal } = new AbortController();
const callerOf = (user_id: string, admitted = async () => {}): WaitCaller => ({ key: user_id, user_id, admitted });
const caller = callerOf('usr_1');
const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test('a run that is over is answered at once', async (t) => {
  const { state, waits, idle } = world();
  state.status = 'failed';
  t.match(await waits.until(SCOPE, 'run_1', { caller, wait_ms: 60_000, signal }), { status: 'failed' });
  t.equal(state.reads, 1);
  t.ok(idle());
});

t.test('a run that has ended in its submit is answered from memory', async (t) => {
  const { state, waits, idle } = world();
  const ended = { run_id: 'run_1', status: 'succeeded' } as Run;
  const answer = await waits.until(SCOPE, 'run_1', { caller, wait_ms: 60_000, signal, status: 'succeeded', ended });
  t.same(answer, { ...ended, trace_url: 'here' });
  t.equal(state.reads, 0);
  t.ok(idle());
});

t.test('the end answers, and other changes read nothing', async (t) => {
  const { state, tell, waits, idle } = world();
  const answer = waits.until(SCOPE, 'run_1', { caller, wait_ms: 60_000, signal, status: 'queued' });
  await settled();
  for (let i = 0; i < 1000; i++) tell(false);
  await settled();
  t.equal(state.reads, 0);
  state.status = 'succeeded';
  tell(true);
  t.match(await answer, { status: 'succeeded' });
  t.equal(state.reads, 1);
  t.ok(idle());
});

t.test('a run that ends elsewhere before it is watched is noticed by the first look', async (t) => {
  const { state, tell, waits, idle } = world();
  state.status = 'cancelled';
  const answer = waits.until(SCOPE, 'run_1', { caller, wait_ms: 60_000, signal, status: 'running' });
  await settled();
  tell(true);
  t.match(await answer, { status: 'cancelled' });
  t.ok(idle());
});

t.test('a wake-up that comes before its row can be read waits on', async (t) => {
  const { state, tell, waits, waiting } = world();
  const answer = waits.until(SCOPE, 'run_1', { caller, wait_ms: 60_000, signal });
  await settled();
  tell(true);
  await settled();
  t.equal(waiting(), 1, 'it waits again');
  state.status = 'succeeded';
  tell(true);
  t.match(await answer, { status: 'succeeded' });
});

t.test('after the time the run is answered as it is', async (t) => {
  const { clock, waits, idle } = world();
  const answer = waits.until(SCOPE, 'run_1', { caller, wait_ms: 30_000, signal });
  await settled();
  await clock.advance(29_999);
  let done = false;
  void answer.then(() => {
    done = true;
  });
  await settled();
  t.notOk(done);
  await clock.advance(1);
  t.match(await answer, { status: 'running' });
  t.ok(idle());
  t.match(await waits.until(SCOPE, 'run_1', { caller, wait_ms: 0, signal }), { status: 'running' });
});

t.test('a stop answers the run as it is; a caller that is gone frees the wait', async (t) => {
  const { state, waits, idle } = world();
  const stop = new AbortController();
  const stopped = waits.until(SCOPE, 'run_1', { caller, wait_ms: 30_000, signal: stop.signal });
  await settled();
  stop.abort(Errors.unavailable('the server is stopping'));
  t.match(await stopped, { status: 'running' });
  t.match(await waits.until(SCOPE, 'run_1', { caller, wait_ms: 30_000, signal: stop.signal, status: 'queued' }), {
    status: 'running',
  });
  const gone = new AbortController();
  const left = waits.until(SCOPE, 'run_1', { caller, wait_ms: 30_000, signal: gone.signal, status: 'queued' });
  await settled();
  const reads = state.reads;
  gone.abort(new Error('the caller closed the connection'));
  await t.rejects(left, { message: 'the caller closed the connection' });
  t.equal(state.reads, reads, 'nothing is read for nobody');
  t.ok(idle());
});

t.test('a database that fails ends the wait with its error', async (t) => {
  const { state, waits, idle } = world();
  state.failure = new Error('gone away');
  await t.rejects(waits.until(SCOPE, 'run_1', { caller, wait_ms: 30_000, signal }), { message: 'gone away' });
  t.ok(idle());
});

t.test('who asks for the run of another project does not spoil the wait of its own', async (t) => {
  const { state, tell, waits, idle } = world();
  const asked = { caller, wait_ms: 60_000, signal };
  const foreign = waits.until(FOREIGN, 'run_1', asked);
  const own = waits.until(SCOPE, 'run_1', asked);
  await t.rejects(foreign, { code: 'not_found' });
  state.status = 'succeeded';
  tell(true);
  t.match(await own, { status: 'succeeded' });
  t.ok(idle());
});

t.test('a project has a bound, and others are not touched by it', async (t) => {
  const { waits } = world();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const own = (nth: number) => callerOf(`usr_${Math.floor(nth / MAX_WAITING_OF_A_USER)}`);
  const last = callerOf('usr_last');
  const all = Array.from({ length: MAX_WAITING_IN_PROJECT }, (_, nth) => waits.holding(SCOPE, own(nth), () => held));
  let begun = false;
  const more = waits.holding(SCOPE, last, async () => {
    begun = true;
  });
  await t.rejects(more, { code: 'rate_limited', extras: { retryAfterMs: 1000 } });
  t.notOk(begun, 'nothing is done for a caller that may not wait');
  const elsewhere = { ...SCOPE, project_id: 'prj_2' };
  t.equal(await waits.holding(elsewhere, last, async () => 1), 1);
  await t.rejects(
    waits.holding(elsewhere, own(0), async () => 1),
    { code: 'rate_limited', message: /2000 of your requests/ },
    'a user has a bound of its own, in all projects',
  );
  t.equal(waits.size, MAX_WAITING_IN_PROJECT);
  release();
  await Promise.all(all);
  t.equal(waits.size, 0);
  t.equal(await waits.holding(SCOPE, own(0), async () => 2), 2);
  await t.rejects(
    waits.holding(SCOPE, last, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
});

/** A caller who is refused as soon as there is a refusal. */
function refusable(key: string) {
  const state = { asked: 0, refusal: undefined as Error | undefined };
  const admitted = async () => {
    state.asked += 1;
    if (state.refusal) throw state.refusal;
  };
  return { state, caller: callerOf(key, admitted) };
}

t.test('whoever is let in no more is told nothing of the end', async (t) => {
  const { state, tell, waits, idle } = world();
  const [revoked, other, removed] = [refusable('revoked'), refusable('other'), refusable('removed')];
  const asked = { wait_ms: 60_000, signal };
  const answers = Array.from({ length: 3 }, () => waits.until(SCOPE, 'run_1', { ...asked, caller: revoked.caller }));
  const let_in = waits.until(SCOPE, 'run_1', { ...asked, caller: other.caller });
  const gone = waits.until(SCOPE, 'run_1', { ...asked, caller: removed.caller });
  await settled();
  revoked.state.refusal = Errors.notAuthenticated('the token was revoked');
  removed.state.refusal = Errors.notFound('no such project, or you are not a member of it');
  state.status = 'succeeded';
  tell(true);
  for (const answer of answers) await t.rejects(answer, { code: 'not_authenticated' });
  // What is not found may be looked for once more, which would begin the wait anew.
  await t.rejects(gone, { code: 'forbidden' });
  t.match(await let_in, { status: 'succeeded' });
  t.equal(revoked.state.asked, 1, 'those who have the same answer are asked for once');
  t.ok(idle());
});

t.test('a wait ends a few seconds after its caller is let in no more', async (t) => {
  const { clock, waits, idle } = world();
  const own = refusable('own');
  const wait = waits.until(SCOPE, 'run_1', { caller: own.caller, wait_ms: 600_000, signal });
  await settled();
  await clock.advance(5000);
  await settled();
  t.equal(own.state.asked, 1);
  own.state.refusal = Errors.notAuthenticated('the token was revoked');
  const refused = t.rejects(wait, { code: 'not_authenticated' });
  await clock.advance(5000);
  await refused;
  t.equal(own.state.asked, 2);
  t.ok(idle(), 'nobody is asked for any more');
});

t.test('a rate that is used up ends no wait, and gives no answer to whom nobody has let in', async (t) => {
  const { clock, state, tell, waits, idle } = world();
  const own = refusable('own');
  const wait = waits.until(SCOPE, 'run_1', { caller: own.caller, wait_ms: 600_000, signal });
  await settled();
  own.state.refusal = Errors.rateLimited('too many requests', { retryAfterMs: 1000 });
  const refused = t.rejects(wait, { code: 'rate_limited' });
  await clock.advance(20_000);
  t.ok(own.state.asked >= 1);
  t.notOk(idle(), 'it waits on');
  state.status = 'succeeded';
  tell(true);
  await refused;
  t.ok(idle());
});

t.test('durations', async (t) => {
  t.equal(waitOf({}), undefined);
  t.equal(waitOf({ wait: '0s' }), 0);
  t.equal(waitOf({ wait: '10m' }), 600_000);
  for (const wait of ['', 'x', '5', '-1s', '10m1s', '11m', '99999d', ' 5s'])
    t.throws(
      () => waitOf({ wait }),
      { code: 'invalid_request', extras: { errors: [{ pointer: '/query/wait' }] } },
      wait,
    );
});

t.test('many are answered in turns of the event loop, after one read', async (t) => {
  const { state, tell, waits, waiting, clock } = world();
  let answered = 0;
  const all = Array.from({ length: 1000 }, async () => {
    const run = await waits.until(SCOPE, 'run_1', { caller, wait_ms: 60_000, signal, status: 'queued' });
    answered += 1;
    return run;
  });
  await settled();
  t.equal(waiting(), 1, 'the run is watched once');
  t.equal(clock.armed, 2, 'all limits have one timer, and so has the question who is still let in');
  state.status = 'succeeded';
  tell(true);
  await settled();
  tell(true);
  let most = answered;
  for (let before = answered; answered < 1000; before = answered) {
    await settled();
    most = Math.max(most, answered - before);
  }
  t.ok(most <= 128, `${most} in a turn`);
  t.equal(state.reads, 1, 'told twice, and read once');
  for (const run of await Promise.all(all)) t.match(run, { status: 'succeeded' });
});

t.test('limits that end apart, and some that are taken back', async (t) => {
  const { clock, waits, idle } = world();
  const over: number[] = [];
  const gone = new AbortController();
  const spans = [500, 30, 90_000, 200, 30];
  for (const [i, wait_ms] of spans.entries())
    void waits.until(SCOPE, `run_${i}`, { caller, wait_ms, signal, status: 'queued' }).then(() => over.push(wait_ms));
  const left = waits.until(SCOPE, 'run_9', { caller, wait_ms: 10, signal: gone.signal, status: 'queued' });
  await settled();
  gone.abort(new Error('gone'));
  await t.rejects(left, { message: 'gone' });
  for (const [ms, expected] of [
    [29, []],
    [1, [30, 30]],
    [170, [30, 30, 200]],
    [300, [30, 30, 200, 500]],
    [90_000, [30, 30, 200, 500, 90_000]],
  ] as const) {
    await clock.advance(ms);
    await settled();
    t.same(over, expected);
  }
  t.equal(clock.armed, 0);
  t.ok(idle());
});
