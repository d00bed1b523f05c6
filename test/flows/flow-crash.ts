import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../features/support/process.ts';
import { type OwnTarget, startTarget, type Target } from '../../features/support/target.ts';
import { randomFrom } from '../crash/chaos.ts';
import { agentVictim, serverVictim } from '../crash/failpoints.ts';
import { sqlViolations } from '../crash/verdict.ts';
import { bigFlow, EXPECTED, ITEMS } from './big-flow.ts';

const KIND = join(import.meta.dirname, '../plugins/flow-kind');
const ENDED = ['succeeded', 'failed', 'cancelled'];

/** Where a server may die around the transitions of a flow, and at which passage. */
export const SERVER_POINTS = [
  'flows.planned:1',
  'flows.begun:1',
  'flows.work.ended:2',
  'flows.work.advanced:3',
  'flows.pause.ended:1',
  'flows.pause.advanced:1',
  'flows.timer.ended:1',
  'flows.timer.advanced:1',
  'flows.resumed:1',
  'flows.resumed.advanced:1',
  'runs.settled:5',
  'runs.store.complete.after:2',
  'runs.store.resolveDue.after:3',
];
export const AGENT_POINTS = ['replay.call.recorded:2'];

export interface FlowResult {
  point: string;
  died: boolean;
  violations: string[];
}

export async function openFlowTarget(database_url?: string): Promise<Target> {
  return startTarget({ agents: 1, database_url, env: { SVC_LEASE_MS: '1500', SVC_PLUGINS: KIND } });
}

/** A flow during which a process dies at a point, comes back, and which then ends as it would have without. */
export async function dieAt(target: Target, point: string): Promise<FlowResult> {
  const own = target.own!;
  const victim = AGENT_POINTS.includes(point) ? agentVictim(own) : serverVictim(own);
  await victim.arm(point);
  const ledger = join(own.folder, `ledger-${point.replace(/\W/g, '-')}`);
  const driving = drive(target, point, ledger);
  const died = await Promise.race([victim.death().then(() => true), driving.then(() => false)]);
  await victim.disarm();
  return { point, died, violations: [...(await driving), ...(await sqlViolations(own.env))] };
}

/** The same while server and agent are killed at random moments. */
export async function dieAtRandom(target: Target, kills: number, seed: number): Promise<FlowResult> {
  const own = target.own!;
  const random = randomFrom(seed);
  const driving = drive(target, 'random', join(own.folder, 'ledger-random'));
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 200 + random() * 800));
    if (random() < 0.5) await restartServer(own);
    else await restartAgent(own);
  }
  return { point: 'random', died: true, violations: [...(await driving), ...(await sqlViolations(own.env))] };
}

async function restartServer(own: OwnTarget): Promise<void> {
  await own.server.kill('SIGKILL');
  own.server = (await own.startServer()).service;
}

async function restartAgent(own: OwnTarget): Promise<void> {
  for (const agent of own.agents.splice(0)) await agent.kill('SIGKILL');
  await own.startAgent('again');
}

/** Submits the flow, sends its signal, waits for its end; answers what is not as it must be. */
async function drive(target: Target, key: string, ledger: string): Promise<string[]> {
  const ask = asker(target);
  const source = JSON.stringify(bigFlow(ledger));
  const { run_id } = await ask<{ run_id: string }>('POST', '/runs', { source, idempotency_key: key });
  await ask('POST', `/runs/${run_id}/signals/go`, { n: 7 }, `${key}-signal`);
  type Shown = { status: string; output: unknown; error?: { message: string } };
  const run = await until('the end of the flow', 180_000, async () => {
    const shown = await ask<Shown>('GET', `/runs/${run_id}`);
    return ENDED.includes(shown.status) ? shown : undefined;
  });
  const said = JSON.stringify(run.output);
  const lines = new Set((await readFile(ledger, 'utf8')).split('\n').filter((line) => line !== ''));
  return [
    ...(run.status === 'succeeded' ? [] : [`the flow has ${run.status}: ${run.error?.message}`]),
    ...(said === JSON.stringify(EXPECTED) ? [] : [`its output is ${said}`]),
    ...(lines.size === ITEMS ? [] : [`${lines.size} of ${ITEMS} items did their work`]),
  ];
}

/** Asks with patience: servers come and go. */
function asker({ base_url, org, token }: Target) {
  return <T>(method: string, path: string, body?: unknown, key?: string): Promise<T> =>
    until(`${method} ${path}`, 60_000, async () => {
      const headers = new Headers({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
      if (key !== undefined) headers.set('idempotency-key', key);
      const url = `${base_url}/api/v1/orgs/${org}/projects/main${path}`;
      const request = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
      const response = await fetch(url, request).catch(() => undefined);
      if (!response || response.status === 503) return undefined;
      const text = await response.text().catch(() => undefined);
      if (text === undefined) return undefined;
      if (response.status === 409 && text.includes('run_finished')) return {} as T;
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as T;
    });
}
