import t from 'tap';
import type { AgentView, NodeView, RunView, StepView } from './answers.ts';
import { explain, type ExplanationInput } from './explanation.ts';

/** A later server may know further ones. */
type Kind = NonNullable<RunView['substate']>['kind'];

const NOW = Date.parse('2026-01-31T12:00:00.000Z');
const at = (before_ms: number): string => new Date(NOW - before_ms).toISOString();

const run = (over: Partial<RunView>): RunView => ({
  ...{ run_id: 'run_1', kind: 'script', workflow: 'a.sh', status: 'running', tags: [], annotations: [] },
  trigger: { type: 'manual' },
  trusted: true,
  generation: 0,
  created_at: at(90_000),
  ...over,
});
const agent = (name: string, over: Partial<AgentView> = {}): AgentView => ({
  ...{ agent_id: `agt_${name}`, name, state: 'online', os: 'linux', arch: 'x64', slots: 1, version: '1' },
  ...{ untrusted: 'isolate', capabilities: ['linux'], last_seen_at: at(0), pid: 1, server: 'here' },
  ...over,
});
const step = (over: Partial<StepView>): StepView => ({
  ...{
    position: 0,
    kind: 'step',
    name: 'build',
    ordinal: 0,
    site: 'build#0',
    activity_id: 'act_1',
    status: 'recorded',
    exit_code: 0,
    activity: 'main',
  },
  ...{ started_at: at(5000), recorded_at: at(4000) },
  ...over,
});

function told(over: Partial<ExplanationInput>): { because: string; next: string } {
  const { because, next } = explain({ run: run({}), steps: [], agents: [], locks: [], now: NOW, ...over });
  return { because: because.join(' '), next: next.join('\n') };
}

t.test('attempts: how many failed, and what comes next', async (t) => {
  const attempt = (n: number, next_at: string) => ({
    ...{ attempt: n, exit_code: 7, message: 'no luck', next_at },
    ...{ started_at: at(9000), ended_at: at(8000) },
  });
  const tried = { attempts: [attempt(1, at(6000)), attempt(2, at(-4000))], max_attempts: 5, exit_code: undefined };
  const wait = { kind: 'sleep' as const, name: 'build#0', since: at(1000), deadline: at(-4000) };
  const parked = step({ ...tried, status: 'waiting', recorded_at: undefined });
  t.match(told({ run: run({ status: 'waiting', substate: wait }), steps: [parked] }), {
    because:
      /step build#0 has failed 2 of 5 times, most recently with exit code 7 \(no luck\); the next attempt starts at 2026-01-31T12:00:04/,
  });
  const busy = step({ ...tried, status: 'retrying', recorded_at: undefined });
  t.match(told({ steps: [busy] }), { because: /has failed 2 of 5 times, .*; attempt 3 is in progress\./ });
  t.notMatch(told({ steps: [step({ ...tried, exit_code: 0 })] }).because, /has failed/, 'it is recorded');
  const ended = step({ ...tried, exit_code: 9 });
  t.match(
    told({ run: run({ status: 'failed', error: { code: 'deadline_exceeded', message: 'late' } }), steps: [ended] }),
    {
      because: /The last call that failed was step build#0, with exit code 9, the last of 3 attempts\./,
      next: /longer --timeout, .*: svc steps run_1\n/,
    },
  );
});

t.test('queued: who could take it, and what those lack that cannot', async (t) => {
  const queued = run({ status: 'queued', requires: ['linux', 'gpu'] });
  t.match(told({ run: queued }), {
    because: /accepted 1m 30s ago .*No agent is online. It requires linux and gpu\./,
    next: 'start one: svc agent --cap linux --cap gpu',
  });
  const away = agent('away', { state: 'offline', capabilities: ['linux', 'gpu'] });
  t.match(told({ run: queued, agents: [agent('a'), agent('b', { capabilities: [] }), away] }), {
    because: /No online agent can run it: a lacks gpu and b lacks linux and gpu\. It requires linux and gpu\./,
    next: /start a capable agent: svc agent --cap linux --cap gpu/,
  });
  t.match(told({ run: queued, agents: [agent('c', { capabilities: ['gpu', 'linux'] })] }), {
    because: /c can run it as soon as a slot is free/,
    next: '',
  });
  const many = Array.from({ length: 9 }, (_, n) => agent(`a${n}`));
  t.match(told({ run: queued, agents: many }).because, /a4 lacks gpu and 4 more cannot run it either/);
});

t.test('queued for a workflow of workers: who serves it, and in which version', async (t) => {
  const worker = agent('w', { capabilities: ['function:order', 'function:order:v2'] });
  const follows = run({ status: 'queued', requires: ['function:order'] });
  t.match(told({ run: follows, agents: [worker] }).because, /w can run it/);
  t.match(told({ run: follows, agents: [agent('a')] }), {
    because: /No online worker serves the workflow order\./,
    next: /start one: svc worker <file>/,
  });
  const stays = run({ status: 'queued', requires: ['function:order:v1'] });
  t.match(told({ run: stays, agents: [worker] }), {
    because: /stays with version v1 of the workflow order, .* w serves another version\./,
    next: /start a worker with version v1/,
  });
});

t.test('queued and untrusted: which agents isolate, and why the others do not', async (t) => {
  const untrusted = run({ status: 'queued', trusted: false, requires: ['gpu'] });
  const isolates = agent('able', { capabilities: ['gpu', 'svc:isolates'] });
  t.match(
    told({ run: untrusted, agents: [isolates] }).because,
    /able can run it .* It requires gpu\. .* must be isolated/,
  );
  const agents = [
    agent('shy', { capabilities: ['gpu'], untrusted: 'refuse' }),
    agent('bare', { capabilities: [], isolation_missing: 'there are no namespaces on darwin' }),
    agent('slow', { capabilities: ['svc:isolates'] }),
  ];
  const { because, next } = told({ run: untrusted, agents });
  t.match(
    because,
    /shy accepts no untrusted runs, bare lacks gpu and cannot isolate programs \(there are no .* darwin\)/,
  );
  t.match(because, /slow lacks gpu\./);
  t.match(next, /start a capable agent: svc agent --cap gpu, on a machine that can isolate/);
  t.notMatch(next, /svc:isolates/, 'nobody announces it by name');
  const outsiders = agent('only', { capabilities: ['svc:isolates'], untrusted: 'only' });
  t.match(told({ run: run({ status: 'queued' }), agents: [outsiders] }).because, /only accepts only untrusted runs/);
});

t.test('waiting: for what, since when, until when, and who could end it', async (t) => {
  const waits = (kind: Kind, name: string, more = {}) =>
    run({ status: 'waiting', substate: { kind, name, since: at(61_000), ...more } });
  t.match(
    told({ run: waits('sleep', '', { deadline: at(-1000) }) }).because,
    /since \S+ \(1m 1s\); the deadline is \S+\. It is sleeping/,
  );
  t.match(told({ run: waits('signal', "it's") }), {
    because: /signal it's/,
    next: `send it: svc signal run_1 'it'\\''s'`,
  });
  const sent = (name: string, ms: number) => ({ name, state: 'queued' as const, sent_at: at(ms) });
  const signals = [sent('aproval', 60_000), sent('other', 1000), sent('other', 2000)];
  t.match(told({ run: waits('signal', 'approval'), signals }), {
    because:
      /signal approval\. aproval was sent 1m ago, and nothing waits for that name\. 2 signals were sent that no wait has consumed: other \(2 times\)\.$/,
    next: 'send it under the name that the run waits for: svc signal run_1 approval',
  });
  t.match(told({ signals: signals.slice(1, 2) }).because, /One signal was sent that no wait has consumed: other\.$/);
  const many = Array.from({ length: 7 }, (_, n) => sent(`name${n}`, 0));
  t.match(told({ signals: many }).because, /consumed: name0, name1, name2, name3, name4 and 2 more\.$/);
  t.match(told({ run: waits('event', 'deploy.done') }).next, /svc emit deploy\.done/);
  const types = [{ type: 'deploy.dnoe', last_seen: at(60_000) }, { type: 'deploy.don' }, { type: 'deploy.done' }];
  const near = told({ run: waits('event', 'deploy.done'), types }).because;
  t.match(
    near,
    /An event of type deploy\.dnoe was recorded 1m ago\. No event of type deploy\.done has been recorded; did you mean `deploy\.dnoe`\?$/,
  );
  const both = [...types.slice(0, 1), { type: 'deploy.done', last_seen: at(60_000) }];
  t.match(told({ run: waits('event', 'deploy.done'), types: both }).because, /deploy\.dnoe was recorded 1m ago\.$/);
  const one = { type: 'deploy.done', at: at(60_000) };
  const declined = [
    { ...one, event: 'evt_1', reason: 'untrusted' },
    { ...one, event: 'evt_2', reason: 'the predicate is false' },
    { ...one, event: 'evt_3', type: 'another' },
  ];
  const because = told({ run: waits('event', 'deploy.done'), declined }).because;
  t.match(
    because,
    /declined the event evt_1, 1m ago: an untrusted run emitted it, and the wait does not accept events from untrusted runs\./,
  );
  t.match(because, /declined the event evt_2, 1m ago: the predicate is false\.$/);
  t.notMatch(near, /deploy\.don /, 'one that was never recorded');
  const any: NonNullable<ReturnType<typeof waits>['substate']>['any'] = [
    { kind: 'signal', name: 'stop it' },
    { kind: 'event', name: 'deploy.done', when: 'event.payload.id == input.id', values: { input: { id: 7 } } },
    { kind: 'ask', name: 'price: eur' },
  ];
  const first = waits('any', 'signal:stop it event:deploy.done ask:price: eur');
  const several = { run: { ...first, substate: { ...first.substate!, any } }, declined: declined.slice(1, 2) };
  t.match(told(several), {
    because:
      /the first of signal:stop it, event:deploy\.done and ask:price: eur\. Only an event of type deploy\.done .* input = .*7.* declined the event evt_2/,
    next: /svc signal run_1 'stop it'.*svc emit deploy\.done --payload '\{"id":7\}'.*svc ask run_1 'price: eur'/s,
  });
  const called = waits('child', 'graph nightly');
  t.match(told({ run: { ...called, substate: { ...called.substate!, run_id: 'run_2' } } }), {
    because: /is waiting for the run run_2 of graph nightly that it called/,
    next: /svc explain run_2/,
  });
  t.match(told({ run: called }).because, /the run of graph nightly/);
  t.match(told({ run: waits('something' as Kind, 'else') }).because, /is waiting for something else/);
  t.match(told({ run: run({ status: 'waiting' }) }).because, /has just been woken/);
});

t.test('waiting for a lease: who holds it, and the place in the queue', async (t) => {
  const waits = run({ status: 'waiting', substate: { kind: 'awaiting_lease', name: 'deploy', since: at(1000) } });
  const place = (run_id: string) => ({ run_id, since: at(2000), age_ms: 2000 });
  const holder = { ...place('run_9'), since: at(7_200_000), fence: 3 };
  const held = { limit: 1, holder, holders: [holder], holder_count: 1 };
  const lock = { group: 'deploy', trusted: true, ...held, queue: [place('run_5'), place('run_1')], queue_length: 2 };
  t.match(told({ run: waits, locks: [{ ...lock, group: 'other' }, { ...lock, trusted: false, queue: [] }, lock] }), {
    because: /lock deploy, which the run run_9 has held for 2h\. It is number 2 of 2 in the queue\./,
    next: /svc explain run_9[\s\S]*svc cancel run_9/,
  });
  t.match(
    told({ run: waits, locks: [{ ...lock, queue: [], queue_length: 500 }] }).because,
    /500 are waiting in its queue/,
  );
  t.match(told({ run: waits, locks: [{ ...lock, limit: 3, holder_count: 3 }] }), {
    because: /lock deploy, which 3 of at most 3 runs hold\. It is number 2 of 2 in the queue\./,
    next: /svc locks ls/,
  });
  t.match(
    told({ run: { ...waits, status: 'queued' }, locks: [lock] }).because,
    /It is number 2 of 2 in the queue/,
    'a run that has not started',
  );
  t.match(told({ run: waits }).because, /which is free now/);
  const paused_holders = [run({ run_id: 'run_9', paused: { at: at(60_000), by: 'ana' } }), run({ run_id: 'run_8' })];
  t.match(told({ run: waits, locks: [lock], paused_holders }), {
    because: /The run run_9 holds it and was paused by ana 1m ago: it keeps the lock until it is resumed\.$/,
    next: /svc resume run_9/,
  });
  t.notMatch(told({ run: waits, locks: [lock], paused_holders: [paused_holders[1]!] }).because, /paused/);
});

t.test('waiting for an event with a condition: an event that ends it', async (t) => {
  const waits = (when: string, values?: { [name: string]: unknown }) =>
    told({
      run: run({
        status: 'waiting',
        subject: 'acme',
        substate: { kind: 'event', name: 'order.paid', since: at(1000), when, ...(values && { values }) },
      }),
    });
  const answer = waits('event.payload.order == vars.id && event.payload.ok', { vars: { id: "a'7" } });
  t.match(answer, {
    because: /ends it: event\.payload\.order == vars\.id && event\.payload\.ok, with vars = \{"id":"a'7"\}\.$/,
    next: /svc emit order\.paid --payload '\{"order":"a'\\''7","ok":true\}'/,
  });
  t.match(waits("event.key == run.subject && 3 == event.payload['a']").next, /condition is true/);
  const nested = waits("event.key == run.subject && 3 == event.payload.a.b && event.payload.c == 'x'").next;
  t.match(nested, /svc emit order\.paid --key acme --payload '\{"a":\{"b":3\},"c":"x"\}'/);
  for (const other of ['event.payload.total > 3', 'event.payload.a || event.payload.b', 'event.payload.x == nodes.a.b'])
    t.match(waits(other).next, /svc emit order\.paid --payload '<json>'/, other);
});

t.test('waiting for children: where they are, or which agent is lacking', async (t) => {
  const waits = (name: string) => run({ status: 'waiting', substate: { kind: 'activity', name, since: at(1000) } });
  const steps = [
    step({
      kind: 'activity-submit',
      site: 'far#0',
      child: { activity_id: 'act_1', state: 'queued', requires: ['gpu'] },
    }),
    step({
      kind: 'activity-submit',
      site: 'near#0',
      child: { activity_id: 'act_2', state: 'running', agent_id: 'agt_a' },
    }),
    step({ kind: 'activity-submit', site: 'done#0', child: { activity_id: 'act_3', state: 'ended', exit_code: 0 } }),
    step({
      kind: 'activity-collect',
      site: 'far#0',
      child: { activity_id: 'act_1', state: 'queued', requires: ['gpu'] },
    }),
  ];
  const agents = [agent('a')];
  t.match(told({ run: waits('far'), steps, agents }), {
    because: /Its child far has been waiting for an agent.*a lacks gpu/,
    next: /svc agent --cap gpu/,
  });
  t.match(
    told({ run: waits('near'), steps, agents }).because,
    /child near is running on the agent a, submitted 5s ago/,
  );
  const all = told({ run: waits(''), steps, agents }).because;
  t.match(all, /all of its children\. Its child far .* Its child near is running/);
  t.equal(all.match(/child far/g)?.length, 1);
  t.notMatch(all, /done/);
  const many = Array.from({ length: 12 }, (_, n) =>
    step({ site: `part-${n}#0`, child: { activity_id: `act_${n}`, state: 'running', agent_id: 'agt_a' } }),
  );
  const some = told({ run: waits(''), steps: many, agents }).because;
  t.match(some, /child part-9 is running .* 2 more of its children have not ended: svc steps shows them\.$/);
  t.notMatch(some, /part-10/);
});

t.test('running, and what has ended', async (t) => {
  t.match(
    told({ run: run({ started_at: at(9000) }), steps: [step({})] }).because,
    /the last of 1 recorded call was step build#0, 4s ago/,
  );
  t.match(told({}).because, /no call has been recorded yet/);
  t.match(told({ agents: [agent('a', { state: 'offline' })] }), {
    because:
      /no call has been recorded yet\. No agent is online\. It continues when its agent is back, or on another agent/,
    next: 'start one: svc agent',
  });
  t.notMatch(told({ agents: [agent('a', { state: 'offline' }), agent('b')] }).because, /is online/);
  const failed = run({ status: 'failed', error: { code: 'script_failed', message: 'exit code 3' } });
  t.match(told({ run: failed, steps: [step({ exit_code: 3 }), step({ position: 1, site: 'ok#0' })] }), {
    because: /failed with script_failed: exit code 3\. The last call that failed was step build#0, with exit code 3\./,
    next: /svc logs run_1[\s\S]*svc rerun run_1 --from 'build#0'/,
  });
  t.match(
    told({ run: failed, steps: [step({})] }).next,
    /when you have fixed the cause, run it again: svc rerun run_1$/,
  );
  const lacks = `it ended with 1\nModuleNotFoundError: No module named 'etl.work'\n`;
  t.match(
    told({ run: run({ status: 'failed', error: { code: 'script_failed', message: lacks } }) }).next,
    /^is etl a file or folder next to the script\? submit it with --include etl\/ or etl\.py\nread its log/,
  );
  const named = run({ status: 'failed', error: { code: 'script_failed', message: 'the last call, build#0, failed' } });
  t.notMatch(told({ run: named, steps: [step({ exit_code: 3 })] }).because, /last call that failed/, 'not said twice');
  const violated = run({ status: 'failed', kind: 'pipeline', error: { code: 'determinism_violation', message: 'x' } });
  t.match(told({ run: violated }).next, /same calls in the same order[\s\S]*run it again: svc rerun run_1$/);
  const by = { event: 'evt_1', type: 'stop' };
  t.match(
    told({ run: run({ status: 'cancelled', reason: 'enough', cancelled_by: by }) }).because,
    /by the event evt_1 \(stop\): enough/,
  );
  t.match(told({ run: run({ status: 'cancelled' }) }).because, /cancelled\./);
  const done = run({ status: 'succeeded', started_at: at(5000), finished_at: at(1000), annotations: ['a'] });
  t.match(
    told({ run: done, steps: [step({})] }).because,
    /succeeded within 4s, with 1 recorded call\. It left 1 note:/,
  );
});

t.test('an agent that is not heard of is not said to be at work', async (t) => {
  const claim = (activity_id: string, activity: string, silent_ms: number) => ({
    ...{ activity_id, activity, agent_id: 'agt_a', last_sign_at: at(silent_ms), silent_ms },
    ends_at: at(silent_ms - 15_000),
  });
  const begun = (claims: RunView['claims'], more = {}) => run({ started_at: at(20_000), claims, ...more });
  const agents = [agent('a')];
  const busy = step({
    status: 'running',
    recorded_at: undefined,
    running: { since: at(9000), agent_id: 'agt_a', agent: 'a' },
  });
  t.match(
    told({ run: begun([claim('act_1', 'main', 4000)]), agents, steps: [busy] }).because,
    /has been in progress since .*Now: step/,
  );
  const blocked = { ...busy, kind: 'blocked', label: 'the function spins blocks the event loop of its program' };
  t.match(told({ run: begun([claim('act_1', 'main', 4000)]), agents, steps: [blocked] }), {
    because: /Now: the function spins blocks the event loop of its program\. The worker a noticed this 9s ago/,
    next: /move the long computation out of the event loop/,
  });
  const silent = told({ run: begun([claim('act_1', 'main', 12_000)]), agents, steps: [busy] }).because;
  t.match(
    silent,
    /^The run started at .* Nothing has been received from the agent a for 12s\. Unless it comes back, the work starts again at 2026-01-31T12:00:03\.000Z/,
  );
  t.notMatch(silent, /under way|Now:/);
  const away = [agent('a', { state: 'offline' }), agent('b')];
  t.match(
    told({ run: begun([claim('act_1', 'main', 1000)]), agents: away }).because,
    /for 1s, and its connection is lost\. Unless/,
  );
  t.match(told({ run: begun([claim('act_1', 'main', 1000)]), agents: away.slice(0, 1) }), {
    because:
      /its connection is lost\. Unless it comes back, the work starts again at \S+, as soon as an agent is free\.$/,
    next: 'start one: svc agent',
  });
  t.match(
    told({ run: begun([]), agents: away }).because,
    /^The run (has )?started.*No agent has claimed it: it is waiting for the next one\. b can run it/,
  );
  t.match(told({ run: begun([], { requires: ['gpu'] }), agents }).because, /a lacks gpu/);
  const child = { activity_id: 'act_2', state: 'running' as const, agent_id: 'agt_a' };
  const waits = run({
    status: 'waiting',
    substate: { kind: 'activity', name: 'far', since: at(1000) },
    claims: [claim('act_2', 'far', 14_000)],
  });
  const submitted = step({ kind: 'activity-submit', site: 'far#0', child });
  t.match(
    told({ run: waits, steps: [submitted], agents }).because,
    /Its child far has started\. Nothing has been received from the agent a for 14s/,
  );
  const node: NodeView = {
    node: 'build',
    type: 'shell',
    state: 'running',
    attempt: 1,
    started_at: at(61_000),
    activity: child,
  };
  const graph = run({ kind: 'graph', claims: [claim('act_2', 'build', 14_000)] });
  t.match(
    told({ run: graph, nodes: [node], agents }).because,
    /The node build started 1m 1s ago\. Nothing has been received from the agent a/,
  );
});

t.test('a run with nodes: what each of them waits for', async (t) => {
  const waiting = run({ kind: 'graph', status: 'waiting', substate: { kind: 'signal', name: 'x', since: at(0) } });
  const one = (over: Partial<NodeView>): NodeView => ({
    ...{ node: 'build', type: 'shell', state: 'running', attempt: 1, started_at: at(61_000) },
    ...over,
  });
  const waits = (kind: Kind, name: string, more = {}) => one({ substate: { kind, name, since: at(61_000), ...more } });
  const because = (node: NodeView, agents: AgentView[] = []) => told({ run: waiting, nodes: [node], agents });
  t.match(because(waits('signal', 'ship', { deadline: at(-1000) })), {
    because: /The node build has been waiting for the signal ship since \S+ \(1m 1s\); the deadline is \S+\./,
    next: 'send it: svc signal run_1 ship',
  });
  const signals = [{ name: 'shpi', state: 'queued' as const, sent_at: at(1000) }];
  t.match(told({ run: waiting, nodes: [waits('signal', 'ship')], signals }), {
    because: /signal ship .* shpi was sent 1s ago, and nothing waits for that name\.$/,
  });
  t.match(because(waits('event', 'deploy.done')).next, /svc emit deploy\.done/);
  const types = [{ type: 'deploy.doen', last_seen: at(1000) }];
  t.match(told({ run: waiting, nodes: [waits('event', 'deploy.done')], types }).because, /deploy\.doen was recorded/);
  t.match(because(waits('sleep', '', { deadline: at(-1000) })).because, /The node build waits until 2026/);
  t.match(because(waits('child', 'graph a', { run_id: 'run_2' })), {
    because: /run run_2 of graph a/,
    next: /explain run_2/,
  });
  t.match(because(waits('awaiting_lease', 'deploy')).because, /for the lock deploy/);
  const queued = one({ item: 3, activity: { activity_id: 'act_1', state: 'queued', requires: ['gpu'] } });
  t.match(because(queued, [agent('a')]), {
    because: /The item build\[3\] has been waiting for an agent for 1m 1s\. .*a lacks gpu/,
    next: /--cap gpu/,
  });
  const running = one({
    ...{ activity: { activity_id: 'act_1', state: 'running', agent_id: 'agt_a' }, timeout_at: at(-1000) },
  });
  t.match(
    because(running, [agent('a')]).because,
    /has been running on the agent a for 1m 1s\. It fails if it is not done by/,
  );
  const backoff = one({
    ...{ state: 'backoff', attempt: 2, error: { code: 'broken', message: 'no disk' } },
    substate: { kind: 'sleep', name: '', since: at(0), deadline: at(-9000) },
  });
  t.match(because(backoff).because, /failed on attempt 2 with broken: no disk\. The next attempt starts at 2026/);
  t.match(
    because(one({ items: { total: 9, begun: 4, ended: 2, failed: 1 } })).because,
    /ended 2 of 9 items, 1 of them failed/,
  );
  t.match(told({ run: { ...waiting, substate: undefined }, nodes: [] }).because, /about to continue/);
  const many = Array.from({ length: 12 }, (_, n) => one({ node: `n${n}` }));
  t.match(told({ run: waiting, nodes: many }).because, /2 more are in progress: svc steps run_1/);
  const broken = run({ kind: 'graph', status: 'failed', error: { code: 'broken', message: 'node build: no disk' } });
  t.match(told({ run: broken, nodes: [one({ state: 'failed' })] }).next, /svc rerun run_1 --from build/);
  const called = step({ kind: 'call', site: 'build[1]#0', activity: 'build[1]', exit_code: 1 });
  t.match(
    told({ run: broken, nodes: [one({ state: 'failed', type: 'each' })], steps: [called] }),
    { because: /call build\[1\]#0/, next: /svc rerun run_1 --from build$/ },
    'what a node calls is no site of a script',
  );
  t.match(told({ run: run({ status: 'succeeded' }), nodes: many }).because, /with 12 nodes/);
});

t.test('a paused run says who has paused it and how it is resumed', async (t) => {
  const paused = { at: at(60_000), by: 'ana', reason: 'upgrade' };
  const { because, next } = told({ run: run({ paused }), steps: [step({ running: RUNNING, status: 'running' })] });
  t.match(
    because,
    /^The run was paused by ana 1m ago, at \S+: upgrade\. Nothing new starts; work in progress finishes/,
  );
  t.match(because, /Now: step build#0 running for 5s on a/);
  t.equal(next, 'resume it: svc resume run_1');
  const waits = run({
    status: 'waiting',
    substate: { kind: 'signal', name: 'go', since: at(1000) },
    paused: { at: at(60_000), with: 'run_0' },
  });
  t.match(told({ run: waits }), {
    because: /together with the run run_0, which called it, 1m ago, at \S+\. .*waiting for the signal go/,
    next: 'resume it: svc resume run_0',
  });
});

t.test('a question shows the fields of its form', async (t) => {
  const waits = run({ status: 'waiting', substate: { kind: 'signal', name: 'go', since: at(1000) } });
  const form = {
    type: 'object',
    required: ['amount'],
    properties: {
      amount: { type: 'number' },
      via: { type: 'string', enum: ['card', 'cash'], default: 'card' },
      note: { type: 'string', format: 'textarea' },
    },
  };
  const asking = (more: object) => told({ run: waits, questions: [{ name: 'go', message: 'Refund?', ...more }] });
  t.match(asking({ form }), {
    because:
      /asks: Refund\? The answer has these fields: amount \(number, required\), via \(card\|cash, by default card\) and note \(text\)\./,
    next: /approve it: svc approve run_1 go/,
  });
  t.notMatch(asking({}).because, /The answer has/);
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`f${n}`, { type: 'string' }]));
  t.match(asking({ form: { properties: many } }).because, /f4 \(string\) and 4 more\./);
});

const RUNNING = { since: at(5000), agent_id: 'agt_a', agent: 'a' };

t.test('a failed run of a handler: when it is run again, and how not to wait', async (t) => {
  const failed = run({ status: 'failed', error: { code: 'script_failed', message: 'exit code 7' } });
  const retry = { handler: 'careful', event: 'evt_1', attempt: 2, limit: 3, at: at(-60_000) };
  t.match(told({ run: failed, retry }), {
    because: `The handler careful runs it again at ${retry.at} (retry 2 of 3).`,
    next: 'do not wait for the retry: svc rerun run_1',
  });
  t.match(told({ run: failed, retry: { ...retry, limit: undefined } }).because, /\(retry 2\)\.$/);
  t.notMatch(told({ run: failed }).because, /runs it again/);
});
