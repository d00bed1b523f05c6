import { join } from 'node:path';
import { underAttack, type Fleet, type WorkersPlan } from './chaos.ts';
import { CrashRun } from './crash-run.ts';
import { functionWorkload } from './function.ts';
import { ledgerOf, ledgerViolations, sqlViolations } from './verdict.ts';

/** The same functions in both languages. */
const PROGRAMS = {
  typescript: join(import.meta.dirname, 'programs', 'crashing.ts'),
  python: join(import.meta.dirname, 'programs', 'crashing.py'),
};

export type WorkerVictim = 'program' | 'worker' | 'server';

export interface WorkersCrashPlan {
  /** Absent: SQLite. */
  database_url?: string;
  servers: number;
  workers: number;
  /** Runs at the same time, each with a program of its own. */
  runs: number;
  steps: number;
  /** Kills of each victim. */
  kills: Record<WorkerVictim, number>;
  seed: number;
  language: keyof typeof PROGRAMS;
}

export interface WorkersCrashResult {
  /** Of each run. */
  statuses: string[];
  struck: Record<WorkerVictim, number>;
  /** Everything that is not as promised; empty when all is well. */
  violations: string[];
}

/** Random functions on workers, while the programs, the workers and the servers are killed at random moments. */
export const crashWorkers = (plan: WorkersCrashPlan): Promise<WorkersCrashResult> =>
  // One agent for the script that handles events.
  underAttack({ ...plan, agents: 1 }, async ({ target, own, fleet, random }) => {
    const ledger = ledgerOf(own);
    const { language } = plan;
    const works = Array.from({ length: plan.runs }, (_, index) =>
      functionWorkload(plan.steps, ledger, { run: index + 1, language, random }),
    );
    const workers = { count: plan.workers, file: PROGRAMS[language] };
    await fleet.startWorkers(workers);
    const runs = works.map((work, index) => new CrashRun(target, work, `crash-${index}`));
    for (const run of runs) await run.submit();
    const struck = await batter(plan, fleet, workers, { runs, random });
    const statuses = await Promise.all(runs.map((run) => run.end()));
    const violations: string[] = [];
    for (const run of runs) violations.push(...(await run.violations()), ...(await run.handlerViolations()));
    const effects = works.flatMap((work) => work.effects);
    violations.push(...(await ledgerViolations(ledger, effects)), ...(await sqlViolations(own.env)));
    return { statuses, struck, violations };
  });

/** Strikes until each victim was hit as often as planned, or all runs have ended. */
async function batter(
  plan: WorkersCrashPlan,
  fleet: Fleet,
  workers: WorkersPlan,
  { runs, random }: { runs: CrashRun[]; random: () => number },
): Promise<WorkersCrashResult['struck']> {
  const struck = { program: 0, worker: 0, server: 0 };
  const strike: Record<WorkerVictim, () => Promise<boolean>> = {
    program: () => fleet.strikeProgram(workers),
    worker: () => fleet.strikeWorker(workers),
    server: () => fleet.strike('server'),
  };
  const total = plan.kills.program + plan.kills.worker + plan.kills.server;
  // A strike every so many records. The last third of the runs is for strikes that hit nobody and are repeated.
  const stride = (Math.min(...runs.map(({ length }) => length)) * 0.65) / Math.max(1, total);
  for (let strikes = 0; strikes < total; ) {
    await Promise.all(runs.map((run) => run.advance(Math.floor(strikes * stride))));
    const victims = (['program', 'worker', 'server'] as const).filter((one) => struck[one] < plan.kills[one]);
    const victim = victims[Math.floor(random() * victims.length)]!;
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    if (await strike[victim]()) {
      struck[victim] += 1;
      strikes += 1;
    }
    const ended = await Promise.all(runs.map((run) => run.hasEnded()));
    if (ended.every(Boolean)) break;
  }
  return struck;
}
