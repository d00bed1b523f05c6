import type { Clock, Resolve, Role, Stop } from '../contracts/index.ts';
import type { Declared } from './register.ts';
import { timed } from './timed.ts';

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

/** After the schema is in place, before anything runs. */
export async function init(declared: Declared, rules: PhaseRules): Promise<void> {
  for (const hook of declared.init) {
    if (!hook.roles.includes(rules.role)) continue;
    await timed({ ...rules, plugin: hook.plugin, phase: 'init' }, () => hook.run(rules.use));
  }
}

/** Starts background work in boot order; `started` grows as it goes, so that a failure can be undone. */
export async function start(declared: Declared, rules: PhaseRules, started: Started[]): Promise<void> {
  for (const hook of declared.start) {
    if (!hook.roles.includes(rules.role)) continue;
    const stop = await timed({ ...rules, plugin: hook.plugin, phase: 'start' }, () => hook.run(rules.use));
    started.push({ plugin: hook.plugin, stop });
  }
}

export async function ready(declared: Declared, rules: PhaseRules): Promise<void> {
  for (const hook of declared.ready) {
    if (!hook.roles.includes(rules.role)) continue;
    await timed({ ...rules, plugin: hook.plugin, phase: 'ready' }, () => hook.run(rules.use));
  }
}
