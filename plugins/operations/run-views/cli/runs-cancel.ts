import { CliError, type Run } from '../../../../cli/contract.ts';
import { changeRuns } from './change-runs.ts';

const OPEN = ['queued', 'running', 'waiting'] as const;

export const run: Run = (invocation) =>
  changeRuns(invocation, {
    verb: 'cancel',
    statuses: OPEN,
    usual: OPEN,
    async apply(api, { run_id }) {
      const path = api.scoped(`/runs/${encodeURIComponent(run_id)}/cancel`);
      try {
        await api.json({ method: 'POST', path, body: { reason: invocation.flags.reason } });
        return { outcome: 'cancelled' };
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== 'run_finished') throw error;
        return { outcome: 'already ended' };
      }
    },
  });
