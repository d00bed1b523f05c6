import type { Bench } from '../bench-run.ts';
import { atLeast, type Figure, mustBe } from '../figure.ts';
import { manySteps } from '../scripts.ts';
import { together } from '../statistics.ts';

/** What an agent may do at once; the same on both sides. */
const SLOTS = 8;
/** A step that waits for something else, as most do: on one machine, one that computes would measure its cores. */
const BODY = 'sleep 0.2';

async function stepsPerSecond(bench: Bench, servers: number, agents: number, scripts: number, each: number) {
  const measured = await bench.withDatabase((database_url) =>
    bench.at({ database_url, servers, agents, slots: SLOTS }, async (place) => {
      const apis = place.servers.map((_, index) => place.api(index));
      const runs: string[] = [];
      await together(scripts, 16, async (index) => {
        runs.push(await apis[index % apis.length]!.submit({ source: manySteps(each, BODY) }));
      });
      await together(
        runs.length,
        4,
        async (index) => await apis[index % apis.length]!.reaches(runs[index]!, 'succeeded'),
      );
      const seconds = await apis[0]!.secondsOf(runs);
      let recorded = 0;
      for (const run_id of runs) recorded += await apis[0]!.steps(run_id);
      for (const api of apis) api.close();
      return mustBe('steps on record', recorded, scripts * each) / seconds;
    }),
  );
  return measured;
}

export const scale: Figure = {
  name: 'scale',
  summary: '2 servers with 4 agents against 1 with 2, on one MySQL database',
  async measure(bench) {
    const scripts = bench.size(128, 24);
    const each = bench.size(10, 1);
    const small = await stepsPerSecond(bench, 1, 2, scripts, each);
    const large = await stepsPerSecond(bench, 2, 4, scripts, each);
    if (small === undefined || large === undefined) return [];
    return [
      {
        figure: 'steps/s, 2 servers + 4 agents',
        unit: '/s',
        ours: large,
        floor: { value: small, is: `1 server + 2 agents, ${SLOTS} slots each, steps of 0.2 s` },
        goal: atLeast(1.7),
        done: scripts * each,
      },
    ];
  },
};
