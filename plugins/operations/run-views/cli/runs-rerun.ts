import type { Run } from '../../../../cli/contract.ts';
import { changeRuns } from './change-runs.ts';

/** One for all calls: what this command has rerun once it leaves alone, also when it was stopped in the middle. */
const IDEMPOTENCY_HEADERS = { 'idempotency-key': 'svc runs rerun' };

export const run: Run = (invocation) => {
  const { from, again, anew } = invocation.flags;
  return changeRuns(invocation, {
    verb: 'rerun',
    statuses: ['failed', 'cancelled', 'succeeded'],
    usual: ['failed'],
    async apply(api, { run_id }) {
      const made = await api.json<{ run_id: string; duplicate?: boolean }>({
        method: 'POST',
        path: api.scoped(`/runs/${encodeURIComponent(run_id)}/rerun`),
        body: { from, all: anew },
        headers: again === true ? undefined : IDEMPOTENCY_HEADERS,
      });
      return { outcome: made.duplicate === true ? 'already rerun as' : 'rerun as', made: made.run_id };
    },
  });
};
