import { join } from 'node:path';
import type { Bench } from '../bench-run.ts';
import { onBoth } from '../both-stores.ts';
import type { Figure } from '../figure.ts';
import type { Place } from '../place.ts';
import { wakesOf } from '../wakes.ts';

const WARM_UP = 10;

async function resumed(bench: Bench, place: Place): Promise<number[]> {
  const api = place.api();
  const all = await wakesOf(api, api, join(place.folder, 'resumed'), WARM_UP + bench.size(300, 20));
  return all.slice(WARM_UP);
}

export const signal: Figure = {
  name: 'signal',
  summary: 'from a signal to the line after the wait of a parked bash script',
  measure: (bench) => onBoth(bench, 'signal to the line after the wait (bash), p50', (place) => resumed(bench, place)),
};
