import type { Test } from 'tap';
import type { LogChunk } from '../../../plugins/engine/runs/contract.ts';
import { readLogs } from '../../../plugins/engine/runs/store/read/stored-logs.ts';
import { codeOf, type Scenario, refOf } from './scenario.ts';

const chunk = (n: number, text = `line ${n}\n`): LogChunk => ({
  n,
  stream: n % 3 === 0 ? 'stderr' : 'stdout',
  at: 1_700_000_000_000 + n,
  data: Buffer.from(text).toString('base64'),
});

const logs = (h: Scenario, run_id: string, after?: string, limit = 1000) =>
  readLogs(h.first.database, h.first.sealer, run_id, after, limit);

/** appendLogs: once a chunk, in an order that a follower can trust. */
export function logSuite(t: Test, scenario: () => Scenario): void {
  t.test('chunks come back in order, once each', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.appendLogs(refOf(claim), [chunk(0), chunk(1)]);
    await Promise.all([h.first, h.other].map(({ store }) => store.appendLogs(refOf(claim), [chunk(1), chunk(2)])));
    await h.store.appendLogs(refOf(claim), [chunk(0), chunk(3, '')]);
    await h.store.appendLogs(refOf(claim), []);
    const all = await logs(h, claim.run_id);
    t.same(
      all.map(({ data }) => data.toString()),
      ['line 0\n', 'line 1\n', 'line 2\n', ''],
    );
    t.match(all[0], { stream: 'stderr', at: 1_700_000_000_000, activity_id: claim.activity_id });
    t.same(await logs(h, claim.run_id, all[1]!.log_id), all.slice(2));
    t.same(await logs(h, claim.run_id, all[3]!.log_id), []);
    t.equal((await logs(h, claim.run_id, undefined, 2)).length, 2);
    t.equal(await codeOf(logs(h, claim.run_id, 'x')), 'invalid_request');
    t.equal(await codeOf(logs(h, 'run_none')), 'not_found');
    for (const wrong of [{ n: -1 }, { stream: 'log' }, { at: 0.5 }])
      t.equal(
        await codeOf(h.store.appendLogs(refOf(claim), [{ ...chunk(9), ...wrong } as LogChunk])),
        'invalid_request',
      );
  });

  t.test('a later pass counts anew', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.appendLogs(refOf(claim), [chunk(0, 'first')]);
    await h.store.release(refOf(claim));
    const next = await h.claim();
    await h.store.appendLogs(refOf(next), [chunk(0, 'second')]);
    t.same(
      (await logs(h, claim.run_id)).map(({ data }) => data.toString()),
      ['first', 'second'],
    );
  });

  t.test('a follower of many writers on two servers misses and repeats nothing', async (t) => {
    const h = scenario();
    const { run_id } = await h.submit({}, 8);
    const claims = await h.store.claim(h.agent(), 8, 600_000);
    let writing = true;
    const writers = Promise.all(
      claims.map(async (claim, i) => {
        const { store } = i % 2 === 0 ? h.first : h.other;
        for (let n = 0; n < 40; n += 2)
          await store.appendLogs(refOf(claim), [chunk(n, `${i}:${n}`), chunk(n + 1, `${i}:${n + 1}`)]);
      }),
    ).finally(() => {
      writing = false;
    });
    const seen: string[] = [];
    let after: string | undefined;
    for (let last = false; !last; ) {
      last = !writing;
      const some = await logs(h, run_id, after, 50);
      for (const { data } of some) seen.push(data.toString());
      after = some.at(-1)?.log_id ?? after;
      last &&= some.length === 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writers;
    t.equal(seen.length, 320);
    t.equal(new Set(seen).size, 320);
    for (let i = 0; i < 8; i++)
      t.same(
        seen.filter((line) => line.startsWith(`${i}:`)),
        Array.from({ length: 40 }, (_, n) => `${i}:${n}`),
      );
  });
}
