import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { openTestDatabase, STORES } from '../kit/index.ts';
import { GraphServer, createGraph, node } from '../../plugins/documents/graphs/testing/graph-server.ts';
import { Prunables } from '../../plugins/platform/retention/contract.ts';
import type { ClaimRef } from '../../plugins/engine/runs/contract.ts';
import { Artifacts } from '../../plugins/execution/artifacts/contract.ts';

t.setTimeout(600_000);

const LATER_MS = 60_000;

for (const store of STORES)
  t.test(`${store}: a rerun has the artifacts of the nodes that it keeps`, async (t) => {
    const database = await openTestDatabase(store);
    const graphs = await GraphServer.open({ database, plugins: ['artifacts', 'retention'] });
    const { server } = graphs;
    t.teardown(async () => {
      await graphs.close();
      await database.drop();
    });
    const put = (run_id: string, path: string, claim?: ClaimRef) =>
      server.use(Artifacts).put(
        { ...server.scope, run_id },
        path,
        (async function* () {
          yield Buffer.from(`content of ${path}`);
        })(),
        claim && { claim: { activity_id: claim.activity_id, epoch: claim.epoch } },
      );
    const paths = async (run_id: string): Promise<string[]> =>
      (await graphs.call(`GET /runs/${run_id}/artifacts`)).json.artifacts.map(({ path }: { path: string }) => path);
    /** Does the next node, which puts a file. */
    const work = async (run_id: string): Promise<void> => {
      const [claim] = await graphs.claim();
      await put(run_id, `of-${claim!.name}`, claim!);
      await graphs.end(claim!);
    };
    const rerun = async (run_id: string, from: string): Promise<string> =>
      (await graphs.call(`POST /runs/${run_id}/rerun`, { from })).json.run_id;

    const shell = (id: string) => node(id, 'shell', { script: 'true' });
    const first = await graphs.submit(createGraph([shell('a'), shell('b'), shell('c')], 'a>b b>c'));
    await put(first, 'by-hand');
    for (let n = 0; n < 3; n++) await work(first);
    t.same(await paths(first), ['by-hand', 'of-a', 'of-b', 'of-c']);

    const second = await rerun(first, 'b');
    t.same(await paths(second), ['of-a'], 'not that of a node that runs again, nor what nobody has made in the run');
    await work(second);
    await work(second);
    const third = await rerun(second, 'c');
    t.same(await paths(third), ['of-a', 'of-b'], 'a rerun of a rerun');

    const prunables = server.use.all(Prunables).filter(({ name }) => name === 'artifacts' || name === 'runs');
    for (const prunable of prunables)
      for await (const _ of prunable.prune(server.use(Database).now() + LATER_MS, 1000));
    t.equal((await graphs.call(`GET /runs/${first}`)).status, 404, 'the first run is gone');
    t.same(await paths(third), ['of-a', 'of-b']);
    const chunks: Buffer[] = [];
    const { content } = await server.use(Artifacts).open({ ...server.scope, run_id: third }, 'of-a');
    for await (const chunk of content) chunks.push(chunk);
    t.equal(Buffer.concat(chunks).toString(), 'content of of-a');
    t.same(await graphs.broken(), []);
  });
