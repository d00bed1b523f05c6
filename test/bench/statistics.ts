import { readFile } from 'node:fs/promises';

/** The value below which `share` (0 to 1) of the values lie; nearest rank. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('nothing was measured');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

const origin = alignedOrigin();

/** Epoch milliseconds with a fraction, comparable with `$EPOCHREALTIME` of a shell on this machine. */
export const wallMs = (): number => origin + performance.now();

/** `Date.now` counts whole milliseconds: the moment at which it steps on ties it to the fine clock. */
function alignedOrigin(): number {
  const before = Date.now();
  let now = Date.now();
  while (now === before) now = Date.now();
  return now - performance.now();
}

/** Milliseconds that `work` took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/** `count` times of `work`, one after the other, in ms. */
export async function times(count: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push(await timed(() => work(index)));
  return found;
}

/** Runs `work` for 0 to count-1, `width` at a time. */
export async function together(count: number, width: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
}

/** Waits until a file has as many lines, without asking the service, which is busy with what is measured. */
export async function linesOf(file: string, count: number, bound_ms = 60_000): Promise<number[]> {
  for (const end = performance.now() + bound_ms; performance.now() < end; ) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const lines = text.split('\n').slice(0, -1);
    if (lines.length >= count) return lines.map(Number);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${file} has not got ${count} lines within ${bound_ms} ms`);
}
