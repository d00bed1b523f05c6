import type { Clock, Phase, Resolve, Role, Stop } from '../contracts/index.ts';
import type { Declared } from './register.ts';
import { timed } from './timed.ts';

/** What a plugin opened in a phase. */
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

/** Runs one phase in boot order. `started` grows during the loop, so that a failure can be undone. */
export async function runPhase(
  phase: Phase,
  { hooks, migrations }: Declared,
  { role, clock, bound_ms, use }: PhaseRules,
  started: Started[],
): Promise<void> {
  const bound = UNBOUNDED.includes(phase) ? undefined : bound_ms;
  for (const { plugin, roles, run } of hooks[phase]) {
    if (!roles.includes(role)) continue;
    const stop = await timed({ clock, bound_ms: bound, plugin, phase }, async () => run(use, migrations));
    if (typeof stop === 'function') started.push({ plugin, stop });
  }
}
