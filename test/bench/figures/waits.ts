import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../bench-run.ts';
import { atMost, atMostValue, type Figure, type Row } from '../figure.ts';
import { HeldCalls } from '../held-calls.ts';
import { type Place, residentBytes } from '../place.ts';
import { processCpu } from '../process-cpu.ts';

const KIB = 1024;
const IDLE_MS = 5000;
const SETTLE_MS = 2000;
const HOLDER = fileURLToPath(new URL('../bare-holder.ts', import.meta.url));
const PINGER = fileURLToPath(new URL('../pinger.ts', import.meta.url));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bodyOf = async (url: URL | string) => (await fetch(url)).text();

/** A server that holds requests until it is told to answer them. */
interface Holder {
  pid: number;
  /** Waits until so many requests are held. */
  holds(count: number): Promise<void>;
  call: { url: URL; headers: Record<string, string> };
  end(): Promise<unknown>;
  /** Asked again and again while the requests are answered. */
  other: string;
}

interface Measured {
  bytes: number;
  /** Processor time of the server for each second in which nothing happens. */
  idle_cpu_ms: number;
  /** The same before the requests came. */
  alone_cpu_ms: number;
  /** From the request that ends them to the last answer. */
  answer_ms: number;
  /** The longest answer to another request meanwhile. */
  longest_ms: number;
}

async function idleCpuMs(pid: number): Promise<number> {
  const [cpu, since] = [await processCpu(pid), performance.now()];
  await pause(IDLE_MS);
  return ((await processCpu(pid)).own_ms - cpu.own_ms) / ((performance.now() - since) / 1000);
}

async function measured({ pid, holds, call, end, other }: Holder, count: number): Promise<Measured> {
  const alone_cpu_ms = await idleCpuMs(pid);
  const before = await residentBytes(pid);
  const calls = new HeldCalls();
  try {
    await calls.open(call.url, call.headers, count);
    await holds(count);
    await pause(SETTLE_MS);
    const bytes = ((await residentBytes(pid)) - before) / count;
    const idle_cpu_ms = await idleCpuMs(pid);
    let answer_ms = 0;
    const longest_ms = await longestBeside(other, async () => {
      const began = performance.now();
      await Promise.all([end(), calls.answered]);
      answer_ms = performance.now() - began;
    });
    return { bytes, alone_cpu_ms, idle_cpu_ms, answer_ms, longest_ms };
  } finally {
    calls.close();
  }
}

async function bare(count: number): Promise<Measured> {
  const child = spawn(process.execPath, [HOLDER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const url = (path: string) => new URL(`http://127.0.0.1:${port}${path}`);
    const holds = async (wanted: number) => {
      while (Number(await bodyOf(url('/held'))) < wanted) await pause(20);
    };
    const call = { url: url('/wait'), headers: {} };
    const end = () => bodyOf(url('/end'));
    return await measured({ pid: child.pid!, holds, call, end, other: url('/held').href }, count);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

/** The longest time that another request took while `work` was done. */
async function longestBeside(url: string, work: () => Promise<unknown>): Promise<number> {
  const child = spawn(process.execPath, [PINGER, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const lines = createInterface({ input: child.stdout });
    await once(lines, 'line');
    await work();
    child.stdin.end();
    const [longest] = (await once(lines, 'line')) as [string];
    return Number(longest);
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL');
  }
}

/** Requests for the end of one run, which is then cancelled. */
async function ours(place: Place, count: number): Promise<Measured> {
  const api = place.api();
  const run_id = await api.submit({ source: 'true\n' });
  const { service, url } = place.servers[0]!;
  const gauge = new RegExp(`^svc_runs_waiting_requests ${count}$`, 'm');
  const holds = async () => {
    while (!gauge.test(await bodyOf(`${url}/metrics`))) await pause(20);
  };
  const end = () => api.cancel(run_id);
  const holder = { pid: service.child.pid!, holds, call: api.waitFor(run_id), end, other: `${url}/healthz` };
  const found = await measured(holder, count);
  api.close();
  return found;
}

export const waits: Figure = {
  name: 'waits',
  summary: 'requests that wait for the end of one run: memory, processor time, and the time to answer all',
  async measure(bench: Bench): Promise<Row[]> {
    // As many as one user may hold.
    const count = bench.size(2000, 500);
    const floor = await bare(count);
    const found = await bench.at({ agents: 0 }, (place) => ours(place, count));
    const is = `bare node:http that holds ${count}`;
    return [
      {
        figure: `memory of a request that waits, of ${count}`,
        unit: 'KiB',
        ours: found.bytes / KIB,
        floor: { value: floor.bytes / KIB, is },
        goal: atMost(3),
        done: count,
      },
      {
        figure: `processor time of ${count} waits, a second`,
        unit: 'ms',
        ours: found.idle_cpu_ms,
        goal: atMostValue(10),
        done: count,
        note: `${found.alone_cpu_ms.toFixed(1)} ms before they came; bare node:http ${floor.idle_cpu_ms.toFixed(1)} ms`,
      },
      {
        figure: `one end, to the last of ${count} answers`,
        unit: 'ms',
        ours: found.answer_ms,
        floor: { value: floor.answer_ms, is },
        goal: atMost(8),
        done: count,
      },
      {
        figure: 'the longest answer to another request meanwhile',
        unit: 'ms',
        ours: found.longest_ms,
        floor: { value: floor.longest_ms, is },
        goal: atMostValue(100),
        done: 1,
      },
    ];
  },
};
