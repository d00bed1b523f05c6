import type { WorkerTools } from '../contract.ts';

/** Tasks for tests of the pool; each is called in a worker thread. */
export const answer = ({ expressions }: WorkerTools, text: string): unknown =>
  expressions.compile(text, ['x']).evaluate({ x: 20 });

export function spin(): never {
  for (;;) Math.random();
}

/** Fills the memory with small values. Node ends the process if one value is larger than 16 MiB when the memory is full. */
export function fill(): number {
  let last: unknown;
  for (let n = 0; ; n += 1) last = { n, last, text: [n] };
}

export function fail(): never {
  throw new TypeError('a fault of the code');
}

let calls = 0;
export const count = (_tools: WorkerTools): number => ++calls;

/** Works for a moment, and says what it was given. */
export function slowly(_tools: WorkerTools, name: string): string {
  const until = performance.now() + 20;
  while (performance.now() < until) Math.random();
  return name;
}
