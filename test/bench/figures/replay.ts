import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, atMostValue, type Figure, mustBe } from '../figure.ts';
import { roundTripsMs, startsPerSecond } from '../floors.ts';
import { keptSocket, longBash } from '../scripts.ts';

export const replay: Figure = {
  name: 'replay',
  summary: 'a long journal replayed, over a kept connection and by the verb client',
  async measure(bench) {
    const count = bench.size(10_000, 500);
    const by_client = bench.size(10_000, 200);
    return bench.at({}, async (place) => {
      const api = place.api();
      const twice = async (filename: string, source: string, calls: number) => {
        const run_id = await api.submit({ filename, source });
        await api.reaches(run_id, 'waiting');
        await api.signal(run_id, 'go');
        await api.reaches(run_id, 'succeeded');
        mustBe('calls on record', await api.steps(run_id), calls + 1);
      };
      const kept = join(place.folder, 'kept');
      await twice('kept.mjs', keptSocket(kept, count), count);
      const { total } = JSON.parse(await readFile(`${kept}.replayed`, 'utf8')) as { total: number };
      const long = join(place.folder, 'long');
      await twice('long.sh', longBash(long, by_client), by_client);
      const passes = (await readFile(long, 'utf8')).trim().split('\n').map(Number);
      mustBe('passes of the long script', passes.length, 2);
      api.close();
      return [
        {
          figure: `${count}-step journal replayed, kept connection`,
          unit: 'ms',
          ours: total,
          floor: { value: await roundTripsMs(count), is: `${count} round trips on a Unix socket` },
          goal: atMostValue(1500),
          done: count,
        },
        {
          figure: `${by_client}-step journal replayed, bash, native client`,
          unit: 'ms',
          ours: passes[1]! / 1000,
          floor: {
            value: (by_client / (await startsPerSecond(1, Math.min(by_client, 2000)))) * 1000,
            is: `${by_client} × /bin/true from one bash`,
          },
          goal: atMost(1.5),
          done: by_client,
        },
      ];
    });
  },
};
