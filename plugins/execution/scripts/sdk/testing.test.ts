import t from 'tap';
import {
  activity,
  activityCollect,
  activitySubmit,
  all,
  annotate,
  answer,
  call,
  emit,
  exec,
  lock,
  NonRetryableError,
  output,
  race,
  secret,
  sleep,
  state,
  step,
  StepError,
  SvcError,
  vars,
  verb,
  waitAny,
  waitAsk,
  waitEvent,
  WaitTimeoutError,
  waitSignal,
  workflow,
} from './sdk.mjs';
import { after, fail, replayRun, testRun } from './testing.mjs';

const order = workflow('order', { retry: { attempts: 3, backoff: '10s' } }, async (input: { sku: string }) => {
  const id = await step('reserve', ({ idempotencyKey }) => `${input.sku}-${idempotencyKey.length}`);
  await sleep('2d');
  const { by } = await waitSignal<{ by: string }>('approved', { timeout: '30d' });
  return { id, by, charge: await step('charge', () => 'paid') };
});

t.test('a run sleeps, waits and ends at once, and every pass replays from the top', async (t) => {
  const run = await testRun(order, { sku: 'a' }, { signals: { approved: { by: 'ana' } } });
  t.match(run, {
    status: 'succeeded',
    output: { id: 'a-64', by: 'ana', charge: 'paid' },
    passes: 5,
    elapsedMs: 172_800_000,
  });
  t.same(
    run.journal.map(({ kind, site, result }) => [kind, site, result]),
    [
      ['step', 'reserve#0', 'a-64'],
      ['sleep', '#0', undefined],
      ['wait-signal', 'approved#0', { by: 'ana' }],
      ['step', 'charge#0', 'paid'],
    ],
  );
  const calm = await testRun(order, { sku: 'a' }, { signals: { approved: { by: 'ana' } }, replayEveryCall: false });
  t.equal(calm.passes, 3);
});

t.test('what a test does not give is waited for, or times out', async (t) => {
  const late = await testRun(order, { sku: 'a' }, { signals: { approved: after('40d', { by: 'ana' }) } });
  t.match(late, {
    status: 'failed',
    error: { code: 'function_failed', cause: WaitTimeoutError },
    elapsedMs: 32 * 86_400_000,
  });
  const soon = await testRun(order, { sku: 'a' }, { signals: { approved: after('10d', { by: 'ana' }) } });
  t.match(soon, { status: 'succeeded', elapsedMs: 10 * 86_400_000 });
  const waiter = workflow('waiter', async () => await waitEvent('paid'));
  t.match(await testRun(waiter), { status: 'waiting', waitsFor: { kind: 'wait-event', name: 'paid' } });
  t.match(await testRun(waiter, undefined, { events: { paid: 5 } }), { output: { type: 'paid', payload: 5 } });
  t.match(await testRun(waiter, undefined, { timeout: '1h' }), {
    status: 'failed',
    error: { code: 'deadline_exceeded' },
    elapsedMs: 3_600_000,
  });
});

t.test('a test gives the variables of the project and its org', async (t) => {
  const teller = workflow('vars-teller', async () => vars().REGION ?? 'none');
  const looks = workflow('vars-looks', async (_input: undefined, context) => {
    const in_step = await step('look', () => vars().REGION);
    return {
      in_step,
      same: context.vars === vars(),
      own: [secret('REGION'), secret('TIER'), context.env.TIER],
      called: await call(teller),
      all: vars(),
    };
  });
  const given = { vars: { REGION: 'eu', TIER: 'gold' }, env: { TIER: 'of-env' } };
  const run = await testRun(looks, undefined, given);
  t.match(run, { status: 'succeeded' });
  t.same(run.output, {
    in_step: 'eu',
    same: true,
    own: ['eu', 'of-env', 'of-env'],
    called: 'eu',
    all: given.vars,
  });
  t.match(await replayRun(looks, run.journal, given), { outcome: 'same' });
  t.equal((await testRun(teller)).output, 'none');
  t.match(await replayRun(looks, run.journal), { outcome: 'ended' }, 'secret() fails without them');

  const writes = workflow('vars-writes', async () => {
    (vars() as Record<string, string>).REGION = 'us';
  });
  t.match(await testRun(writes, undefined, given), { status: 'failed', error: { cause: TypeError } });
  t.equal(given.vars.REGION, 'eu');
  await t.rejects(testRun(teller, undefined, { vars: { N: 5 } as never }), {
    code: 'usage',
    message: /the variable N of a test must be a string, not a number/,
  });
  t.throws(() => vars(), SvcError, 'a program outside of runs has none');
});

t.test('a test asks a run, and gets its answers', async (t) => {
  const shop = workflow('shop', async () => {
    const first = await waitAsk<{ sku: string }>('price', { timeout: '1d' });
    const states = [await answer(first, { price: first.payload.sku.length })];
    const next = await waitAny({ asks: 'price', signals: 'close', timeout: '2d' });
    if (next.first === 'ask') states.push(await answer(next.id, 'none'));
    return { states, by: first.by, first: next.first };
  });
  const run = await testRun(shop, undefined, { asks: { price: [{ sku: 'lamp' }, after('30h', { sku: 'bed' })] } });
  t.same(run.output, { states: ['answered', 'answered'], by: null, first: 'ask' });
  t.same(run.answers, [
    { name: 'price', payload: { sku: 'lamp' }, answer: { price: 4 } },
    { name: 'price', payload: { sku: 'bed' }, answer: 'none' },
  ]);
  t.equal(run.elapsedMs, 30 * 3_600_000);
  t.match(await testRun(shop), { error: { message: 'the wait for the ask "price" did not end within 1d' } });
  const twice = workflow('answers-twice', async () => {
    const { id } = await waitAsk('price');
    await answer(id, 1);
    return await answer(id, 2);
  });
  t.match(await testRun(twice, undefined, { asks: { price: null } }), {
    error: { message: /has been answered already/ },
    answers: [{ answer: 1 }],
  });
});

t.test('signals of one name arrive one after the other', async (t) => {
  const twice = workflow('twice', async () => [await waitSignal('go'), await waitSignal('go')]);
  t.same((await testRun(twice, undefined, { signals: { go: ['text', null] } })).output, ['text', null]);
  t.match(await testRun(twice, undefined, { signals: { go: 1 } }), { status: 'waiting', waitsFor: { site: 'go#1' } });
});

t.test('steps are replaced by results, failures and functions; attempts and their pauses take no time', async (t) => {
  const signals = { approved: { by: 'ana' } };
  const failed = await testRun(order, { sku: 'a' }, { signals, steps: { charge: fail('declined') } });
  t.match(failed, { status: 'failed', error: { message: /charge.* declined/, cause: StepError } });
  t.equal(failed.elapsedMs, 2 * 86_400_000 + 20_000, 'two pauses between three attempts');
  const seen: (number | undefined)[] = [];
  const charge = ({ attempt, site, idempotencyKey }: { attempt?: number; site: string; idempotencyKey: string }) => {
    seen.push(attempt);
    t.match({ site, idempotencyKey }, { site: 'charge#0', idempotencyKey: /^[0-9a-f]{64}$/ });
    return attempt === 3 ? 'late' : fail('busy');
  };
  t.match(await testRun(order, { sku: 'a' }, { signals, steps: { charge } }), { output: { charge: 'late' } });
  t.same(seen, [1, 2, 3]);
  const final = await testRun(
    order,
    { sku: 'a' },
    { signals, steps: { charge: fail('stolen', { nonRetryable: true }) } },
  );
  t.match(final, { status: 'failed', elapsedMs: 2 * 86_400_000 });
});

t.test('a step of its own is attempted as its policy says', async (t) => {
  let attempts = 0;
  const tried = workflow('tried', async () =>
    step(
      'flaky',
      () => {
        attempts += 1;
        if (attempts === 2) throw new NonRetryableError('never');
        throw new Error('not yet');
      },
      { retry: { attempts: 5, backoff: '1h', maxBackoff: '2h' } },
    ),
  );
  t.match(await testRun(tried), { status: 'failed', error: { message: /never/ }, elapsedMs: 3_600_000, passes: 3 });
  t.equal(attempts, 2);
});

t.test('a retry of too many attempts is refused in the words of the SDK', async (t) => {
  const eager = workflow('eager', async () => step('call', () => 1, { retry: 500 }));
  t.match((await testRun(eager)).error, {
    code: 'function_failed',
    message: /retry needs a number of attempts from 1 to 100, including the first, not 500/,
  });
});

t.test('commands run as they are, unless they are replaced', async (t) => {
  const commands = workflow('commands', async () => [
    await step('echo', ['echo', 'hi']),
    (await exec('exit', ['sh', '-c', 'exit 3'])).exitCode,
  ]);
  t.same((await testRun(commands)).output, ['hi', 3]);
  t.same((await testRun(commands, undefined, { steps: { echo: '7', 'exit#0': fail('no', { exitCode: 9 }) } })).output, [
    '7',
    9,
  ]);
});

t.test('state, locks, events, notes, activities, calls and other verbs', async (t) => {
  const every = workflow('every', async () => {
    await state.set('n', { a: 1 });
    await state.set('x', 'text', { entity: 'e' });
    await emit('order.placed', { key: 'k', payload: [1] });
    await annotate('a note');
    await activitySubmit('thumb', ['convert'], { requires: 'gpu' });
    await output.set({ staged: true });
    return {
      cells: [
        await state.getJson('n'),
        await state.get('seed'),
        await state.get('none'),
        await state.list(),
        await state.list({ entity: 'e' }),
      ],
      lock: [await lock('deploy'), await lock('deploy', () => 'held')],
      activity: [await activityCollect('thumb'), await activity('count', ['wc'])],
      call: await call('price', { sku: 'a' }),
      verb: (await verb('greet', ['ana'])).text,
      secret: secret('KEY'),
    };
  });
  const run = await testRun(every, undefined, {
    state: { seed: 's' },
    activities: { thumb: 'done', count: () => '7' },
    calls: { price: (input: { sku: string }) => ({ of: input.sku }) },
    verbs: { greet: ([name]: readonly string[]) => `hi ${name}` },
    env: { KEY: 'k' },
  });
  t.same(run.output, {
    cells: [{ a: 1 }, 's', undefined, ['n', 'seed'], ['x']].map((one) => one ?? null),
    lock: [1, 'held'],
    activity: ['done', '7'],
    call: { of: 'a' },
    verb: 'hi ana',
    secret: 'k',
  });
  t.match(run, { notes: ['a note'], emitted: [{ type: 'order.placed', key: 'k', payload: [1] }] });
  await t.rejects(testRun(every), { code: 'test_result_missing', message: /activity "thumb"/ });
  const unknown = workflow('unknown', async () => (await verb('greet')).text);
  t.match(await testRun(unknown), { status: 'failed', error: { message: /no verb "greet"/ } });
});

t.test('an entity begins with the cells that the test gives, and the runs that the run calls share them', async (t) => {
  const sell = workflow('sell-seat', async ({ seat }: { seat: string }) => {
    if ((await state.get('status', { entity: seat })) !== 'free') return false;
    await state.set('status', 'sold', { entity: seat });
    return true;
  });
  const twice = workflow('sell-seat-twice', async (given: { seat: string }) => [
    await call(sell, given),
    await call(sell, given),
    await state.get('status', { entity: given.seat }),
    (await state.get('status')) ?? null,
  ]);
  const entities = { A1: { status: 'free' }, A2: { status: 'sold' } };
  t.same((await testRun(twice, { seat: 'A1' }, { entities })).output, [true, false, 'sold', null]);
  t.same((await testRun(twice, { seat: 'A2' }, { entities })).output, [false, false, 'sold', null]);
});

t.test('a call of a workflow of this process runs it in memory too', async (t) => {
  workflow('inner', async (input: number) => {
    if (input < 0) throw new Error('negative');
    return input + Number(await step('add', () => 1));
  });
  const outer = workflow('outer', async (input: number) => await call<number>('inner', input));
  t.match(await testRun(outer, 1), { status: 'succeeded', output: 2 });
  t.match(await testRun(outer, -1), { status: 'failed', error: { message: /negative/ } });
});

t.test('a workflow that is not deterministic fails its test with both calls', async (t) => {
  let passes = 0;
  const varies = workflow('varies', async () => {
    passes += 1;
    if (passes === 1) await step('first', () => 1);
    else await step('other', () => 1);
  });
  await t.rejects(testRun(varies), {
    code: 'determinism_violation',
    message:
      /recorded: step first#0\n {2}present: {2}step other#0\n {2}the recorded call is in: .*'first'.*\n.*'other'/,
  });
  let calls = 0;
  const shrinks = workflow('shrinks', async () => {
    calls += 1;
    if (calls === 1) await step('only', () => 1);
  });
  await t.rejects(testRun(shrinks), { code: 'determinism_violation', message: /present: {2}the end of the function/ });
});

t.test('calls made at the same time have the same order on every pass', async (t) => {
  const together = workflow('together', async () => all([step('a', async () => 1), step('b', () => 2), sleep('1h')]));
  t.match(await testRun(together), { output: [1, 2, null] });
});

t.test('functions of steps that are called together run at the same time, each of them once', async (t) => {
  const begun: string[] = [];
  const both = Promise.withResolvers<void>();
  const meet = (name: string) => async () => {
    begun.push(name);
    if (begun.length === 3) both.resolve();
    await both.promise;
    return name;
  };
  const meets = workflow('meets', async () => {
    const found = await all([step('a', meet('a')), step('b', meet('b'), { retry: 3 }), step('b', meet('b again'))]);
    return [...found, await step('after', () => 'after')];
  });
  const run = await testRun(meets);
  t.same(run.output, ['a', 'b', 'b again', 'after']);
  t.same(begun, ['a', 'b', 'b again']);
  t.same(
    run.journal.map(({ site }) => site),
    ['a#0', 'b#0', 'b#1', 'after#0'],
  );
  const replaced = await testRun(meets, undefined, { steps: { a: 1, 'b#0': 2, 'b#1': 3 } });
  t.same(replaced.output, [1, 2, 3, 'after']);
  t.equal(begun.length, 3, 'a step that the test replaces does not start');
});

t.test('a race has one winner on every pass, and the others are told', async (t) => {
  const aborted: string[] = [];
  const never = (name: string) => (context: { signal?: AbortSignal }) =>
    new Promise<string>(() => context.signal!.addEventListener('abort', () => aborted.push(name)));
  const races = workflow('races', async () => {
    const won = await race([step('slow', never('slow')), step('fast', () => 'fast'), step('late', never('late'))]);
    await sleep('1h');
    return won;
  });
  const run = await testRun(races);
  t.match(run, { status: 'succeeded', output: 'fast' });
  t.same(aborted, ['slow', 'late']);
  t.same(
    run.journal.map(({ site, exit_code, message }) => [site, exit_code, message?.split(':')[0]]),
    [
      ['slow#0', 1, 'race_lost'],
      ['fast#0', 0, ''],
      ['late#0', 1, 'race_lost'],
      ['#0', 0, ''],
    ].map(([site, code, message]) => [site, code, message === '' ? undefined : message]),
  );
  t.match(await replayRun(races, run.journal), { ok: true, outcome: 'same', output: 'fast' });
  aborted.length = 0;
  t.match(await testRun(races, undefined, { steps: { slow: 'given', fast: 'not reached' } }), { output: 'given' });
});

t.test('a race ends with an error if that is first, and takes steps alone', async (t) => {
  const fails = workflow('fails-first', async () => {
    const held = () => new Promise<string>(() => undefined);
    const refused = () => {
      throw new Error('refused');
    };
    return await race([step('held', held, { timeout: '1h' }), step('refused', refused)]);
  });
  t.match(await testRun(fails), { status: 'failed', error: { message: /refused/ } });
  for (const wrong of [() => race([]), () => race([sleep('1s')]), () => race([step('c', ['true'])])]) {
    const misuses = workflow(`misuses-${++misused}`, wrong as () => Promise<unknown>);
    t.match(await testRun(misuses), { status: 'failed', error: { message: /race accepts promises of steps/ } });
  }
});
let misused = 0;

t.test('runs at the same time do not mix, and what they print is theirs', async (t) => {
  const prints = workflow('prints', async (input: number) => {
    console.log('run', input);
    await sleep('1h');
    console.error('end', input);
    return input;
  });
  const runs = await Promise.all([1, 2, 3].map((n) => testRun(prints, n)));
  t.same(
    runs.map(({ output, logs }) => [output, logs.map(({ pass, stream, text }) => `${pass} ${stream} ${text}`)]),
    [1, 2, 3].map((n) => [n, [`1 stdout run ${n}`, `2 stdout run ${n}`, `2 stderr end ${n}`]]),
  );
});

t.test('how a function fails', async (t) => {
  const fails = workflow('fails', async (input: string) => {
    if (input === 'thrown') throw new RangeError('too far');
    if (input === 'floating') {
      void Promise.reject(new Error('nobody waits'));
      await sleep('1h').then(() => new Promise(() => {}));
    }
    if (input === 'bytes') return () => 1;
    return await step('inside', () => sleep('1s'));
  });
  t.match(await testRun(fails, 'thrown'), {
    status: 'failed',
    error: { code: 'function_failed', message: 'too far', cause: RangeError },
  });
  t.match(await testRun(fails, 'floating'), { status: 'failed', error: { message: 'nobody waits' } });
  t.match(await testRun(fails, 'bytes'), { status: 'failed', error: { message: /must be JSON/ } });
  t.match(await testRun(fails, ''), { status: 'failed', error: { message: /sleep was called inside the step/ } });
  const named = workflow('named', async (input: string) => step(input, () => 1));
  for (const name of ['a#1', 'a\n', 'x'.repeat(201)])
    t.match(
      await testRun(named, name),
      { status: 'failed', error: { message: /the name of a step/ } },
      name.slice(0, 5),
    );
});

t.test('an input is checked by its schema', async (t) => {
  const validate = (value: unknown) =>
    typeof value === 'number' ? { value: value + 1 } : { issues: [{ message: 'is no number', path: ['n'] }] };
  const input = { '~standard': { version: 1, vendor: 'test', validate } } as const;
  const checked = workflow('checked', { input }, async (given) => given);
  t.match(await testRun(checked, 1), { output: 2 });
  t.match(await testRun(checked, 'x'), {
    status: 'failed',
    error: { code: 'input_invalid', message: /\/n: is no number/ },
  });
});

t.test('a run that does not end is stopped', async (t) => {
  const endless = workflow('endless', async () => {
    for (;;) await sleep('1d');
  });
  await t.rejects(testRun(endless, undefined, { maxPasses: 20 }), { code: 'too_many_passes' });
  await t.rejects(testRun({} as never), { code: 'usage' });
});

t.test('a recorded history is replayed on changed code', async (t) => {
  const { journal } = await testRun(order, { sku: 'a' }, { signals: { approved: { by: 'ana' } } });
  const history = JSON.parse(JSON.stringify(journal));
  const input = { sku: 'a' };
  t.match(await replayRun(order, { steps: history }, { input }), {
    ok: true,
    outcome: 'same',
    read: 4,
    output: { by: 'ana' },
  });
  t.match(await replayRun(order, history.slice(0, 1), { input }), {
    ok: true,
    outcome: 'anew',
    read: 1,
    next: { kind: 'sleep' },
  });
  const waiting = { ...history[2], status: 'waiting' };
  t.match(await replayRun(order, [...history.slice(0, 2), waiting], { input }), { ok: true, outcome: 'waits' });

  const changed = workflow('changed', async () => {
    await step('reserve', () => t.fail('nothing is executed'));
    await step('notify', () => t.fail('nothing is executed'));
  });
  t.match(await replayRun(changed, history), {
    ok: false,
    outcome: 'differs',
    difference: { position: 1, recorded: { kind: 'sleep' }, present: { kind: 'step', site: 'notify#0' } },
    note: /recorded: sleep #0|recorded: sleep/,
  });
  const other = { ...history[1], status: 'waiting', kind: 'wait-signal', name: 'x' };
  t.match(await replayRun(changed, [history[0], other]), { ok: false, difference: { recorded: { name: 'x' } } });
  const shorter = workflow('shorter', async () => await step('reserve', () => 1));
  t.match(await replayRun(shorter, history), { ok: false, outcome: 'differs', difference: { present: undefined } });
  const throws = workflow('throws', async () => {
    throw new Error('changed');
  });
  t.match(await replayRun(throws, history), { ok: false, outcome: 'ended', read: 0, note: /fails after 0 of 4/ });
  await t.rejects(replayRun(order, [history[1]], { input }), { code: 'usage', message: /positions are missing/ });
  await t.rejects(replayRun(order, {} as never), { code: 'usage' });
});
