import type { Clock, Log } from '../contracts/index.ts';
import type { Started } from './phases.ts';
import { runWithTimeout } from './run-with-timeout.ts';

export interface StopReport {
  /** One entry for each plugin that failed to stop or took too long. Empty after a clean stop. */
  failures: { plugin: string; message: string }[];
}

/** Stops everything in reverse order. A failure never keeps the rest from stopping, and each has the same time limit. */
export async function stopAll(
  started: readonly Started[],
  rules: { clock: Clock; log: Log; bound_ms: number },
): Promise<StopReport> {
  const failures: StopReport['failures'] = [];
  for (const { plugin, stop } of [...started].reverse()) {
    try {
      await runWithTimeout({ ...rules, plugin, phase: 'stop' }, async () => stop());
    } catch (error) {
      const message = (error as Error).message;
      rules.log.error({ plugin, reason: message }, 'a plugin did not stop cleanly');
      failures.push({ plugin, message });
    }
  }
  return { failures };
}
