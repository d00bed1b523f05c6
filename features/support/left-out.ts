import type { World } from '@cucumber/cucumber';
import { isNeed, reasonOf } from '../../test/kit/needs.ts';

/**
 * Skips the scenario, and says why: to reports, and on a line of its own to the gate, which counts them. `lacks`: what of
 * test/kit/needs.ts is not on this machine.
 */
export function leftOut(world: Pick<World, 'log'>, reason: string, ...lacks: string[]): 'skipped' {
  const named = lacks.filter(isNeed);
  world.log(`left out: ${reason}`);
  process.stdout.write(`\nleft out: ${reason}${named.length > 0 ? ` (${reasonOf(named)})` : ''}\n`);
  return 'skipped';
}
