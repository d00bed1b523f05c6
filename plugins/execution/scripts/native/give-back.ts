import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { Guard } from './guard-process.ts';

const EACH_MS = 10_000;

/**
 * Returns memory that the C library holds free to the system: a tenth of a process after its start, and what bursts
 * of work leave behind. Returns a function that stops this.
 */
export function releaseMemoryPeriodically(clock: Pick<Clock, 'after'>, { releaseMemory }: Guard): () => void {
  if (!releaseMemory) return () => undefined;
  const work = () => {
    releaseMemory();
    cancel = clock.after(EACH_MS, work);
  };
  let cancel = clock.after(EACH_MS, work);
  return () => cancel();
}
