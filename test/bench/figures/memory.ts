import type { Bench } from '../bench-run.ts';
import { atMost, atMostValue, type Figure, mustBe, type Row } from '../figure.ts';
import { nodeResidentBytes } from '../floors.ts';
import type { ActivityHost, Assignment, PassEnd } from '../../../plugins/execution/agents/contract.ts';
import { withoutProcesses } from '../own-agent.ts';
import { type Place, proportionalBytes, residentBytes } from '../place.ts';
import { median, together } from '../statistics.ts';

const MIB = 1024 * 1024;
const PAUSE_MS = 1000;

/** A server that has nothing to do gives back what its start took, after ten seconds. */
const SETTLE_MS = 22_000;

/** What the server holds once it has had time to let go of garbage: the middle of some readings. */
async function held(bench: Bench, place: Place): Promise<number> {
  const pid = place.servers[0]!.service.child.pid!;
  const readings: number[] = [];
  for (let sample = 0; sample < bench.size(5, 1); sample += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    readings.push(await residentBytes(pid));
  }
  return median(readings);
}

/** A script's calls without its processes: `park` waits for a signal, everything else makes a step and ends. */
async function play(assignment: Assignment, host: ActivityHost): Promise<PassEnd> {
  const call = { position: 0, ordinal: 0, digest: '', started_at: Date.now() };
  const { source } = assignment.spec as { source: string };
  if (source.includes('wait-signal') && assignment.journal.length === 0) {
    const answer = await host.park({ ...call, kind: 'wait-signal', name: 'go', args: null });
    if ('parked' in answer) return { end: 'parked' };
  } else await host.append({ ...call, kind: 'step', name: 'one', exit_code: 0, output: '' });
  return { end: 'completed', completion: { status: 'succeeded', output: {} } };
}

/** Submits `count` runs and waits until as many have come to where they were to come. */
async function runs(place: Place, source: string, count: number, come: () => number): Promise<void> {
  const api = place.api();
  await together(count, 32, () => api.submit({ source }));
  api.close();
  while (come() < count) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function measureAt(bench: Bench, place: Place, floor: number): Promise<Row[]> {
  const finished = bench.size(10_000, 200);
  const parked = bench.size(100_000, 200);
  await new Promise((resolve) => setTimeout(resolve, bench.size(SETTLE_MS, 0)));
  const idle = await held(bench, place);
  const proportional = await proportionalBytes(place.servers[0]!.service.child.pid!);
  let ended = 0;
  const counted = async (assignment: Assignment, host: ActivityHost) => {
    // A claim that ends while it is being renewed is told to be lost: the server has the last word, and is asked below.
    return play(assignment, host).finally(() => (ended += 1));
  };
  const [after, waiting] = await withoutProcesses(place, 64, counted, async () => {
    // A tenth first: what the process grows to under load is not what a run leaves behind.
    await runs(place, 'true\n', finished / 10, () => ended);
    const warm = await held(bench, place);
    ended = 0;
    await runs(place, 'true\n', finished, () => ended);
    const after_runs = { warm, held: await held(bench, place), done: finished };
    ended = 0;
    await runs(place, 'svc wait-signal go\n', parked, () => ended);
    return [after_runs, { held: await held(bench, place), done: parked }] as const;
  });
  const api = place.api();
  mustBe('runs that succeeded', await api.count('succeeded'), finished + finished / 10);
  mustBe('runs that wait', await api.count('waiting'), parked);
  api.close();
  return [
    {
      figure: 'server memory, idle',
      unit: 'MiB',
      ours: idle / MIB,
      floor: { value: floor / MIB, is: 'a Node that does nothing' },
      goal: atMostValue(120),
      done: 1,
    },
    {
      figure: 'server memory, idle, shared pages in part (PSS)',
      unit: 'MiB',
      ours: proportional / MIB,
      goal: atMostValue(120),
      done: 1,
    },
    {
      figure: `server memory, after ${finished} runs`,
      unit: 'MiB',
      ours: after.held / MIB,
      floor: { value: after.warm / MIB, is: 'the same after a tenth of them' },
      goal: atMost(1.2),
      done: after.done,
    },
    {
      figure: `server memory, with ${parked} parked runs`,
      unit: 'MiB',
      ours: waiting.held / MIB,
      floor: { value: after.held / MIB, is: 'the same before they came' },
      goal: atMostValue(400),
      done: waiting.done,
    },
    {
      figure: 'cost per parked run',
      unit: 'KiB',
      ours: Math.max(0, waiting.held - after.held) / parked / 1024,
      goal: atMostValue(4),
      done: waiting.done,
      note: 'no process, no socket: nothing of it is outside of the database',
    },
  ];
}

export const memory: Figure = {
  name: 'memory',
  summary: 'resident memory of `svc serve`: idle, after many runs, with many parked',
  async measure(bench) {
    const floor = await nodeResidentBytes(residentBytes);
    return bench.at({ agents: 0 }, (place) => measureAt(bench, place, floor));
  },
};
