import type { Clock } from '../../../kernel/contracts/index.ts';
import type { Guard } from './guard-process.ts';

const EACH_MS = 10_000;

/**
 * Gives memory back that the C library holds free: a tenth of a process after its start, and what bursts of work leave
 * behind. Answers how to stop.
 */
export function giveBackMemory(clock: Pick<Clock, 'after'>, { giveBack }: Guard): () => void {
  if (!giveBack) return () => undefined;
  const work = () => {
    giveBack();
    cancel = clock.after(EACH_MS, work);
  };
  let cancel = clock.after(EACH_MS, work);
  return () => cancel();
}
