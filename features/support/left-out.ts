import type { World } from '@cucumber/cucumber';

const told = new Set<string>();

/** Skips the scenario, and says why: once to the gate, which repeats such lines at its end, and each time to reports. */
export function leftOut(world: Pick<World, 'log'>, reason: string): 'skipped' {
  world.log(`left out: ${reason}`);
  if (!told.has(reason)) process.stdout.write(`\nleft out: ${reason}\n`);
  told.add(reason);
  return 'skipped';
}
