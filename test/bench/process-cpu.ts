import { readdir, readFile } from 'node:fs/promises';

/** Ticks a second of `/proc/<pid>/stat`: fixed by the interface of Linux. */
const TICKS = 100;

/** Processor time of one process, and of the processes that it started and these started, in ms. */
export interface ProcessCpu {
  own_ms: number;
  children_ms: number;
}

interface Stat {
  pid: number;
  parent: number;
  own_ms: number;
  /** Of those that it has waited for. */
  waited_ms: number;
}

async function statOf(pid: number): Promise<Stat> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain spaces; the parent is the 2nd field after it, utime the 12th.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, user_waited = 0, system_waited = 0] = fields.slice(11, 15);
  const ms = (ticks: number) => (ticks * 1000) / TICKS;
  return { pid, parent: fields[1]!, own_ms: ms(user + system), waited_ms: ms(user_waited + system_waited) };
}

/** Also of children of children: what has ended is counted by the one that waited for it. */
export async function processCpu(pid: number): Promise<ProcessCpu> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  // One that ends meanwhile is counted by its parent.
  const all = (await Promise.all(pids.map((one) => statOf(one).catch(() => undefined)))).filter(
    (one) => one !== undefined,
  );
  const top = all.find((one) => one.pid === pid);
  if (!top) throw new Error(`there is no process ${pid}`);
  let children_ms = top.waited_ms;
  for (let above = new Set([pid]); above.size > 0; ) {
    const below = all.filter(({ parent }) => above.has(parent));
    for (const { own_ms, waited_ms } of below) children_ms += own_ms + waited_ms;
    above = new Set(below.map((one) => one.pid));
  }
  return { own_ms: top.own_ms, children_ms };
}
