import type { Test } from 'tap';
import type { Sealer } from '../../../kernel/contracts/index.ts';
import { readRun } from '../../../plugins/engine/runs/store/read/reading.ts';
import { codeOf, type Scenario, refOf, step, text, until, waitFor } from './scenario.ts';

const record = (answer: Awaited<ReturnType<Scenario['store']['park']>>) =>
  'record' in answer ? answer.record : undefined;
const read = (h: Scenario, run_id: string) =>
  readRun(h.first.database, h.first.sealer as Sealer, h.run(run_id), run_id);

/** park, signals, timers and the resolver: one outcome a wait, first come first served. */
export function waitSuite(t: Test, scenario: () => Scenario): void {
  t.test('a signal wakes the wait, and the next pass finds its payload', async (t) => {
    const h = scenario();
    const claim = await h.started();
    t.same(await h.store.park(refOf(claim), waitFor(0, 'go', { label: 'approval' })), { parked: true });
    t.match(await read(h, claim.run_id), { status: 'waiting', substate: { kind: 'signal', name: 'go' } });
    t.same(await h.store.claim(h.agent(), 1, 600_000), [], 'a parked activity holds no agent');
    await h.signal(claim.run_id, 'other');
    t.equal((await read(h, claim.run_id)).status, 'waiting');
    await h.other.store.sendSignal({ ...h.run(claim.run_id), name: 'go', payload: { by: ['é', 1.5, null] } });
    t.match(await read(h, claim.run_id), { status: 'running', substate: undefined });
    const next = await h.claim('agt_two');
    t.match(next, { epoch: 2, pass: 1 });
    t.match(next.journal, [{ position: 0, kind: 'wait-signal', name: 'go', label: 'approval', exit_code: 0 }]);
    t.equal(text(next.journal[0]!), '{"by":["é",1.5,null]}\n');
  });

  t.test('a signal with a key is one signal, however often it is sent, and after the end too', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const send = (key: string, payload: number) =>
      h.other.store.sendSignal({ ...h.run(claim.run_id), name: 'go', payload, idempotency_key: key });
    await Promise.all([send('a', 1), send('a', 1), send('a', 1)]);
    await send('b', 2);
    t.equal(await h.count('runs_signals', 'run_id = ?', [claim.run_id]), 2);
    await h.store.complete(refOf(claim), { status: 'succeeded', output: null });
    t.equal(await codeOf(send('a', 1)), undefined);
    t.equal(await codeOf(send('c', 3)), 'run_finished');
    t.equal(
      await codeOf(
        h.store.sendSignal({ ...h.run(claim.run_id), org_id: 'org_x', name: 'go', payload: 1, idempotency_key: 'a' }),
      ),
      'not_found',
    );
  });

  t.test('who sends a signal learns whether a wait took it, and what the run waits for instead', async (t) => {
    const h = scenario();
    const { run_id } = await h.submit({}, 3);
    const claims = await h.store.claim(h.agent(), 3, 600_000);
    const send = (name: string, key?: string) =>
      h.other.store.sendSignal({
        ...h.run(run_id),
        name,
        payload: 1,
        ...(key !== undefined && { idempotency_key: key }),
      });
    t.same(await send('go', 'k'), { state: 'queued', waits_for: [] });
    await h.store.park(refOf(claims[2]!), waitFor(0, 'second'));
    await h.store.park(refOf(claims[0]!), waitFor(0, 'first'));
    t.same(await send('frist'), { state: 'queued', waits_for: ['second', 'first'] });
    t.same(await send('first', 'one'), { state: 'taken', waits_for: [] });
    t.same(await send('first', 'one'), { state: 'taken', waits_for: [] }, 'a repeat tells the same');
    await h.store.park(refOf(claims[1]!), waitFor(0, 'go'));
    t.same(await send('go', 'k'), { state: 'taken', waits_for: [] }, 'it was taken meanwhile');
  });

  t.test('a name is a queue: first sent, first taken, and a name is its bytes', async (t) => {
    const h = scenario();
    const claim = await h.started();
    for (const payload of [1, 2, 3]) await h.signal(claim.run_id, 'q', payload);
    await h.signal(claim.run_id, 'q ', 'padded');
    await h.signal(claim.run_id, 'event:x:y', 'bridged');
    const take = async (position: number, name: string, ordinal: number) =>
      text(record(await h.store.park(refOf(claim), waitFor(position, name, { ordinal })))!);
    t.equal(await take(0, 'q', 0), '1\n');
    t.equal(await take(1, 'q', 1), '2\n');
    t.equal(await take(2, 'q ', 0), '"padded"\n');
    t.equal(await take(3, 'event:x:y', 0), '"bridged"\n');
    t.equal(await take(1, 'q', 1), '2\n', 'a repeat finds its record and takes nothing');
    t.equal(await take(4, 'q', 2), '3\n');
    t.same(await h.store.park(refOf(claim), waitFor(5, 'q', { ordinal: 3 })), { parked: true });
    t.equal(await h.count('runs_signals', "run_id = ? AND state = 'taken'", [claim.run_id]), 5);
  });

  t.test('activities that wait for one name get a signal each, the longest waiting first', async (t) => {
    const h = scenario();
    const { run_id } = await h.submit({}, 3);
    const claims = await h.store.claim(h.agent(), 3, 600_000);
    for (const claim of [claims[2]!, claims[0]!]) await h.store.park(refOf(claim), waitFor(0, 'go'));
    t.equal((await read(h, run_id)).status, 'running', 'one still runs');
    await h.store.park(refOf(claims[1]!), waitFor(0, 'go'));
    t.equal((await read(h, run_id)).status, 'waiting');
    await h.signal(run_id, 'go', 'a');
    const [woken, ...none] = await h.store.claim(h.agent(), 3, 600_000);
    t.equal(woken!.activity_id, claims[2]!.activity_id);
    t.equal(none.length, 0);
    await Promise.all(['b', 'c', 'd'].map((payload) => h.signal(run_id, 'go', payload)));
    t.equal((await h.store.claim(h.agent(), 3, 600_000)).length, 2);
    t.equal(await h.count('runs_signals', "run_id = ? AND state = 'queued'", [run_id]), 1);
  });

  t.test('parking again answers the same, whatever happened in between', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const wait = waitFor(0, 'go', { timeout_ms: 3_600_000 });
    await h.store.park(refOf(claim), wait);
    const before = (await read(h, claim.run_id)).substate!;
    t.same(await h.other.store.park(refOf(claim), wait), { parked: true });
    t.same((await read(h, claim.run_id)).substate, before, 'the deadline is that of the first park');
    t.equal(await codeOf(h.store.park(refOf(claim), waitFor(0, 'other'))), 'journal_conflict');
    t.equal(await codeOf(h.store.park(refOf(claim), waitFor(1, 'go'))), 'lease_lost');
    await h.signal(claim.run_id, 'go', 7);
    t.same(await h.store.park(refOf(claim), wait), { parked: true }, 'resolved, not yet claimed');
    const next = await h.claim();
    t.equal(await codeOf(h.store.park(refOf(claim), wait)), 'lease_lost');
    t.equal(text(record(await h.store.park(refOf(next), wait))!), '7\n');
    t.equal(await codeOf(h.store.park(refOf(next), waitFor(2, 'go'))), 'journal_conflict');
    t.equal(await codeOf(h.store.park(refOf(next), waitFor(1, 'go'))), 'journal_conflict', 'its site is recorded');
    t.equal(await codeOf(h.store.park(refOf(next), waitFor(1, 'go', { kind: 'nothing' }))), 'invalid_request');
    t.equal(await codeOf(h.store.park(refOf(next), waitFor(1, '', { kind: 'sleep' }))), 'invalid_request');
  });

  t.test('time ends a sleep with 0 and a wait for a signal with 124', async (t) => {
    const h = scenario();
    const { run_id } = await h.submit({}, 4);
    const claims = await h.store.claim(h.agent(), 4, 600_000);
    const waits = [
      waitFor(0, '', { kind: 'sleep', timeout_ms: 20 }),
      waitFor(0, 'never', { timeout_ms: 5 }),
      waitFor(0, 'x', { kind: 'outside', timeout_ms: 1, args: { broken: true } }),
      waitFor(0, 'later', { timeout_ms: 3_600_000 }),
    ];
    for (const [i, wait] of waits.entries()) await h.store.park(refOf(claims[i]!), wait);
    t.ok(h.first.heard.timers.length === 4);
    let resolved = 0;
    await until(async () => {
      const [mine, theirs] = await Promise.all([h.first.store.resolveDue(50), h.other.store.resolveDue(50)]);
      resolved += mine.resolved + theirs.resolved;
      return resolved >= 3;
    });
    t.equal(resolved, 3, 'each once, though two servers looked');
    const due = await h.store.resolveDue(50);
    t.equal(due.resolved, 0);
    t.ok(due.next !== null && due.next > h.first.database.now() + 3_000_000, 'the next deadline is known');
    await h.signal(run_id, 'never', 'too late');
    const woken = await h.store.claim(h.agent(), 4, 600_000);
    const codes = new Map(woken.map(({ journal: [first] }) => [first!.kind, first!]));
    t.match(codes.get('sleep'), { exit_code: 0, output: '' });
    t.match(codes.get('wait-signal'), { exit_code: 124, output: '', message: /never/ });
    t.match(codes.get('outside'), { exit_code: 1, message: /broken kind/ });
    t.equal(await h.count('runs_signals', "run_id = ? AND state = 'queued'", [run_id]), 1, 'the late signal is queued');
  });

  t.test('a timeout that lets no time pass ends at once, after a look at the queue', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const none = record(await h.store.park(refOf(claim), waitFor(0, 'go', { timeout_ms: 0 })));
    t.match(none, { exit_code: 124, output: '' });
    await h.signal(claim.run_id, 'go', 1);
    const one = record(await h.store.park(refOf(claim), waitFor(1, 'go', { ordinal: 1, timeout_ms: -5 })));
    t.match(one, { exit_code: 0 });
    const slept = record(await h.store.park(refOf(claim), waitFor(2, '', { kind: 'sleep', timeout_ms: 0 })));
    t.match(slept, { exit_code: 0 });
  });

  t.test('a signal and a park at the same moment never miss each other', async (t) => {
    const h = scenario();
    await Promise.all(Array.from({ length: 40 }, () => h.submit()));
    const claims = await h.store.claim(h.agent(), 40, 600_000);
    await Promise.all(
      claims.flatMap((claim, i) => [
        (i % 2 === 0 ? h.first : h.other).store.park(refOf(claim), waitFor(0, 'go')),
        (i % 3 === 0 ? h.first : h.other).store.sendSignal({ ...h.run(claim.run_id), name: 'go', payload: i }),
      ]),
    );
    t.equal(
      await h.count(
        'runs_signals',
        "topic <> '' AND state = 'taken' AND run_id IN (SELECT run_id FROM runs_runs WHERE project_id = ?)",
        [h.project_id],
      ),
      40,
    );
    t.equal(
      await h.count(
        'runs_journal',
        "kind = 'wait-signal' AND run_id IN (SELECT run_id FROM runs_runs WHERE project_id = ?)",
        [h.project_id],
      ),
      40,
    );
  });

  t.test('of a signal, a timer and a resolver one wins (I9)', async (t) => {
    const h = scenario();
    await Promise.all(Array.from({ length: 20 }, () => h.submit()));
    const claims = await h.store.claim(h.agent(), 20, 600_000);
    for (const claim of claims) await h.store.park(refOf(claim), waitFor(0, 'go', { timeout_ms: 1 }));
    const outside = { exit_code: 0, output: Buffer.from('outside') };
    const resolver = claims.map(({ run_id, activity_id }) =>
      h.other.sealer
        .prepare(h.org_id)
        .then(() =>
          h.other.database.transaction((tx) =>
            h.other.store.resolve(tx, { run_id, activity_id, position: 0 }, outside),
          ),
        ),
    );
    const signals = claims.map(({ run_id }) => h.signal(run_id, 'go', 1));
    const [won] = await Promise.all([
      Promise.all(resolver),
      Promise.all(signals),
      h.store.resolveDue(100),
      h.other.store.resolveDue(100),
    ]);
    await until(async () => (await h.count('runs_waits', "project_id = ? AND state = 'armed'", [h.project_id])) === 0);
    const journals = (await h.store.claim(h.agent(), 20, 600_000)).map(({ journal }) => journal);
    t.ok(journals.every((journal) => journal.length === 1));
    t.equal(journals.filter(([first]) => text(first!) === 'outside').length, won.filter((yes) => yes).length);
  });

  t.test('who may not, does not', async (t) => {
    const h = scenario();
    const claim = await h.started();
    t.equal(
      await codeOf(h.store.sendSignal({ ...h.run(claim.run_id), project_id: 'prj_other', name: 'go', payload: 1 })),
      'not_found',
    );
    t.equal(
      await codeOf(h.store.sendSignal({ ...h.run(claim.run_id), org_id: 'org_other', name: 'go', payload: 1 })),
      'not_found',
    );
    t.equal(await codeOf(h.signal('run_none', 'go')), 'not_found');
    t.equal(await codeOf(h.signal(claim.run_id, '')), 'invalid_request');
    t.equal(await codeOf(h.signal(claim.run_id, 'go', 'x'.repeat(2 * 1024 * 1024))), 'payload_too_large');
    await h.store.append(refOf(claim), step(0));
    await h.store.complete(refOf(claim), { status: 'succeeded', output: null });
    t.equal(await codeOf(h.signal(claim.run_id, 'go')), 'run_finished');
  });
}
