import { until } from '../../features/support/process.ts';
import { type OwnTarget, startTarget, type Target } from '../../features/support/target.ts';
import { CrashRun } from './crash-run.ts';
import { workload } from './script.ts';
import { ledgerOf, violationsOf } from './verdict.ts';

const METHODS = [
  'claim',
  'append',
  'perform',
  'park',
  'attempt',
  'sendSignal',
  'resolveDue',
  'complete',
  'appendLogs',
  'pauseRun',
  'resumeRun',
];
/** Where a server may die between having done something and having said so. */
export const SERVER_POINTS = [
  ...METHODS.flatMap((method) => [`runs.store.${method}.before`, `runs.store.${method}.after`]),
  // Inside an emit, between a wait's event and its record, and after it.
  'handlers.apply',
  'bus.fired',
  'bus.delivered',
  // Inside a pause and a resume.
  'runs.paused',
  'runs.resumed',
];
/** Where an agent may die around a durable call. */
export const AGENT_POINTS = ['replay.call.made', 'replay.call.recorded', 'replay.wait.parked'];

export interface PointResult {
  point: string;
  died: boolean;
  status: string;
  violations: string[];
}

/** For each point: a run during which the process dies there, comes back and finishes. */
export async function dieAtPoints(points: readonly string[], database_url?: string): Promise<PointResult[]> {
  const target = await startTarget({
    agents: 1,
    env: { SVC_LEASE_MS: '1000' },
    ...(database_url ? { database_url } : {}),
  });
  try {
    const results: PointResult[] = [];
    for (const [index, point] of points.entries()) results.push(await dieAt(target, point, index));
    return results;
  } finally {
    await target.close();
  }
}

async function dieAt(target: Target, point: string, index: number): Promise<PointResult> {
  const own = target.own!;
  const victim = AGENT_POINTS.includes(point) ? agentVictim(own) : serverVictim(own);
  // What a server does before anybody asked is let through, so that it lives until it listens.
  await victim.arm(
    `${point}:${/perform|sendSignal|complete|appendLogs|^bus|^handlers|paused|resumed|pauseRun|resumeRun/.test(point) ? 1 : 2}`,
  );
  const ledger = ledgerOf(own, `ledger-${index}`);
  const work = workload(14, ledger);
  const run = new CrashRun(target, work, `point-${index}`);
  // A server may die before it has taken the run: whoever submits has patience.
  const driving = run.submit().then(() => run.end());
  const died = await Promise.race([victim.death().then(() => true), driving.then(() => false)]);
  await victim.disarm();
  const status = await driving;
  return { point, died, status, violations: await violationsOf(own, run, work, ledger) };
}

/** Restarts the one server with the point armed, and without it once it has died. */
export function serverVictim(own: OwnTarget) {
  const restart = async (point: string) => {
    if (own.server.running) await own.server.kill('SIGTERM');
    own.env.SVC_FAILPOINTS = point;
    own.server = (await own.startServer()).service;
  };
  return {
    arm: restart,
    disarm: () => restart(''),
    death: () => until('the death of the server', 60_000, async () => !own.server.running || undefined),
  };
}

export function agentVictim(own: OwnTarget) {
  const restart = async (point: string) => {
    for (const agent of own.agents.splice(0)) await agent.kill('SIGTERM');
    await own.startAgent('point', { env: { SVC_FAILPOINTS: point } });
  };
  return {
    arm: restart,
    disarm: () => restart(''),
    death: () => until('the death of the agent', 60_000, async () => !own.agents[0]?.running || undefined),
  };
}
