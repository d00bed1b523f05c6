import type { Clock, Phase, Resolve, Role, Stop } from '../contracts/index.ts';
import type { Declared } from './register.ts';
import { runWithTimeout } from './run-with-timeout.ts';

/** Something that a plugin opened in a phase, and that must be stopped. */
export interface Started {
  plugin: string;
  stop: Stop;
}

export interface PhaseRules {
  role: Role;
  clock: Clock;
  bound_ms: number;
  use: Resolve;
}

/** A schema change takes as long as its tables are large, and waits for other migrating processes. */
const UNBOUNDED: readonly Phase[] = ['migrate'];

/** Runs one phase in boot order. Appends to `started` as it goes, so that a failure in the middle can be undone. */
export async function runPhase(
  phase: Phase,
  { hooks, migrations }: Declared,
  { role, clock, bound_ms, use }: PhaseRules,
  started: Started[],
): Promise<void> {
  const bound = UNBOUNDED.includes(phase) ? undefined : bound_ms;
  for (const { plugin, roles, run } of hooks[phase]) {
    if (!roles.includes(role)) continue;
    const stop = await runWithTimeout({ clock, bound_ms: bound, plugin, phase }, async () => run(use, migrations));
    if (typeof stop === 'function') started.push({ plugin, stop });
  }
}
