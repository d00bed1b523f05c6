import type { Bench } from '../bench-run.ts';
import { type Figure, mustBe, type Row } from '../figure.ts';
import { firstLineFloor, startsPerSecond } from '../floors.ts';
import type { Place } from '../place.ts';
import { together } from '../statistics.ts';

const AGENTS = 4;

/** A script that has other agents run as many commands, and waits for all. */
async function children(bench: Bench, place: Place): Promise<Row> {
  const count = bench.size(1000, 50);
  const api = place.api();
  const source = `for i in $(seq ${count}); do svc activity-submit "c$i" -- true; done\ntest "$(svc activity-wait-all)" = 0\n`;
  const run_id = await api.submit({ source });
  await api.reaches(run_id, 'succeeded');
  const seconds = await api.secondsOf([run_id]);
  mustBe('calls on record', await api.steps(run_id), count + 1);
  api.close();
  return {
    figure: `children/s, ${count} of one run, ${AGENTS} agents`,
    unit: '/s',
    ours: count / seconds,
    floor: { value: await startsPerSecond(AGENTS, Math.min(count, 500)), is: `/bin/true/s by ${AGENTS} bashes` },
    done: count,
  };
}

/** Runs that queue up for one lease, which the first lets go: from its end to the end of the last. */
async function handOver(bench: Bench, place: Place): Promise<Row> {
  const waiters = bench.size(100, 10);
  const api = place.api();
  const holder = await api.submit({ source: 'svc lock bench\nsvc wait-signal go\n' });
  await api.reaches(holder, 'waiting');
  const runs: string[] = [];
  await together(waiters, 8, async () => {
    runs.push(await api.submit({ source: 'svc lock bench\n' }));
  });
  await together(waiters, 8, (index) => api.reaches(runs[index]!, 'waiting'));
  const since = performance.now();
  await api.signal(holder, 'go');
  await together(waiters, 8, (index) => api.reaches(runs[index]!, 'succeeded'));
  const took = performance.now() - since;
  api.close();
  return {
    figure: `a lease handed over, ${waiters} runs in its queue`,
    unit: 'ms',
    ours: took / waiters,
    floor: await firstLineFloor(bench.size(50, 10), bench.size(200, 20)),
    done: waiters,
  };
}

export const fanOut: Figure = {
  name: 'fan-out',
  summary: 'many children of one run on four agents; a lease that many runs wait for',
  measure: (bench) =>
    bench.at({ agents: AGENTS }, async (place) => [await children(bench, place), await handOver(bench, place)]),
};
