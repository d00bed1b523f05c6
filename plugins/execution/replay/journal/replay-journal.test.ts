import t from 'tap';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, PassEnd } from '../../agents/contract.ts';
import type { JournalRecord } from '../../../engine/runs/contract.ts';
import { CallerClosed, type OpenSite, PassEnded, type SiteCall, verbUsage } from '../contract.ts';
import { ReplayJournal } from './replay-journal.ts';
import { Activity, createMaskers, Refusals, until } from '../../../../test/kit/index.ts';

/** Time that passes when something waits for it. */
function patientClock(): Clock & { waited: number[] } {
  let now = 1000;
  const waited: number[] = [];
  return {
    waited,
    now: () => now,
    monotonic: () => now,
    after(delay, run) {
      waited.push(delay);
      now += delay;
      queueMicrotask(run);
      return () => undefined;
    },
  };
}

function pass(activity: Activity, clock = patientClock()) {
  const ends: PassEnd[] = [];
  const faults: unknown[] = [];
  const flushes: string[] = [];
  const journal = new ReplayJournal({
    assignment: {
      ...{ run_id: 'run_1', activity_id: 'act_1', journal: activity.journal },
      ...(activity.tried && { tried: activity.tried }),
    },
    source: () => '',
    host: activity,
    clock,
    flushLog: async () => void flushes.push('flushed'),
    endPass: (end) => ends.push(end),
    onServiceError: (fault) => faults.push(fault),
  });
  return { journal, calls: journal.for(() => true), ends, faults, flushes, clock };
}

const step = (name: string): SiteCall => ({ kind: 'step', name });
const done = (text: string) => async () => ({ exit_code: 0, output: Buffer.from(text) });
const never = async () => {
  throw new Error('a recorded call was run again');
};

t.test('a step waits until what was printed before it is with the host; a replayed call tells nothing', async (t) => {
  const activity = new Activity();
  const said: string[] = [];
  const journal = () =>
    new ReplayJournal({
      assignment: { run_id: 'run_1', activity_id: 'act_1', journal: activity.journal },
      source: () => '',
      host: activity,
      clock: patientClock(),
      flushLog: async () => {},
      onCallBegin: async ({ name, ordinal }) => {
        await Promise.resolve();
        said.push(`${name}#${ordinal}`);
      },
      endPass: () => {},
      onServiceError: () => {},
    }).for(() => true);
  const first = journal();
  await first.durable(step('a'), async () => {
    said.push('made');
    return { exit_code: 0, output: Buffer.alloc(0) };
  });
  t.same(said, ['a#0', 'made']);
  const second = journal();
  await second.durable(step('a'), never);
  t.same(said, ['a#0', 'made']);
  await second.durable(step('b'), done(''));
  t.same(said, ['a#0', 'made', 'b#0']);
});

t.test('outputs that are not stored yet are held up to a bound, and all are stored in the end', async (t) => {
  const activity = new Activity();
  const { promise: store, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  activity.onAppend = async () => {
    asked += 1;
    await store;
  };
  const { journal } = pass(activity);
  const output = Buffer.alloc(1024 * 1024, 'x');
  let made = 0;
  const one = (nth: number) =>
    journal
      .for(() => true)
      .durable(step(`s${nth}`), async () => {
        made += 1;
        return { exit_code: 0, output };
      });
  const calls = Array.from({ length: 40 }, (_, nth) => one(nth));
  await until(() => made >= 33);
  await new Promise((turn) => setImmediate(turn));
  t.same([made, asked], [33, 32], 'the 33rd keeps its turn');
  resolve();
  const answers = await Promise.all(calls);
  t.same(
    answers.map(({ record }) => record.position),
    Array.from({ length: 40 }, (_, nth) => nth),
  );
  t.equal(activity.journal.length, 40);
});

t.test('positions, ordinals and keys; a replay answers without running', async (t) => {
  const activity = new Activity();
  const first = pass(activity);
  const keys: string[] = [];
  for (const name of ['a', 'b', 'a'])
    await first.calls.durable(step(name), async (at) => {
      keys.push(at.key);
      return { exit_code: 0, output: Buffer.from(`${name}${at.position}${at.ordinal}`) };
    });
  t.same(activity.sites(), ['step a#0=0', 'step b#0=0', 'step a#1=0']);
  t.equal(new Set(keys).size, 3);
  t.same(
    [0, 1, 2].map((position) => activity.output(position)),
    ['a00', 'b10', 'a21'],
  );

  const second = pass(activity);
  for (const name of ['a', 'b', 'a']) {
    const { record, replayed } = await second.calls.durable(step(name), never);
    t.ok(replayed);
    t.equal(record.name, name);
  }
  t.equal(second.journal.success().status, 'succeeded');
  let key = '';
  await second.calls.durable(step('a'), async (at) => {
    key = at.key;
    return { exit_code: 0, output: Buffer.alloc(0) };
  });
  t.notOk(keys.includes(key));
});

t.test('attempts are kept, and the next pass goes on counting', async (t) => {
  const activity = new Activity();
  const policy = { attempts: 9, backoff_ms: 1000, max_backoff_ms: 8000 };
  const flaky = (at: OpenSite, until: number, made: number[]) => async () => {
    await at.waitForPause();
    for (let attempt = at.failed_attempts + 1; ; attempt += 1) {
      made.push(attempt);
      const outcome = { exit_code: attempt === until ? 0 : 9, output: Buffer.from(`${attempt}`) };
      if (outcome.exit_code === 0) return outcome;
      await at.recordFailure(outcome, { attempt, policy });
    }
  };
  const first = pass(activity);
  const made: number[] = [];
  const parks = first.calls.durable(step('a'), (at) => flaky(at, 9, made)());
  await t.rejects(parks, PassEnded, 'the third pause has 4 s and the fourth 8: it is long enough to park');
  t.same(made, [1, 2, 3, 4]);
  t.same(first.clock.waited, [1000, 2000, 4000]);
  t.same(first.ends, [{ end: 'parked' }]);
  t.same(first.flushes, ['flushed'], 'the log is complete before it parks');
  t.match(activity.attempts.at(-1), {
    attempt: 4,
    attempts: 9,
    exit_code: 9,
    pause_ms: 8000,
    park: true,
    kind: 'step',
  });

  const second = pass(activity);
  const { record } = await second.calls.durable(step('a'), (at) => flaky(at, 5, made)());
  t.same(made, [1, 2, 3, 4, 5]);
  t.match(record, { position: 0, name: 'a', exit_code: 0 });
  t.same(activity.sites(), ['step a#0=0'], 'one record');
});

t.test('a script that comes to another call than the one it has tried breaks the rule of replay', async (t) => {
  const activity = new Activity();
  activity.tried = { position: 0, kind: 'step', name: 'a', ordinal: 0, attempts: 2, pause_ms: 0 };
  const other = pass(activity);
  t.equal(
    other.calls.pipeline?.reserve(() => undefined),
    undefined,
    'nothing is begun ahead of it',
  );
  await t.rejects(other.calls.durable(step('b'), never), PassEnded);
  t.match(other.ends, [{ end: 'completed', completion: { status: 'failed', code: 'determinism_violation' } }]);
  t.match(pass(activity).journal.success(), { status: 'failed', code: 'determinism_violation' }, 'or ends before it');
});

t.test('of an output the end is kept, without secrets', async (t) => {
  const activity = new Activity();
  activity.masker = createMaskers().masker(['hush-hush']);
  const { calls } = pass(activity);
  const output = Buffer.from(`${'é'.repeat(3000)}hush-hush`);
  await calls.durable(step('a'), async (at) => {
    const message = `hush-hush ${'m'.repeat(2037)}\u{1f600} and more`;
    await at.recordFailure({ exit_code: 1, output, message }, { attempt: 1, policy: { attempts: 2, backoff_ms: 0 } });
    return { exit_code: 0, output: Buffer.alloc(0) };
  });
  const kept = Buffer.from(activity.attempts[0]!.output, 'base64');
  t.ok(kept.length <= 4096);
  t.match(kept.toString(), /^é+\*\*\*$/, 'whole characters');
  const { message } = activity.attempts[0]!;
  t.match(message, /^\*\*\* m+/, 'of a message the beginning');
  t.ok(message!.length <= 2048 && message!.isWellFormed());
});

t.test('the key of a site is the same in every attempt, and another one in another run', async (t) => {
  const seen: string[] = [];
  for (const run_id of ['run_1', 'run_1', 'run_2']) {
    const activity = new Activity();
    const parts = {
      assignment: { run_id, activity_id: 'act_1', journal: [] },
      source: () => '',
      host: activity,
      clock: patientClock(),
    };
    const journal = new ReplayJournal({
      ...parts,
      flushLog: async () => {},
      endPass: () => {},
      onServiceError: () => {},
    });
    await journal
      .for(() => true)
      .durable(step('a'), async ({ key }) => {
        seen.push(key);
        return { exit_code: 0, output: Buffer.alloc(0) };
      });
  }
  t.equal(seen[0], seen[1]);
  t.not(seen[0], seen[2]);
});

t.test('the guard compares kind, name and, where both have one, the digest', async (t) => {
  const recorded: JournalRecord = {
    position: 0,
    kind: 'emit',
    name: 'deploy',
    ordinal: 0,
    digest: 'aa',
    exit_code: 0,
    output: '',
    started_at: 1,
  };
  const cases: [SiteCall, RegExp | undefined][] = [
    [{ kind: 'emit', name: 'deploy', digest: 'aa' }, undefined],
    [{ kind: 'emit', name: 'deploy' }, undefined],
    [{ kind: 'emit', name: 'deploy', digest: 'bb' }, /present: {2}emit deploy#0, with other arguments/],
    [{ kind: 'emit', name: 'Deploy' }, /recorded: emit deploy#0\n {2}present: {2}emit Deploy#0/],
    [{ kind: 'step', name: 'deploy' }, /recorded: emit deploy#0\n {2}present: {2}step deploy#0/],
    [{ kind: 'sleep', name: '' }, /present: {2}sleep#0\n/],
  ];
  for (const [call, violation] of cases) {
    const activity = new Activity();
    activity.journal.push(recorded);
    const { calls, ends } = pass(activity);
    if (violation === undefined) {
      t.ok((await calls.durable(call, never)).replayed);
      continue;
    }
    await t.rejects(calls.durable(call, never), PassEnded);
    t.match(ends, [
      { end: 'completed', completion: { status: 'failed', code: 'determinism_violation', message: violation } },
    ]);
    await t.rejects(calls.durable(call, never), PassEnded, 'nothing is served any more');
  }
});

t.test('calls wait for each other; one that fails holds nobody up', async (t) => {
  const activity = new Activity();
  const { calls } = pass(activity);
  const open = Promise.withResolvers<void>();
  const order: string[] = [];
  const slow = calls.durable(step('slow'), async () => {
    await open.promise;
    order.push('slow');
    return { exit_code: 0, output: Buffer.alloc(0) };
  });
  const broken = t.rejects(
    calls.durable(step('broken'), async () => {
      order.push('broken');
      throw new Error('the verb has a fault');
    }),
    /fault/,
  );
  const last = calls.durable(step('last'), async () => {
    order.push('last');
    return { exit_code: 0, output: Buffer.alloc(0) };
  });
  open.resolve();
  await Promise.all([slow, broken, last]);
  t.same(order, ['slow', 'broken', 'last']);
  t.same(activity.sites(), ['step slow#0=0', 'step last#0=0'], 'what failed took no position');
});

t.test(
  'a caller that is gone before its turn takes no position; one that goes in it counts once the script goes on',
  async (t) => {
    const activity = new Activity();
    const { journal, calls, clock } = pass(activity);
    await t.rejects(journal.for(() => false).durable(step('early'), never), CallerClosed);
    const gone = calls.durable(step('slow'), async () => {
      throw new CallerClosed();
    });
    await t.rejects(gone, CallerClosed);
    t.same(activity.journal, []);
    await calls.durable(step('next'), done('x'));
    t.same(activity.sites(), ['step slow#0=137', 'step next#0=0']);
    t.same(clock.waited, [250], 'the death of the script would have been seen by then');

    const dying = pass(new Activity());
    await t.rejects(
      dying.calls.durable(step('slow'), () => Promise.reject(new CallerClosed())),
      CallerClosed,
    );
    dying.journal.freeze();
    await t.rejects(dying.calls.durable(step('next'), never), PassEnded);
  },
);

t.test('parking ends the pass; a wait whose outcome is there does not', async (t) => {
  const activity = new Activity();
  activity.signals.push({ name: 'go', payload: { n: 1 } });
  const { calls, ends, flushes } = pass(activity);
  const { record, replayed } = await calls.wait({ kind: 'wait-signal', name: 'go' }, { args: {} });
  t.equal(Buffer.from(record.output, 'base64').toString(), '{"n":1}\n');
  t.notOk(replayed);
  await t.rejects(calls.wait({ kind: 'sleep', name: '' }, { args: {}, timeout_ms: 5 }), PassEnded);
  t.same(ends, [{ end: 'parked' }]);
  t.match(activity.armed, { position: 1, kind: 'sleep', ordinal: 0, timeout_ms: 5 });
  t.same(flushes, ['flushed', 'flushed'], 'the log goes out while the claim is held');

  activity.wake();
  const second = pass(activity);
  t.ok((await second.calls.wait({ kind: 'wait-signal', name: 'go' }, { args: {} })).replayed);
  t.notOk(
    (await second.calls.wait({ kind: 'sleep', name: '' }, { args: {}, timeout_ms: 9 })).replayed,
    'news to the script',
  );
});

t.test('a kept wait continues with the record of a later claim, and records nothing until then', async (t) => {
  const activity = new Activity();
  const ends: PassEnd[] = [];
  const woken: PromiseWithResolvers<JournalRecord>[] = [];
  const waits: unknown[] = [];
  const journal = new ReplayJournal({
    assignment: { run_id: 'run_1', activity_id: 'act_1', journal: activity.journal },
    source: () => '',
    host: activity,
    clock: patientClock(),
    flushLog: async () => undefined,
    retainWait: ({ position, kind, name, ordinal }) => {
      waits.push({ position, kind, name, ordinal });
      woken.push(Promise.withResolvers());
      return woken.at(-1)!.promise;
    },
    endPass: (end) => ends.push(end),
    onServiceError: () => undefined,
  });
  const calls = journal.for(() => true);
  await calls.durable(step('a'), done('1'));
  const wait = calls.wait({ kind: 'wait-signal', name: 'go' }, { args: {} });
  await until(() => woken.length === 1);
  t.same(waits, [{ position: 1, kind: 'wait-signal', name: 'go', ordinal: 0 }]);
  t.equal(
    calls.pipeline?.reserve(() => undefined),
    undefined,
    'nothing is begun ahead',
  );
  await t.rejects(calls.annotate('x'), PassEnded);
  t.same(activity.notes, []);
  const record = { position: 1, kind: 'wait-signal', name: 'go', ordinal: 0, digest: '', exit_code: 0, started_at: 1 };
  activity.journal.push({ ...record, output: '' });
  woken[0]!.resolve({ ...record, output: '' });
  t.match(await wait, { record: { position: 1, exit_code: 0 }, replayed: false });
  t.match(await calls.durable(step('b'), done('2')), { record: { position: 2 } });
  t.equal(journal.success().status, 'succeeded');

  const gone = calls.wait({ kind: 'wait-signal', name: 'go' }, { args: {} });
  await until(() => woken.length === 2);
  journal.freeze();
  woken[1]!.resolve({ ...record, position: 3, ordinal: 1, output: '' });
  await t.rejects(gone, PassEnded, 'what was let go of stays so');
  t.same(ends, [], 'its executor has ended the pass');
});

t.test('what a frozen pass still hears is not recorded', async (t) => {
  const activity = new Activity();
  const { journal, calls, ends } = pass(activity);
  const late = calls.durable(step('a'), async () => {
    journal.freeze();
    return { exit_code: 143, output: Buffer.alloc(0) };
  });
  await t.rejects(late, PassEnded);
  await t.rejects(calls.annotate('x'), PassEnded);
  t.same(activity.journal, []);
  t.same(ends, []);
});

t.test('an agent that may have lost its claim starts no step', async (t) => {
  const activity = Object.assign(new Activity(), { hasClaim: () => false });
  const { calls, ends } = pass(activity);
  await t.rejects(calls.durable(step('a'), never), PassEnded);
  t.same(ends, [{ end: 'lost' }]);
});

t.test(
  'refusals: a lost claim ends the pass, a fault gives it back, the rest is the outcome of its place',
  async (t) => {
    const site = { kind: 'state', name: 'get x' };
    const lost = pass(Object.assign(new Activity(), { refusal: Refusals.leaseLost('gone') }));
    await t.rejects(lost.calls.perform(site, {}), PassEnded);
    t.same(lost.ends, [{ end: 'lost' }]);

    const down = pass(Object.assign(new Activity(), { refusal: Refusals.down('no database') }));
    await t.rejects(down.calls.perform(site, {}), PassEnded);
    t.match(down.faults, [{ code: 'unavailable' }]);

    const activity = new Activity();
    activity.denies = () => Refusals.refused('not you');
    const denied = pass(activity);
    activity.cells.set('/x', 'there');
    const refused = { exit_code: 1, message: /^refused_in_test: not you\n/, output: '' };
    t.match(await denied.calls.perform(site, {}), { record: { ...refused, position: 0 }, replayed: false });
    t.match((await denied.calls.wait({ kind: 'lock', name: 'g' }, { args: {} })).record, { ...refused, position: 1 });
    const unread = async () => {
      throw verbUsage('cannot read it');
    };
    const unreadable = { exit_code: 2, message: 'cannot read it', position: 2 };
    t.match((await denied.calls.perform({ kind: 'spawn', name: '' }, unread)).record, unreadable);
    activity.denies = () => undefined;
    t.match((await denied.calls.perform(site, { op: 'get', key: 'x' })).record, {
      exit_code: 0,
      position: 3,
      ordinal: 1,
    });
    t.same(denied.ends, []);

    const later = pass(activity);
    t.match(await later.calls.perform(site, never), { record: { ...refused, position: 0 }, replayed: true });
    t.match(await later.calls.wait({ kind: 'lock', name: 'g' }, { args: {} }), { record: refused, replayed: true });
    t.match(await later.calls.perform({ kind: 'spawn', name: '' }, never), { record: unreadable, replayed: true });
    t.match((await later.calls.perform(site, never)).record, { exit_code: 0 });
    t.same(later.ends, [], 'the same calls, whatever would be said to them by now');
  },
);

t.test('staged output is merged by key, odd names included', (t) => {
  const { journal, calls } = pass(new Activity());
  calls.stageOutput({ a: 1, b: 2 });
  calls.stageOutput(
    Object.fromEntries([
      ['a', 3],
      ['__proto__', 4],
    ]),
  );
  const output = () => {
    const end = journal.success();
    return end.status === 'succeeded' ? (end.output as object) : {};
  };
  t.equal(JSON.stringify(output()), '{"a":3,"b":2,"__proto__":4}');
  const mib = 'x'.repeat(1024 * 1024 - 64);
  for (const key of ['c', 'd', 'e', 'f']) calls.stageOutput({ [key]: mib });
  calls.stageOutput({ f: `y${mib.slice(1)}` });
  t.throws(() => calls.stageOutput({ a: 5, g: 'x'.repeat(300) }), {
    code: 'value_too_large',
    message: /bytes over the limit of 4194304/,
  });
  t.match(output(), { a: 3, f: /^y/ }, 'what was refused changed nothing');
  t.notOk('g' in output());
  t.end();
});

t.test('10,000 recorded calls are answered quickly', async (t) => {
  const activity = new Activity();
  for (let position = 0; position < 10_000; position++)
    activity.journal.push({
      position,
      kind: 'step',
      name: 'n',
      ordinal: position,
      digest: '',
      exit_code: 0,
      output: '',
      started_at: 0,
    });
  const { calls, journal } = pass(activity);
  const began = process.cpuUsage();
  for (let position = 0; position < 10_000; position++) await calls.durable(step('n'), never);
  t.equal(journal.success().status, 'succeeded');
  const { user, system } = process.cpuUsage(began);
  t.ok((user + system) / 1000 < 1500, 'within the time that the whole replay may take');
});

t.test(
  'secrets in names leave the agent masked, and a name that was recorded before is still the same call',
  async (t) => {
    const secret = 'hunter2-canary';
    const activity = new Activity();
    const plain = pass(activity);
    await plain.calls.durable(step(`a ${secret}`), done('first'));
    t.same(activity.sites(), [`step a ${secret}#0=0`], 'it was no secret yet');

    const masker = { ...activity.masker, text: (text: string) => text.replaceAll(secret, '***') };
    const masking = Object.assign(activity, { masker });
    const second = pass(masking);
    t.equal(second.calls.mask(`key ${secret}`), 'key ***');
    t.ok((await second.calls.durable(step(`a ${secret}`), never)).replayed, 'recorded under its whole name');
    await second.calls.durable(step(`a ${secret}`), done('second'));
    await second.calls.durable(step(`a ${secret}`), done('third'));
    await second.calls.perform({ kind: 'emit', name: `type.${secret}`, public_name: true }, {});
    const sites = [`step a ${secret}#0=0`, 'step a ***#0=0', 'step a ***#1=0'];
    t.same(activity.sites().slice(0, 3), sites);
    t.match(activity.sites()[3], new RegExp(`^emit type\\.${secret}#0`), 'the type of an event is public');

    const third = pass(masking);
    for (const text of ['first', 'second', 'third']) {
      const { record, replayed } = await third.calls.durable(step(`a ${secret}`), never);
      t.ok(replayed);
      t.equal(Buffer.from(record.output, 'base64').toString(), text);
    }
    t.same(third.ends, []);
  },
);

t.test('whoever looks is told what is carried out, from its beginning until its record is durable', async (t) => {
  const activity = new Activity();
  const said: string[] = [];
  const stored = Promise.withResolvers<void>();
  activity.onAppend = () => stored.promise;
  const reportCall: ActivityHost['reportCall'] = ({ kind, name, ordinal, position, attempt, attempts }) => {
    const call = `${kind} ${name}#${ordinal}@${position}${attempt === undefined ? '' : ` ${attempt}/${attempts}`}`;
    said.push(`+${call}`);
    return () => said.push(`-${call}`);
  };
  Object.assign(activity, { reportCall });
  const journal = () => pass(activity).calls;
  const first = journal();
  const answered = first.durable(step('a'), done('x'));
  const second = first.durable(step('a'), async (at) => {
    at.reportAttempt(1, 3);
    await at.recordFailure(
      { exit_code: 1, output: Buffer.alloc(0) },
      { attempt: 1, policy: { attempts: 3, backoff_ms: 0 } },
    );
    at.reportAttempt(2, 3);
    return { exit_code: 0, output: Buffer.alloc(0) };
  });
  await until(() => said.length > 1);
  t.same(said, ['+step a#0@0', '+step a#1@1', '+step a#1@1 1/3', '-step a#1@1 1/3']);
  stored.resolve();
  await Promise.all([answered, second]);
  await until(() => said.length === 7);
  t.same(said.slice(4).toSorted(), ['+step a#1@1 2/3', '-step a#0@0', '-step a#1@1 2/3']);
  said.length = 0;
  const failed = journal();
  await failed.durable(step('a'), never);
  await failed.durable(step('a'), never);
  t.same(said, [], 'what is replayed is not carried out');
  await t.rejects(failed.durable(step('b'), () => Promise.reject(new CallerClosed())));
  t.same(said, ['+step b#0@2', '-step b#0@2']);
});

t.test('a paused run begins no new call: its pass is released when everything before it is stored', async (t) => {
  const activity = new Activity();
  const recorded = pass(activity);
  await recorded.calls.durable(step('a'), done('x'));
  let paused = false;
  const ends: PassEnd[] = [];
  const calls = new ReplayJournal({
    assignment: { run_id: 'run_1', activity_id: 'act_1', journal: activity.journal },
    source: () => '',
    // The answer to a record says that the run is paused.
    host: Object.assign(Object.create(activity) as ActivityHost, {
      isPaused: () => paused,
      append: async (record: JournalRecord) => {
        await activity.append(record);
        paused = true;
      },
    }),
    clock: patientClock(),
    flushLog: async () => {},
    endPass: (end) => ends.push(end),
    onServiceError: () => {},
  }).for(() => true);
  await calls.durable(step('a'), never);
  await calls.durable(step('b'), done('y'));
  await t.rejects(calls.durable(step('c'), never), PassEnded);
  await t.rejects(calls.durable(step('d'), never), PassEnded);
  t.same(ends, [{ end: 'released' }]);
  t.same(
    activity.journal.map(({ name }) => name),
    ['a', 'b'],
  );
});
