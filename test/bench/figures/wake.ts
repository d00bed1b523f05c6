import { join } from 'node:path';
import { startPrivateNats } from '../../support/nats-server.ts';
import type { Bench } from '../bench-run.ts';
import { type Figure, mustBe } from '../figure.ts';
import { resumed } from '../scripts.ts';
import { linesOf, median, wallMs } from '../statistics.ts';

const WARM_UP = 3;

/** Milliseconds from a signal at one server until the run goes on whose agent works for the other. */
async function acrossServers(bench: Bench, count: number, env: Record<string, string>): Promise<number[] | undefined> {
  return bench.withDatabase((database_url) =>
    bench.at({ database_url, servers: 2, agents: 1, env }, async (place) => {
      const [first, second] = [place.api(0), place.api(1)];
      const file = join(place.folder, 'resumed');
      const sent: number[] = [];
      for (let index = 0; index < WARM_UP + count; index += 1) {
        const run_id = await first.submit({ source: resumed(file, 1) });
        await first.reaches(run_id, 'waiting');
        sent.push(wallMs());
        await second.signal(run_id, 'go');
        await linesOf(file, index + 1);
        await first.reaches(run_id, 'succeeded');
      }
      first.close();
      second.close();
      const lines = await linesOf(file, WARM_UP + count);
      mustBe('resumed scripts', lines.length, WARM_UP + count);
      return lines.map((line, index) => line / 1000 - sent[index]!).slice(WARM_UP);
    }),
  );
}

export const wake: Figure = {
  name: 'wake',
  summary:
    'from a signal at one server to the line after the wait of a script at another, on MySQL: by polling, by NATS',
  async measure(bench) {
    const nats = await startPrivateNats();
    if ('reason' in nats) {
      bench.say(`left out: ${nats.reason}`);
      return [];
    }
    try {
      const count = bench.size(100, 8);
      const polled = await acrossServers(bench, count, {});
      const told = polled && (await acrossServers(bench, count, { SVC_WAKE_URL: nats.url }));
      if (!polled || !told) return [];
      const floor = { value: median(polled), is: 'the same by polling' };
      return [{ figure: 'wake across servers by NATS, p50', unit: 'ms', ours: median(told), floor, done: 2 * count }];
    } finally {
      await nats.stop();
    }
  },
};
