import type { Test } from 'tap';
import type { Claimed } from '../../../plugins/engine/runs/contract.ts';
import { readRun } from '../../../plugins/engine/runs/store/read/reading.ts';
import { call, codeOf, type Scenario, refOf, step, until } from './scenario.ts';

/** claim, renew, release, expiry and the fence that they share. */
export function claimSuite(t: Test, scenario: () => Scenario): void {
  t.test('the oldest work comes first, once, with its run started', async (t) => {
    const h = scenario();
    const runs = [await h.submit(), await h.submit({ tags: ['team:core'] }), await h.submit()];
    const two = await h.store.claim(h.agent(), 2, 600_000);
    t.same(
      two.map(({ run_id }) => run_id),
      runs.slice(0, 2).map(({ run_id }) => run_id),
    );
    const { heard, database, sealer } = h.first;
    t.match(heard.transitions[1], {
      type: 'run.started',
      run_id: runs[1]!.run_id,
      payload: {
        status: 'running',
        workflow: 'build.sh',
        tags: ['team:core'],
        tag: { team: 'core' },
        trigger: { type: 'manual' },
        run_url: `https://svc.example/orgs/acme/projects/main/runs/${runs[1]!.run_id}`,
      },
    });
    const run = await readRun(database, sealer, h.run(runs[0]!.run_id), runs[0]!.run_id);
    t.equal(run.status, 'running');
    t.ok(run.started_at! >= run.created_at);
    t.equal((await h.store.claim(h.agent(), 5, 600_000)).length, 1);
    t.same(await h.store.claim(h.agent(), 5, 600_000), []);
    t.same(await h.store.claim(h.agent(), 0, 600_000), []);
  });

  t.test('only capabilities and the own org are served, and foreign work hides nothing', async (t) => {
    const h = scenario();
    for (let i = 0; i < 150; i++) await h.submit({ requires: ['gpu', 'linux'] });
    const mine = await h.submit({ requires: ['linux'] });
    const plain = await h.submit();
    t.same(
      (await h.store.claim(h.agent(['linux', 'bash']), 4, 600_000)).map(({ run_id }) => run_id),
      [mine.run_id, plain.run_id],
    );
    t.same(await h.store.claim({ ...h.agent(['gpu', 'linux']), org_id: h.ids.next('org') }, 4, 600_000), []);
    t.equal((await h.store.claim(h.agent(['linux', 'gpu']), 4, 600_000)).length, 4);
    const everywhere = await h.store.claim(
      { agent_id: 'agt_all', org_id: undefined, capabilities: ['linux', 'gpu'] },
      500,
      600_000,
    );
    t.equal(everywhere.filter(({ org_id }) => org_id === h.org_id).length, 146);
  });

  t.test('a claimer gets work for its executors only', async (t) => {
    const h = scenario();
    const activity = (executor: string) => ({ activity_id: h.ids.next('act'), name: executor, executor, spec: null });
    const activities = ['script', 'http', 'command'].map((one) => ({ ...activity(one), requires: ['linux'] }));
    await h.submit({ activities });
    const claims = async (...executors: string[]) =>
      (await h.store.claim({ ...h.agent(['linux']), executors }, 9, 600_000)).map(({ executor }) => executor);
    t.same(await claims(), []);
    t.same(await claims('other'), []);
    t.same(await claims('http'), ['http']);
    // A lane of a server of before: its work is for those that run scripts.
    await h.submit({ activities: [{ ...activity('script'), requires: ['old'] }] });
    const { database } = h.first;
    await database.write("UPDATE runs_lanes SET executor = '' WHERE org_id = ? AND requires = ?", [
      h.org_id,
      '["old"]',
    ]);
    const old = { ...h.agent(['linux', 'old']), executors: ['http'] };
    t.same(await h.store.claim(old, 9, 600_000), []);
    const all = await h.store.claim({ ...old, executors: ['command', 'script'] }, 9, 600_000);
    t.same(all.map(({ executor }) => executor).sort(), ['command', 'script', 'script']);
  });

  t.test('16 claimers on two servers take 500 activities once each', async (t) => {
    const h = scenario();
    await Promise.all(Array.from({ length: 250 }, () => h.submit({}, 2)));
    const taken: Claimed[] = [];
    await Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        const { store } = i % 2 === 0 ? h.first : h.other;
        for (;;) {
          const some = await store.claim(h.agent([], `agt_${i}`), 1 + (i % 9), 600_000);
          taken.push(...some);
          if (some.length === 0) break;
        }
      }),
    );
    await until(async () => {
      const rest = await h.store.claim(h.agent([], 'agt_rest'), 100, 600_000);
      taken.push(...rest);
      return rest.length === 0;
    });
    t.equal(taken.length, 500);
    t.equal(new Set(taken.map(({ activity_id }) => activity_id)).size, 500);
    t.ok(taken.every(({ epoch }) => epoch === 1));
    t.equal(h.announced('run.started'), 250);
  });

  t.test('a renewed claim stays, a stale one is named lost', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const stale = { ...refOf(claim), epoch: 7 };
    const none = { activity_id: 'act_none', epoch: 1 };
    t.same(await h.store.renew('agt_one', [refOf(claim), stale, none], 600_000), { lost: [stale, none] });
    t.same(await h.store.renew('agt_one', [refOf(claim)], 600_000), { lost: [] }, 'twice within a millisecond too');
    t.same(await h.store.renew('agt_two', [refOf(claim)], 600_000), { lost: [refOf(claim)] });
    t.same(await h.store.renew('agt_one', [], 600_000), { lost: [] });
    t.equal(await h.store.expireClaims(10), 0);
    await h.store.renew('agt_one', [refOf(claim)], -1);
    t.equal(await h.store.expireClaims(1000), 1);
    t.same(await h.store.renew('agt_one', [refOf(claim)], 600_000), { lost: [refOf(claim)] });
    t.match(h.first.heard.revoked, [{ ...refOf(claim), agent_id: 'agt_one' }]);
  });

  t.test('an expired claim writes nothing, whatever it tries (I2)', async (t) => {
    const h = scenario();
    const old = await h.started();
    await h.store.append(refOf(old), step(0));
    await h.store.renew('agt_one', [refOf(old)], -1);
    await until(async () => (await h.store.expireClaims(10)) > 0);
    const refused = async (when: string) => {
      const ref = refOf(old);
      const wait = { ...call(1), timeout_ms: 5 };
      t.equal(await codeOf(h.store.append(ref, step(1))), 'lease_lost', `append ${when}`);
      t.equal(await codeOf(h.store.perform(ref, call(1, { kind: 'count' }))), 'lease_lost', `perform ${when}`);
      t.equal(await codeOf(h.store.park(ref, { ...wait, kind: 'sleep' })), 'lease_lost', `park ${when}`);
      t.equal(
        await codeOf(h.store.complete(ref, { status: 'succeeded', output: 1 })),
        'lease_lost',
        `complete ${when}`,
      );
      t.equal(await codeOf(h.store.annotate(ref, 0, 'late')), 'lease_lost', `annotate ${when}`);
      const chunk = { n: 0, stream: 'stdout' as const, at: 1, data: '' };
      t.equal(await codeOf(h.store.appendLogs(ref, [chunk])), 'lease_lost', `logs ${when}`);
    };
    await refused("while it is nobody's");
    const next = await h.claim('agt_two');
    t.match(next, { epoch: 2, pass: 1, journal: [step(0)] });
    await refused('while another holds it');
    t.equal(await codeOf(h.store.release(refOf(old))), 'lease_lost');
    await h.store.append(refOf(next), step(1));
    await h.store.complete(refOf(next), { status: 'succeeded', output: null });
    await refused('when it is done');
    t.equal(await h.count('runs_journal', 'activity_id = ?', [old.activity_id]), 2);
  });

  t.test('a release is free at once, and its repeat is fine', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.release(refOf(claim));
    await h.store.release(refOf(claim));
    const again = await h.claim('agt_two');
    t.match(again, { activity_id: claim.activity_id, epoch: 2, pass: 1 });
    t.equal(await codeOf(h.store.release(refOf(claim))), 'lease_lost');
    t.equal(await codeOf(h.store.release({ activity_id: 'act_none', epoch: 1 })), 'lease_lost');
  });

  t.test('an agent that comes back keeps what it names', async (t) => {
    const h = scenario();
    for (let i = 0; i < 3; i++) await h.submit();
    const agent_id = h.ids.next('agt');
    const claims = await h.store.claim(h.agent([], agent_id), 3, 600_000);
    t.equal(await h.store.releaseAllBut(agent_id, [refOf(claims[1]!), { ...refOf(claims[2]!), epoch: 9 }]), 2);
    t.equal(await h.store.releaseAllBut(agent_id, [refOf(claims[1]!)]), 0);
    t.same(await h.store.renew(agent_id, claims.map(refOf), 600_000), { lost: [refOf(claims[0]!), refOf(claims[2]!)] });
  });

  t.test(
    'what is lost with every agent that takes it fails in the end, and without a record in between only',
    async (t) => {
      const h = scenario();
      const agent_id = h.ids.next('agt');
      await h.submit();
      const claim = await h.claim(agent_id);
      const { activity_id, run_id } = claim;
      const lose = async (nth: number, { epoch }: { epoch: number }) => {
        if (nth % 2 === 0) return t.equal(await h.store.releaseAllBut(agent_id, []), 1);
        await h.store.renew(agent_id, [{ activity_id, epoch }], -1);
        return t.equal(await h.store.expireClaims(1000), 1);
      };
      let held = claim;
      for (let nth = 1; nth < 25; nth++) {
        await lose(nth, held);
        held = await h.claim(agent_id);
      }
      await h.store.append(refOf(held), step(0));
      for (let nth = 1; nth < 25; nth++) {
        await lose(nth, held);
        held = await h.claim(agent_id);
        t.equal(held.activity_id, activity_id, 'handed out again');
      }
      const work = h.first.heard.work;
      await lose(25, held);
      t.equal(h.first.heard.work, work + 1);
      const run = await readRun(h.first.database, h.first.sealer, h.run(run_id), run_id);
      t.match(run, {
        status: 'failed',
        error: { code: 'activity_killed', message: /lost 25 times .* with agent agt_/ },
      });
      t.match(h.first.heard.transitions.at(-1), { type: 'run.failed', run_id });
      t.match(h.first.heard.revoked.at(-1), { ...refOf(held), agent_id: agent_id });
      t.same(await h.store.claim(h.agent(), 5, 600_000), []);
      t.equal(await codeOf(h.store.append(refOf(held), step(1))), 'lease_lost');
    },
  );

  t.test('what an agent gives back by itself is not counted as lost', async (t) => {
    const h = scenario();
    const agent_id = h.ids.next('agt');
    await h.submit();
    let held = await h.claim(agent_id);
    for (let nth = 1; nth < 40; nth++) {
      await h.store.release(refOf(held));
      held = await h.claim(agent_id);
    }
    t.equal(await h.store.releaseAllBut(agent_id, []), 1);
    t.equal((await h.claim('agt_two')).activity_id, held.activity_id);
  });

  t.test('an agent and an expiry racing leave one holder', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.renew('agt_one', [refOf(claim)], -1);
    const [, , renewed] = await Promise.all([
      h.first.store.expireClaims(10),
      h.other.store.expireClaims(10),
      h.first.store.renew('agt_one', [refOf(claim)], 600_000),
    ]);
    const rest = await h.store.claim(h.agent([], 'agt_two'), 1, 600_000);
    t.equal(rest.length, renewed.lost.length, 'lost for one exactly when it is there for another');
  });
}
