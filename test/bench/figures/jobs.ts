import { join } from 'node:path';
import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atLeast, atLeastValue, atMost, type Figure, mustBe, type Row } from '../figure.ts';
import { firstLineFloor, pipedMbPerSecond, startsPerSecond } from '../floors.ts';
import { residentBytes } from '../place.ts';
import { linesOf, median } from '../statistics.ts';

const SLOTS = 4;
const WIDTH = 20;
const FOLLOWERS = 10;
const MB = 1e6;
const LINE = '2026-11-21T12:00:00Z INFO building core/util with --verbose and target=release: done in 12 ms\n';

/** Layers of jobs, each of which needs two of the layer before. */
function layers(count: number): string {
  const jobs = Array.from({ length: count }, (_, n) => {
    const at = n % WIDTH;
    const before = n - at - WIDTH;
    const needs = before < 0 ? [] : [`j${before + at}`, `j${before + ((at + 1) % WIDTH)}`];
    return `  j${n}: { needs: [${needs.join(', ')}], steps: [{ run: "true" }] }`;
  });
  return `jobs:\n${jobs.join('\n')}\n`;
}

/** Each job begins when the one before has ended, and writes the moment of its first line. */
function chain(count: number, file: string): string {
  const jobs = Array.from(
    { length: count },
    (_, n) =>
      `  j${n}: { needs: [${n === 0 ? '' : `j${n - 1}`}], steps: [{ run: 'echo \${EPOCHREALTIME/[.,]/} >> "${file}"' }] }`,
  );
  return `jobs:\n${jobs.join('\n')}\n`;
}

const submit = (api: Api, source: string) => api.submit({ filename: 'bench.yml', source });

async function throughput(bench: Bench, api: Api): Promise<Row> {
  const count = bench.size(200, 40);
  const rounds = bench.size(5, 1);
  const seconds: number[] = [];
  const floors: number[] = [];
  await api.reaches(await submit(api, layers(WIDTH)), 'succeeded');
  // In turns, so that whatever else slows the machine slows both.
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await startsPerSecond(SLOTS, count / SLOTS, 'bash -c true'));
    const run_id = await submit(api, layers(count));
    await api.reaches(run_id, 'succeeded');
    seconds.push(await api.secondsOf([run_id]));
    mustBe('jobs', await api.steps(run_id), count);
  }
  return {
    figure: `jobs/s, ${count} of \`true\` that need each other, ${SLOTS} slots`,
    unit: '/s',
    ours: count / median(seconds),
    floor: { value: median(floors), is: `\`bash -c true\`/s, one after the other on ${SLOTS} slots` },
    goal: atLeast(0.5),
    done: count * rounds,
  };
}

async function jobStart(bench: Bench, api: Api, folder: string): Promise<Row> {
  const count = bench.size(200, 20);
  const file = join(folder, 'jobs');
  const floor = await firstLineFloor(bench.size(100, 20), bench.size(1000, 200));
  await api.reaches(await submit(api, chain(count + 1, file)), 'succeeded');
  const lines = await linesOf(file, count + 1);
  const spans = lines.slice(1).map((at, n) => (at - lines[n]!) / 1000);
  return {
    figure: 'last line of a job to the first line of the job that needs it, p50',
    unit: 'ms',
    ours: median(spans),
    floor,
    goal: atMost(4),
    done: mustBe('jobs', spans.length, count),
  };
}

/** A log that nobody looks at, and one with followers of whom half never read. */
async function logs(bench: Bench, api: Api, pid: number): Promise<Row[]> {
  const lines = bench.size(1_000_000, 50_000);
  const mb = (lines * LINE.length) / MB;
  const source = `yes '${LINE.trimEnd()}' | head -n ${lines}\n`;
  const print = async (followers: number): Promise<number> => {
    const run_id = await api.submit({ source });
    const stop = api.follow(run_id, followers);
    await api.reaches(run_id, 'succeeded');
    stop();
    mustBe('bytes in the log', await api.logBytes(run_id), lines * LINE.length);
    return mb / (await api.secondsOf([run_id]));
  };
  await print(0);
  const floor = { value: await pipedMbPerSecond(LINE, lines), is: 'the same through a pipe to a Node that drops it' };
  const [alone, before] = [await print(0), await residentBytes(pid)];
  const followed = await print(FOLLOWERS);
  const more = ((await residentBytes(pid)) - before) / 1024 ** 2;
  const row = { unit: 'MB/s', done: lines };
  return [
    { ...row, figure: `log of ${Math.round(mb)} MB`, ours: alone, floor, goal: atLeastValue(100) },
    {
      ...{ ...row, figure: `the same with ${FOLLOWERS} followers, of whom half never read`, ours: followed },
      ...{
        floor: { value: alone, is: 'the log without followers' },
        note: `the server grew by ${more.toFixed(0)} MiB`,
      },
    },
  ];
}

export const jobs: Figure = {
  name: 'jobs',
  summary: 'jobs of a pipeline on four slots, from one job to the next, and a large log',
  measure: (bench) =>
    bench.at({ slots: SLOTS }, async (place) => {
      const api = place.api();
      const pid = place.servers[0]!.service.child.pid!;
      const rows = [
        await throughput(bench, api),
        await jobStart(bench, api, place.folder),
        ...(await logs(bench, api, pid)),
      ];
      api.close();
      return rows;
    }),
};
