import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';

const pathOf = (scope: Scope, { run_id }: RunRecord): string => scoped(scope, `/runs/${encodeURIComponent(run_id)}`);

export const signalPath = (scope: Scope, run: RunRecord, name: string): string =>
  `${pathOf(scope, run)}/signals/${encodeURIComponent(name)}`;

/** Who approves stands in the payload, which the workflow may look at. */
export const approve = (scope: Scope, run: RunRecord, by: string): Promise<unknown> =>
  json(signalPath(scope, run, run.substate!.name), { method: 'POST', body: { approved: true, by } });

/**
 * Most workflows take any answer for a yes, so that a rejection is no signal: it ends the run, and says who did it. One that
 * handles a no itself is sent its payload.
 */
export const reject = (scope: Scope, run: RunRecord, by: string, why: string): Promise<unknown> =>
  json(`${pathOf(scope, run)}/cancel`, {
    method: 'POST',
    body: { reason: `Rejected by ${by}${why.trim() === '' ? '' : `: ${why.trim()}`}` },
  });
