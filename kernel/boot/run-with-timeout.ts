import type { Clock } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import { attributeToPlugin } from './load.ts';

/** Runs one plugin's hook of a phase, within the time limit if there is one. Every error names the plugin. */
export async function runWithTimeout<T>(
  { clock, bound_ms, plugin, phase }: { clock: Clock; bound_ms: number | undefined; plugin: string; phase: string },
  run: () => Promise<T>,
): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const onTimeout = () =>
    reject(BootErrors.phaseTimeout(`plugin ${plugin} did not finish phase ${phase} within ${bound_ms} ms`));
  const cancel = bound_ms === undefined ? () => undefined : clock.after(bound_ms, onTimeout);
  try {
    return await Promise.race([run(), timedOut]);
  } catch (error) {
    throw attributeToPlugin(plugin, phase, error);
  } finally {
    cancel();
  }
}
