import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../api.ts';
import { atMost, type Figure, mustBe } from '../figure.ts';
import type { Place } from '../place.ts';
import { processCpu } from '../process-cpu.ts';
import { median, together } from '../statistics.ts';

const CLIENTS = 8;
/** A look costs about as much as indexing a run. */
const LOOK_MS = 500;
const RUN = {
  filename: 'bench.sh',
  source: 'svc step build -- echo "built core and util in 12 ms"\nsvc output set version=1.2.3 region=eu\n',
};

const one = (api: Api) => api.runToEnd(RUN);

/** Processor time of a run in ms: of the server, the agent, the script and its step. */
async function costOf(place: Place, runs: number, indexed: boolean): Promise<number> {
  const api = place.api();
  const pids = [place.servers[0]!.service.child.pid!, place.agents[0]!.child.pid!];
  const spent = async () => {
    const all = await Promise.all(pids.map(processCpu));
    return all.reduce((sum, { own_ms, children_ms }) => sum + own_ms + children_ms, 0);
  };
  const before = await spent();
  await together(runs, CLIENTS, () => one(api));
  // The index follows in the background: its work belongs to the runs.
  while (indexed && !(await api.isIndexComplete())) await delay(LOOK_MS);
  const after = await spent();
  api.close();
  return (after - before) / runs;
}

export const runSearch: Figure = {
  name: 'run-search',
  summary: 'a run that is indexed for searches beside one that is not',
  measure: (bench) =>
    bench.at({ env: { SVC_RUN_SEARCH: 'on' } }, (on) =>
      bench.at({ env: { SVC_RUN_SEARCH: 'off' } }, async (off) => {
        const runs = bench.size(300, 40);
        const costs = { on: [] as number[], off: [] as number[] };
        await costOf(on, runs, true);
        await costOf(off, runs, false);
        // In turns, so that whatever else slows the machine slows both.
        for (let round = 0; round < bench.size(7, 2); round += 1) {
          costs.off.push(await costOf(off, runs, false));
          costs.on.push(await costOf(on, runs, true));
        }
        for (const place of [on, off]) {
          const api = place.api();
          mustBe('failed runs', await api.count('failed'), 0);
          api.close();
        }
        return [
          {
            figure: 'processor time of a whole one-step run, with the index',
            unit: 'ms',
            ours: median(costs.on),
            floor: { value: median(costs.off), is: 'the same without the index' },
            goal: atMost(1.05),
            done: runs * costs.on.length,
          },
        ];
      }),
    ),
};
