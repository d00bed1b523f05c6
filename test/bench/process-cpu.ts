import { readFile } from 'node:fs/promises';

/** Ticks a second of `/proc/<pid>/stat`: fixed by the interface of Linux. */
const TICKS = 100;

/** Processor time of one process and of the children that it waited for, in ms. */
export interface ProcessCpu {
  own_ms: number;
  children_ms: number;
}

export async function processCpu(pid: number): Promise<ProcessCpu> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain spaces; utime is the 12th field after it.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, user_children = 0, system_children = 0] = fields.slice(11, 15);
  const ms = (ticks: number) => (ticks * 1000) / TICKS;
  return { own_ms: ms(user + system), children_ms: ms(user_children + system_children) };
}
