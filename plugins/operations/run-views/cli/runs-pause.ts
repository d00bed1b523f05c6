import { CliError, type Run } from '../../../../cli/contract.ts';
import { changeRuns } from './change-runs.ts';
import { changeOne } from './pause.ts';

const OPEN = ['queued', 'running', 'waiting'] as const;

export const pauseAll: Run = (invocation) =>
  changeRuns(invocation, {
    verb: 'pause',
    statuses: OPEN,
    usual: OPEN,
    apply: (api, { run_id, paused }) =>
      unlessFinished(async () => {
        if (paused) return 'already paused';
        await changeOne(api, run_id, { verb: 'pause', body: { reason: invocation.flags.reason } });
        return 'paused';
      }),
  });

export const resumeAll: Run = (invocation) =>
  changeRuns(invocation, {
    verb: 'resume',
    statuses: OPEN,
    usual: OPEN,
    paused: true,
    apply: (api, { run_id }) =>
      unlessFinished(async () => {
        await changeOne(api, run_id, { verb: 'resume' });
        return 'resumed';
      }),
  });

async function unlessFinished(change: () => Promise<string>): Promise<{ outcome: string }> {
  try {
    return { outcome: await change() };
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'run_finished') throw error;
    return { outcome: 'already ended' };
  }
}
