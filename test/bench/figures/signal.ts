import { join } from 'node:path';
import { atMost, type Figure } from '../figure.ts';
import { firstLineFloor } from '../floors.ts';
import { median } from '../statistics.ts';
import { wakesOf } from '../wakes.ts';

const WARM_UP = 10;

export const signal: Figure = {
  name: 'signal',
  summary: 'from a signal to the line after the wait of a parked script, on SQLite',
  async measure(bench) {
    const count = bench.size(300, 20);
    const floor = await firstLineFloor(bench.size(200, 30), bench.size(2000, 300));
    const spans = await bench.at({}, async (place) => {
      const api = place.api();
      const all = await wakesOf(api, api, join(place.folder, 'resumed'), WARM_UP + count);
      return all.slice(WARM_UP);
    });
    return [{ figure: 'signal to resumed, p50', unit: 'ms', ours: median(spans), floor, goal: atMost(3), done: count }];
  },
};
