import type { Clock } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import { blame } from './register.ts';

/** Runs one plugin's part of a phase within a bound; whatever goes wrong is blamed on the plugin. */
export async function timed<T>(
  rules: { clock: Clock; bound_ms: number; plugin: string; phase: string },
  run: () => Promise<T>,
): Promise<T> {
  const { clock, bound_ms, plugin, phase } = rules;
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(bound_ms, () =>
      reject(BootErrors.phaseTimeout(`plugin ${plugin} was not done with phase ${phase} after ${bound_ms} ms`)),
    );
  });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    throw blame(plugin, phase, error);
  } finally {
    cancel();
  }
}
