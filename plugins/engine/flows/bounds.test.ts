import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { RunStore } from '../runs/contract.ts';
import { STORES, until } from '../../../test/kit/index.ts';
import { expr, FlowServer, node, set, shell } from './testing/flow-server.ts';

t.setTimeout(300_000);

const ENV = { SVC_UNTRUSTED_RUN_LIMITS: 'calls=1MiB' };
const LARGE = 'x'.repeat(100_000);

/** A flow is carried on in several transactions. */
const ended = (flows: FlowServer, run_id: string) =>
  until(() => flows.read(run_id).then((run) => (run.finished_at ? run : undefined)), {
    what: 'the run to be over',
    within_ms: 30_000,
  });

async function storedBytes(flows: FlowServer, run_id: string): Promise<number> {
  const [row] = await flows.server
    .use(Database)
    .read<{ bytes: number }>('SELECT SUM(LENGTH(output)) AS bytes FROM flows_nodes WHERE run_id = ?', [run_id]);
  return Number(row!.bytes);
}

// @store: bounds are counted by statements.
for (const store of STORES)
  t.test(store, async (t) => {
    const flows = await FlowServer.openFor(t, { store, env: ENV, idle: false });

    for (const trusted of [true, false]) {
      const who = trusted ? 'a trusted' : 'an untrusted';
      const ends = trusted
        ? { status: 'succeeded' }
        : {
            status: 'failed',
            error: { code: 'run_storage_limit', message: /can store 1MiB of arguments and output in total/ },
          };

      t.test(`${who} run repeats a large value for the items of a fan-out`, async (t) => {
        const items = Array.from({ length: 100 }, (_, n) => n);
        const document = {
          nodes: [set('a', expr('input')), set('b', expr('nodes.a.output'), { needs: ['a'], fan_out: { items } })],
        };
        const run_id = await flows.submit(document, LARGE, trusted);
        t.match(await ended(flows, run_id), ends);
        const stored = await storedBytes(flows, run_id);
        if (trusted) t.ok(stored > 10_000_000);
        else t.ok(stored < 2_500_000, `${stored} bytes are stored`);
      });

      t.test(`${who} run makes the same list for many nodes`, async (t) => {
        const each = (id: string) => set(id, 0, { fan_out: { items: 'input' } });
        const document = { nodes: Array.from({ length: 30 }, (_, n) => each(`n${n}`)) };
        const run_id = await flows.submit(document, [LARGE], trusted);
        t.match(await ended(flows, run_id), ends);
      });

      t.test(`${who} run brings a large value to the work of many items, before any of it has ended`, async (t) => {
        const items = Array.from({ length: 100 }, (_, n) => n);
        const large = { run: expr('nodes.a.output') };
        const document = {
          nodes: [
            set('a', expr('input')),
            node('shell')('b', large, { needs: ['a'], fan_out: { items, concurrency: 100 } }),
          ],
        };
        const run_id = await flows.submit(document, LARGE, trusted);
        const specs = async () => {
          const [row] = await flows.server
            .use(Database)
            .read<{ bytes: number | null }>('SELECT SUM(LENGTH(spec)) AS bytes FROM runs_activities WHERE run_id = ?', [
              run_id,
            ]);
          return Number(row!.bytes ?? 0);
        };
        if (trusted) {
          await until(async () => (await specs()) > 10_000_000, { what: 'all of the work', within_ms: 30_000 });
          await flows.server.use(RunStore).cancelRun({ ...flows.server.scope, run_id, reason: 'enough' });
        } else {
          t.match(await ended(flows, run_id), ends);
          t.ok((await specs()) < 2_500_000, `${await specs()} bytes are stored`);
        }
      });

      t.test(`${who} run has many results of agents, each of them small`, async (t) => {
        const run_id = await flows.submit(
          { nodes: Array.from({ length: 30 }, (_, n) => shell(`n${n}`)) },
          null,
          trusted,
        );
        const results = async () => {
          for (let claims = await flows.claim(); claims.length > 0; claims = await flows.claim())
            for (const claim of claims) await flows.end(claim, { status: 'succeeded', output: 'x'.repeat(60_000) });
        };
        if (trusted) await results();
        else await t.rejects(results(), { code: 'lease_lost' }, 'the run is over');
        t.match(await ended(flows, run_id), ends);
      });
    }
  });
