import type { Clock } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import { blame } from './load.ts';

/** Runs one plugin's part of a phase, within the time limit if there is one. Any error names the plugin. */
export async function timed<T>(
  { clock, bound_ms, plugin, phase }: { clock: Clock; bound_ms: number | undefined; plugin: string; phase: string },
  run: () => Promise<T>,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const onLate = () =>
    reject(BootErrors.phaseTimeout(`plugin ${plugin} did not finish phase ${phase} within ${bound_ms} ms`));
  const cancel = bound_ms === undefined ? () => undefined : clock.after(bound_ms, onLate);
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    throw blame(plugin, phase, error);
  } finally {
    cancel();
  }
}
