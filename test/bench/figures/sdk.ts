import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atLeastValue, atMost, type Figure, mustBe, type Row } from '../figure.ts';
import { roundTripsMs, sqliteBatchedPerSecond } from '../floors.ts';
import type { Place } from '../place.ts';
import { SDKS, togetherSource } from '../sdk-scripts.ts';
import { median } from '../statistics.ts';

const SCRIPTS = 8;
/** The first steps of a process find cold code. */
const COLD = 50;

interface Pass {
  spans: number[];
  ends: number[];
  inserts: number[];
}

const read = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Pass;

/** One script alone, on its first pass, where each step takes turns with a durable insert, and on its replay. */
async function alone(bench: Bench, place: Place, api: Api, sdk: (typeof SDKS)[number]): Promise<Row[]> {
  const count = bench.size(3000, 300);
  const file = join(place.folder, `${sdk.language}-alone`);
  const tripMs = async () => (await roundTripsMs(count)) / count;
  const before = await tripMs();
  const run_id = await api.submit({ filename: sdk.filename, source: sdk.source({ file, count, floor: true }) });
  await api.reaches(run_id, 'waiting');
  const between = await tripMs();
  await api.signal(run_id, 'go');
  await api.reaches(run_id, 'succeeded');
  const after = await tripMs();
  mustBe('calls on record', await api.steps(run_id), count + 1);
  const fresh = await read(`${file}.new`);
  const replayed = await read(`${file}.replayed`);
  mustBe('inserts in turn with steps', fresh.inserts.length, count);
  const ms = (spans: number[]) => median(spans.slice(COLD)) / 1000;
  return [
    {
      figure: `new step by the ${sdk.language} SDK, SQLite`,
      unit: 'ms',
      ours: ms(fresh.spans),
      floor: {
        value: ms(fresh.inserts) + (before + between) / 2,
        is: 'one durable insert, in turn, + one round trip on a Unix socket',
      },
      goal: atMost(2),
      done: count,
    },
    {
      figure: `recorded step replayed by the ${sdk.language} SDK`,
      unit: 'ms',
      ours: ms(replayed.spans),
      floor: { value: (between + after) / 2, is: 'one round trip on a Unix socket' },
      done: count,
    },
  ];
}

/** Steps a second of several scripts, in the time in which all of them were at it. */
async function together(bench: Bench, place: Place, api: Api, sdk: (typeof SDKS)[number]): Promise<Row> {
  const count = bench.size(3000, 200);
  const files = Array.from({ length: SCRIPTS }, (_, index) => join(place.folder, `${sdk.language}-${index}`));
  const submit = (file: string) =>
    api.submit({ filename: sdk.filename, source: sdk.source({ file, count, floor: false }) });
  const runs = await Promise.all(files.map(submit));
  for (const run_id of runs) await api.reaches(run_id, 'waiting');
  const ends = await Promise.all(files.map(async (file) => (await read(`${file}.new`)).ends));
  const from = Math.max(...ends.map(([first]) => first!));
  const to = Math.min(...ends.map((all) => all.at(-1)!));
  const within = ends.flat().filter((end) => end > from && end <= to).length;
  if (to <= from) throw new Error('the scripts did not run at the same time');
  for (const run_id of runs) mustBe('calls on record', await api.steps(run_id), count + 1);
  for (const run_id of runs) await api.cancel(run_id);
  return {
    figure: `steps/s by the ${sdk.language} SDK, ${SCRIPTS} scripts, SQLite`,
    unit: '/s',
    ours: within / ((to - from) / 1000),
    floor: {
      value: await sqliteBatchedPerSecond(SCRIPTS, bench.size(20_000, 2000)),
      is: `rows/s committed ${SCRIPTS} at a time`,
    },
    goal: atLeastValue(7000),
    done: within,
  };
}

/** Steps a second of one script that makes eight at a time. */
async function atOnce(bench: Bench, place: Place, api: Api): Promise<Row> {
  const count = bench.size(4000, 400);
  const file = join(place.folder, 'at-once');
  const run_id = await api.submit({ filename: 'sdk.ts', source: togetherSource({ file, count, group: SCRIPTS }) });
  await api.reaches(run_id, 'waiting');
  mustBe('calls on record', await api.steps(run_id), count + 1);
  const { spans } = await read(`${file}.new`);
  await api.cancel(run_id);
  return {
    figure: `steps/s by the TypeScript SDK, one script, ${SCRIPTS} at a time, SQLite`,
    unit: '/s',
    ours: SCRIPTS / (median(spans.slice(COLD / SCRIPTS)) / 1e6),
    floor: {
      value: await sqliteBatchedPerSecond(SCRIPTS, bench.size(20_000, 2000)),
      is: `rows/s committed ${SCRIPTS} at a time`,
    },
    done: count,
  };
}

export const sdk: Figure = {
  name: 'sdk',
  summary: 'in-process steps by the SDKs: new, replayed, of 8 scripts at once, and 8 at a time',
  measure: (bench) =>
    bench.at({ slots: SCRIPTS }, async (place) => {
      const api = place.api();
      const rows: Row[] = [];
      for (const one of SDKS)
        rows.push(...(await alone(bench, place, api, one)), await together(bench, place, api, one));
      rows.push(await atOnce(bench, place, api));
      api.close();
      return rows;
    }),
};
