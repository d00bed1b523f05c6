import { join } from 'node:path';
import { atMost, type Figure, mustBe } from '../figure.ts';
import { firstLineFloor } from '../floors.ts';
import { firstLine } from '../scripts.ts';
import { linesOf, quantile, wallMs } from '../statistics.ts';

/** Runs before the first that counts: code is compiled, statements are prepared. */
const WARM_UP = 10;

export const submit: Figure = {
  name: 'submit',
  summary: 'from the submit to the first line of the script, one at a time, on SQLite',
  async measure(bench) {
    const count = bench.size(300, 20);
    const floor = await firstLineFloor(bench.size(200, 30), bench.size(2000, 300));
    const spans = await bench.at({}, async (place) => {
      const api = place.api();
      const file = join(place.folder, 'first');
      const submitted: number[] = [];
      for (let index = 0; index < WARM_UP + count; index += 1) {
        submitted.push(wallMs());
        const run_id = await api.submit({ source: firstLine(file) });
        await linesOf(file, index + 1);
        await api.reaches(run_id, 'succeeded');
      }
      api.close();
      const lines = await linesOf(file, WARM_UP + count);
      mustBe('first lines', lines.length, WARM_UP + count);
      return lines.map((line, index) => line / 1000 - submitted[index]!).slice(WARM_UP);
    });
    const row = { unit: 'ms', floor, done: count };
    return [
      { ...row, figure: 'submit to first line, p50', ours: quantile(spans, 0.5), goal: atMost(3) },
      { ...row, figure: 'submit to first line, p99', ours: quantile(spans, 0.99), goal: atMost(10) },
    ];
  },
};
