import { join } from 'node:path';
import type { Bench } from '../bench-run.ts';
import { onBoth } from '../both-stores.ts';
import type { Figure } from '../figure.ts';
import type { Place } from '../place.ts';
import { firstLine } from '../scripts.ts';
import { linesOf, wallMs } from '../statistics.ts';

const WARM_UP = 10;

async function firstLines(bench: Bench, place: Place): Promise<number[]> {
  const count = WARM_UP + bench.size(300, 20);
  const api = place.api();
  const file = join(place.folder, 'first');
  await api.setHandler('bench', ['bench.go'], { source: firstLine(file) });
  const emitted: number[] = [];
  for (let index = 0; index < count; index += 1) {
    emitted.push(wallMs());
    await api.emit('bench.go');
    await linesOf(file, index + 1);
  }
  api.close();
  const lines = await linesOf(file, count);
  return lines.map((line, index) => line / 1000 - emitted[index]!).slice(WARM_UP);
}

export const event: Figure = {
  name: 'event',
  summary: 'from an event to the first line of the bash script that it starts',
  measure: (bench) => onBoth(bench, 'event to first line (bash), p50', (place) => firstLines(bench, place)),
};
