import type { Clock, Log } from '../contracts/index.ts';
import type { Started } from './phases.ts';
import { timed } from './timed.ts';

export interface StopReport {
  /** One entry for each part that failed or took too long; empty after a clean stop. */
  failures: { plugin: string; message: string }[];
}

/** Stops in reverse order. Every part is tried, whatever the others do, each within the time limit. */
export async function stopAll(
  started: readonly Started[],
  rules: { clock: Clock; log: Log; bound_ms: number },
): Promise<StopReport> {
  const failures: StopReport['failures'] = [];
  for (const { plugin, stop } of [...started].reverse()) {
    try {
      await timed({ ...rules, plugin, phase: 'stop' }, async () => stop());
    } catch (error) {
      const message = (error as Error).message;
      rules.log.error({ plugin, reason: message }, 'a plugin did not stop cleanly');
      failures.push({ plugin, message });
    }
  }
  return { failures };
}
