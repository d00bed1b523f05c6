import t from 'tap';
import { STORES } from '../../../test/kit/index.ts';
import type { Claimed } from '../runs/contract.ts';
import { FlowServer, shell } from './testing/flow-server.ts';

const failed = { status: 'failed', code: 'broken', message: 'it broke' } as const;

// @store: ends that share a transaction.
for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const flows = await FlowServer.openFor(t, { store });
    const items = Array.from({ length: 60 }, (_, n) => n);
    const all = (more = {}) => shell('all', { fan_out: { items, concurrency: 60 }, ...more });
    /** Ends at once; answers the codes of those that were refused. */
    const endAll = async (claims: readonly Claimed[], ends: (claim: Claimed) => Parameters<FlowServer['end']>[1]) =>
      (await Promise.allSettled(claims.map((claim) => flows.end(claim, ends(claim))))).flatMap((one) =>
        one.status === 'rejected' ? [(one.reason as { code: string }).code] : [],
      );

    t.test('ends that come together share transactions, and each counts', async (t) => {
      const runs = [await flows.submit({ nodes: [all()], output: { text: 'nodes.all.output', reads: ['all'] } })];
      runs.push(await flows.submit({ nodes: [all()] }));
      const claims = [...(await flows.claim(100)), ...(await flows.claim(100))];
      t.equal(claims.length, 120);
      t.same(await endAll(claims, ({ name }) => ({ status: 'succeeded', output: name })), []);
      for (const run_id of runs) t.match(await flows.read(run_id), { status: 'succeeded' });
      const { output } = await flows.read(runs[0]!);
      t.same(
        output,
        items.map((n) => `all[${n}]`),
      );
    });

    t.test('one that is lost, or that cancels others, fails nobody else', async (t) => {
      const run_id = await flows.submit({ nodes: [all()] });
      const claims = await flows.claim(100);
      const stale = { ...claims[0]!, epoch: claims[0]!.epoch + 7 };
      t.same(await endAll([stale, ...claims.slice(1, 20)], () => undefined), ['lease_lost']);
      const refused = await endAll(claims.slice(20), ({ name }) => (name === 'all[30]' ? failed : undefined));
      t.ok(
        refused.every((code) => code === 'lease_lost'),
        `${refused.length} came after the end of the run`,
      );
      t.match(await flows.read(run_id), { status: 'failed', error: { code: 'broken' } });
      t.same(await endAll(claims, () => undefined).then((codes) => [...new Set(codes)]), ['lease_lost']);
    });

    t.test('the same end twice is one end', async (t) => {
      const run_id = await flows.submit({ nodes: [all()] });
      const claims = await flows.claim(100);
      t.same(await endAll([...claims, ...claims], () => undefined), []);
      t.equal((await flows.read(run_id)).status, 'succeeded');
    });
  });
