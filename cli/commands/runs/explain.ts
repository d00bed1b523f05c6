import type { Client } from '../../client/client.ts';
import { allPages } from '../../client/pages.ts';
import { allSteps } from '../../client/steps.ts';
import type { AgentView, LockView, RunView } from '../../client/types.ts';
import type { Run } from '../../command.ts';
import { paint } from './describe.ts';
import { explain, type Known } from './explanation.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const known = await gather(api, args[0]!);
  const explanation = explain(known);
  const { run_id, status, substate } = known.run;
  output.data({ run_id, status, ...(substate ? { substate } : {}), ...explanation }, () =>
    [
      `${run_id}: ${paint(status, output)}`,
      explanation.because.join(' '),
      ...explanation.next.map((hint) => `  → ${hint}`),
    ].join('\n'),
  );
  return undefined;
};

/** The run first: what is read after it can only know more. */
async function gather(api: Client, run_id: string): Promise<Known> {
  const record = await api.json<RunView>({ path: api.scoped(`/runs/${encodeURIComponent(run_id)}`) });
  const steps = await allSteps(api, run_id);
  const locks =
    record.substate?.kind === 'awaiting_lease' ? await allPages<LockView>(api, api.scoped('/locks'), 'locks') : [];
  const open = ['queued', 'running', 'waiting'].includes(record.status);
  const agents = open ? await allPages<AgentView>(api, '/api/v1/agents', 'agents') : [];
  return { run: record, steps, agents, locks, now: Date.now() };
}
