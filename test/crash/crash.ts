import { setTimeout } from 'node:timers/promises';
import { type Fleet, underAttack, type Victim } from './chaos.ts';
import { CrashRun } from './crash-run.ts';
import { workload } from './script.ts';
import { ledgerOf, violationsOf } from './verdict.ts';

export interface CrashPlan {
  /** Absent: SQLite. */
  database_url?: string;
  servers: number;
  agents: number;
  steps: number;
  /** Kills of each victim. */
  kills: Record<Victim, number>;
  seed: number;
}

export interface CrashResult {
  status: string;
  /** What was struck for real; a strike that hit nobody does not count. */
  struck: Record<Victim, number>;
  /** Everything that is not as promised; empty when all is well. */
  violations: string[];
}

/** Runs the workload while its parts are killed at random moments, then compares records, ledger and invariants. */
export const crash = (plan: CrashPlan): Promise<CrashResult> =>
  underAttack(plan, async ({ target, own, fleet, random }) => {
    const ledger = ledgerOf(own);
    const work = workload(plan.steps, ledger);
    const run = new CrashRun(target, work);
    await run.submit();
    const struck = await batter(plan, fleet, run, random);
    const status = await run.end();
    const violations = await violationsOf(own, run, work, ledger);
    return { status, struck, violations };
  });

/** How long a script is looked for. On loaded cores an agent takes a second to start one. */
const LOOK_MS = 3000;
const BETWEEN_LOOKS_MS = 3;

/** A script waits most of its time, and then there is nobody to kill: it is let go on, and struck as soon as it is there. */
async function strikeScript(fleet: Fleet, run: CrashRun): Promise<boolean> {
  const began = performance.now();
  for (let look = 0; performance.now() - began < LOOK_MS; look += 1) {
    if (await fleet.strike('script', run)) return true;
    if (look === 0) await run.signal();
    else await setTimeout(BETWEEN_LOOKS_MS);
  }
  return false;
}

/** Strikes until each victim was hit as often as planned, or the run has ended. */
async function batter(
  plan: CrashPlan,
  fleet: Fleet,
  run: CrashRun,
  random: () => number,
): Promise<CrashResult['struck']> {
  const struck = { script: 0, agent: 0, server: 0 };
  const left = (victim: Victim) => plan.kills[victim] - struck[victim];
  const total = plan.kills.script + plan.kills.agent + plan.kills.server;
  // A strike every so many records. The last third of the run is for strikes that hit nobody and are repeated.
  const stride = Math.max(1, Math.floor((run.length * 0.65) / Math.max(1, total)));
  for (let strikes = 0; strikes < total; ) {
    await run.advance(strikes * stride);
    const victims = (['script', 'agent', 'server'] as const).filter((victim) => left(victim) > 0);
    const victim = victims[Math.floor(random() * victims.length)]!;
    await setTimeout(random() * 60);
    if (await (victim === 'script' ? strikeScript(fleet, run) : fleet.strike(victim))) {
      struck[victim] += 1;
      strikes += 1;
    }
    if (await run.hasEnded()) break;
  }
  return struck;
}
