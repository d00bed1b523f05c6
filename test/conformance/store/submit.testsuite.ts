import type { Test } from 'tap';
import { triggerEventOf } from '../../../plugins/engine/runs/contract.ts';
import { codeOf, type Scenario, until } from './scenario.ts';

/** createRun: one run a key and an id, trust that only falls, bounds. */
export function submitSuite(t: Test, scenario: () => Scenario): void {
  t.test('a submit is queued once, with what it was given', async (t) => {
    const h = scenario();
    const run = h.newRun({
      tags: ['team:core', 'plain', 'plain '],
      subject: 'acme/app',
      env: { A: 'b' },
      input: { n: 1 },
    });
    t.same(await h.store.createRun(run), { run_id: run.run_id, status: 'queued', duplicate: false });
    t.ok(h.first.heard.work > 0, 'work is announced to this process');
    t.equal(await h.count('runs_tags', 'run_id = ?', [run.run_id]), 3, 'tags compare by bytes');
    const claimed = await h.claim();
    t.same(claimed.envelope, { type: 'manual', event: triggerEventOf(run.run_id), input: { n: 1 } });
    t.match(claimed, { org: 'acme', project: 'main', executor: 'script', pass: 0, epoch: 1, spec: { source: 'echo' } });
    t.same(claimed.journal, []);
  });

  t.test('a key makes one run per project, and says when the source differs', async (t) => {
    const h = scenario();
    const first = h.newRun({ idempotency_key: 'k' });
    t.equal((await h.store.createRun(first)).duplicate, false);
    const again = await h.store.createRun(h.newRun({ idempotency_key: 'k' }));
    t.same(again, { run_id: first.run_id, status: 'queued', duplicate: true });
    const other = await h.other.store.createRun(h.newRun({ idempotency_key: 'k', source: 'other' }));
    t.same(other, { run_id: first.run_id, status: 'queued', duplicate: true, source_differs: true });
    const elsewhere = await h.store.createRun(h.newRun({ idempotency_key: 'k', project_id: h.ids.next('prj') }));
    t.equal(elsewhere.duplicate, false, 'another project');
    t.equal((await h.store.createRun(h.newRun({ idempotency_key: 'k ' }))).duplicate, false, 'another key by a byte');
    t.equal(await h.count('runs_activities', 'run_id = ?', [first.run_id]), 1);
    t.equal(await h.count('runs_sources', 'project_id = ?', [h.project_id]), 1, 'a source is stored once');
  });

  t.test('many at once with few keys make one run a key, on every server', async (t) => {
    const h = scenario();
    const submits = Array.from({ length: 120 }, (_, i) => {
      const { store } = i % 2 === 0 ? h.first : h.other;
      return store.createRun(h.newRun({ idempotency_key: `key-${i % 7}` }));
    });
    const results = await Promise.all(submits);
    t.equal(results.filter(({ duplicate }) => !duplicate).length, 7);
    for (let key = 0; key < 7; key++)
      t.equal(new Set(results.filter((_, i) => i % 7 === key).map(({ run_id }) => run_id)).size, 1);
    t.equal(await h.count('runs_activities', 'project_id = ?', [h.project_id]), 7, 'losers leave no activity');
  });

  t.test('a run id that exists is the same run', async (t) => {
    const h = scenario();
    const run = h.newRun();
    await h.store.createRun(run);
    t.match(await h.other.store.createRun(run), { run_id: run.run_id, duplicate: true });
    const once = h.newRun();
    const results = await Promise.all([h.first, h.other, h.first].map(({ store }) => store.createRun(once)));
    t.equal(results.filter(({ duplicate }) => !duplicate).length, 1);
    t.equal(await h.count('runs_activities', 'run_id = ?', [once.run_id]), 1);
  });

  t.test('trust falls along the line of parents and never rises (I16)', async (t) => {
    const h = scenario();
    const parent = await h.submit({ trusted: false });
    await h.submit({ parent: parent.run_id, trusted: true });
    const claims = await h.store.claim(h.agent(), 5, 600_000);
    t.same(
      claims.map(({ trusted }) => trusted),
      [false, false],
    );
    t.equal(claims[1]!.envelope.parent, parent.run_id);
    t.equal(await codeOf(h.store.createRun(h.newRun({ parent: 'run_none' }))), 'not_found');
    t.equal(await codeOf(h.store.createRun(h.newRun({ parent: parent.run_id, project_id: 'prj_other' }))), 'not_found');
  });

  t.test('what no column holds is refused by its code', async (t) => {
    const h = scenario();
    for (const wrong of [
      { workflow: 'x'.repeat(256) },
      { kind: 'K' },
      { run_id: 'r'.repeat(65) },
      { activities: [] },
      { generation: -1 },
    ])
      t.equal(await codeOf(h.store.createRun(h.newRun(wrong))), 'invalid_request', JSON.stringify(wrong));
    const odd = h.newRun({ workflow: '😀'.repeat(255), subject: 'a\0b', source: '\u2028\0é', input: '\ud800' });
    t.equal((await h.store.createRun(odd)).duplicate, false, 'any text that fits is taken');
  });

  t.test('hundreds of large and small submits share commits without mixing up', async (t) => {
    const h = scenario();
    const runs = Array.from({ length: 200 }, (_, i) =>
      h.newRun({ source: `${i}`.repeat(i % 20 === 0 ? 100_000 : 1) }, 2),
    );
    const results = await Promise.all(runs.map((run) => h.store.createRun(run)));
    t.same(
      results.map(({ run_id }) => run_id),
      runs.map(({ run_id }) => run_id),
    );
    t.equal(await h.count('runs_activities', 'project_id = ?', [h.project_id]), 400);
    await until(async () => (await h.store.claim(h.agent(), 128, 600_000)).length === 0);
    t.equal(await h.count('runs_activities', "project_id = ? AND state = 'claimed'", [h.project_id]), 400);
    t.equal(h.first.heard.transitions.length, 200, 'run.started once for each');
  });
}
