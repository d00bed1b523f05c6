import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, type Figure, mustBe } from '../figure.ts';
import { keptSocket } from '../scripts.ts';
import { median } from '../statistics.ts';

/** Steps that are looked at on either end. The script is a process of its own, whose first steps find cold code. */
const SPAN = 200;
const COLD = 100;

export const growth: Figure = {
  name: 'growth',
  summary: 'the cost of a step as the journal grows',
  async measure(bench) {
    const count = bench.size(10_000, 800);
    return bench.at({}, async (place) => {
      const api = place.api();
      const spansOf = async (name: string, calls: number) => {
        const file = join(place.folder, name);
        const run_id = await api.submit({ filename: 'kept.mjs', source: keptSocket(file, calls) });
        await api.reaches(run_id, 'waiting');
        await api.signal(run_id, 'go');
        await api.reaches(run_id, 'succeeded');
        mustBe('calls on record', await api.steps(run_id), calls + 1);
        return (JSON.parse(await readFile(`${file}.new`, 'utf8')) as { spans: number[] }).spans;
      };
      // The service must be warm, or its first steps would flatter the last ones.
      await spansOf('warm-up', bench.size(2000, 300));
      const spans = await spansOf('long', count);
      api.close();
      return [
        {
          figure: `cost per step, from ${COLD} to ${count}`,
          unit: 'ms',
          ours: median(spans.slice(-SPAN)) / 1000,
          floor: {
            value: median(spans.slice(COLD, COLD + SPAN)) / 1000,
            is: `steps ${COLD} to ${COLD + SPAN} of the same run`,
          },
          goal: atMost(1.2),
          done: count,
        },
      ];
    });
  },
};
