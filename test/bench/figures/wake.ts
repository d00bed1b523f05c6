import { join } from 'node:path';
import { startPrivateNats } from '../../support/nats-server.ts';
import type { Bench } from '../bench-run.ts';
import type { Figure } from '../figure.ts';
import { median } from '../statistics.ts';
import { wakesOf } from '../wakes.ts';

const WARM_UP = 3;

/** Milliseconds from a signal at one server until the run goes on whose agent works for the other. */
async function acrossServers(bench: Bench, count: number, env: Record<string, string>): Promise<number[] | undefined> {
  return bench.withDatabase((database_url) =>
    bench.at({ database_url, servers: 2, agents: 1, env }, async (place) => {
      const spans = await wakesOf(place.api(0), place.api(1), join(place.folder, 'resumed'), WARM_UP + count);
      return spans.slice(WARM_UP);
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
