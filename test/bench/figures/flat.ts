import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from '../../../features/support/process.ts';
import type { Api } from '../api.ts';
import type { Bench } from '../bench-run.ts';
import { atMost, type Figure, mustBe, type Row } from '../figure.ts';
import { type Place, residentBytes } from '../place.ts';
import { together } from '../statistics.ts';

const MIB = 1024 * 1024;
const CLIENTS = 32;
const SPANS = 4;
/** A heap that lives differs by so much from one look to the next. */
const FLAT = 1.05;
const LIVE_HEAP = pathToFileURL(join(import.meta.dirname, '../live-heap.mjs')).href;

const KINDS = [
  { name: 'one-node', runs: 10_000, quick: 200, body: { node: 'set', config: { values: { n: 1 } } } },
  { name: 'one-step bash', runs: 4_000, quick: 40, body: { filename: 'bench.sh', source: 'svc step one -- true\n' } },
] as const;

interface Held {
  live: number;
  resident: number;
}

/** What lives in the server's heap after a collection, and what the process holds then. */
async function heldBy(place: Place, file: string): Promise<Held> {
  const pid = place.servers[0]!.service.child.pid!;
  process.kill(pid, 'SIGUSR2');
  const live = await until('the server to have collected its garbage', 30_000, async () => {
    try {
      return Number(await readFile(file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
  await rm(file);
  return { live, resident: await residentBytes(pid) };
}

const shown = (looks: readonly Held[], of: keyof Held) => looks.map((held) => (held[of] / MIB).toFixed(1)).join(', ');

async function measureKind(bench: Bench, place: Place, file: string, kind: (typeof KINDS)[number]): Promise<Row[]> {
  const count = bench.size(kind.runs, kind.quick);
  const api: Api = place.api();
  const before = await api.count('succeeded');
  const looks = [await heldBy(place, file)];
  for (let span = 0; span < SPANS; span += 1) {
    await together(count / SPANS, CLIENTS, () => api.runToEnd(kind.body));
    looks.push(await heldBy(place, file));
  }
  mustBe('runs that succeeded', (await api.count('succeeded')) - before, count);
  api.close();
  const row = (of: keyof Held, what: string): Row => ({
    figure: `${what} after ${count} ${kind.name} runs`,
    unit: 'MiB',
    ours: looks.at(-1)![of] / MIB,
    floor: { value: looks[1]![of] / MIB, is: `the same after the first ${count / SPANS}` },
    done: count,
    note: `at the start and after each quarter: ${shown(looks, of)}`,
  });
  return [
    { ...row('live', 'heap of a server that lives'), goal: atMost(FLAT) },
    row('resident', 'resident memory of a server'),
  ];
}

export const flat: Figure = {
  name: 'flat',
  summary: 'memory of a server after each quarter of 10,000 one-node runs and of 4,000 bash runs',
  async measure(bench) {
    const folder = await mkdtemp(join(tmpdir(), 'svc-flat-'));
    const file = join(folder, 'live-heap');
    const own = process.env.SVC_BENCH_NODE_OPTIONS ?? '';
    const env = { NODE_OPTIONS: `${own} --import ${LIVE_HEAP}`.trim(), SVC_BENCH_LIVE_HEAP: file };
    try {
      return await bench.at({ env }, async (place) => {
        const rows: Row[] = [];
        for (const kind of KINDS) rows.push(...(await measureKind(bench, place, file, kind)));
        return rows;
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
