import { join } from 'node:path';
import { atMost, type Figure, mustBe } from '../figure.ts';
import { firstLineFloor } from '../floors.ts';
import { resumed } from '../scripts.ts';
import { linesOf, median, wallMs } from '../statistics.ts';

const WARM_UP = 10;

export const signal: Figure = {
  name: 'signal',
  summary: 'from a signal to the line after the wait of a parked script, on SQLite',
  async measure(bench) {
    const count = bench.size(300, 20);
    const floor = await firstLineFloor(bench.size(200, 30), bench.size(2000, 300));
    const spans = await bench.at({}, async (place) => {
      const api = place.api();
      const file = join(place.folder, 'resumed');
      const sent: number[] = [];
      for (let index = 0; index < WARM_UP + count; index += 1) {
        const run_id = await api.submit({ source: resumed(file, 1) });
        await api.reaches(run_id, 'waiting');
        sent.push(wallMs());
        await api.signal(run_id, 'go');
        await linesOf(file, index + 1);
        await api.reaches(run_id, 'succeeded');
      }
      api.close();
      const lines = await linesOf(file, WARM_UP + count);
      mustBe('resumed scripts', lines.length, WARM_UP + count);
      return lines.map((line, index) => line / 1000 - sent[index]!).slice(WARM_UP);
    });
    return [{ figure: 'signal to resumed, p50', unit: 'ms', ours: median(spans), floor, goal: atMost(3), done: count }];
  },
};
