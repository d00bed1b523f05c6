import type { Bench } from './bench-run.ts';
import { atMost, type Row } from './figure.ts';
import type { Place } from './place.ts';
import { scriptFloor, spawnerFloors } from './spawner-floors.ts';
import { median, quantile } from './statistics.ts';

/**
 * A time until a line of a bash script, one after the other: on SQLite beside a bare start and three commits, on MySQL
 * beside SQLite.
 */
export async function onBoth(bench: Bench, what: string, measure: (place: Place) => Promise<number[]>): Promise<Row[]> {
  const row = (store: string, spans: number[], floor: Row['floor'], times: number): Row => ({
    figure: `${what}, ${store}`,
    unit: 'ms',
    ours: median(spans),
    floor,
    goal: atMost(times),
    done: spans.length,
    note: `p99 ${quantile(spans, 0.99).toFixed(1)} ms`,
  });
  const floor = scriptFloor(await spawnerFloors(bench));
  const sqlite = await bench.at({}, measure);
  const beside = { value: median(sqlite), is: 'the same on SQLite' };
  const mysql = await bench.withDatabase((database_url) => bench.at({ database_url }, measure));
  return [row('SQLite', sqlite, floor, 4), ...(mysql ? [row('MySQL', mysql, beside, 1.5)] : [])];
}
