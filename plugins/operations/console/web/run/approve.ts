import type { Question, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';

const pathOf = (scope: Scope, { run_id }: RunRecord): string => scoped(scope, `/runs/${encodeURIComponent(run_id)}`);

export const signalPath = (scope: Scope, run: RunRecord, name: string): string =>
  `${pathOf(scope, run)}/signals/${encodeURIComponent(name)}`;

interface Given {
  /** Absent: the wait has no form, approvers or message. */
  question: Question | undefined;
  by: string;
}

/** Who approves stands in the payload, which the workflow may look at; the server records it for a wait that asks a person. */
export const approve = (scope: Scope, run: RunRecord, { question, by }: Given, data: unknown): Promise<unknown> =>
  json(signalPath(scope, run, run.substate!.name), {
    method: 'POST',
    body: question?.form === undefined ? { approved: true, by } : data,
  });

/**
 * A wait that asks a person can be rejected. Most other workflows take any answer for a yes, so that a rejection of those is no signal: it ends the run, and says who did it. One that
 * handles a no itself is sent its payload.
 */
export const reject = (scope: Scope, run: RunRecord, { question, by }: Given, why: string): Promise<unknown> =>
  question ? rejectQuestion(scope, run, why.trim()) : cancelRun(scope, run, by, why);

const rejectQuestion = (scope: Scope, run: RunRecord, reason: string): Promise<unknown> =>
  json(`${signalPath(scope, run, run.substate!.name)}/reject`, {
    method: 'POST',
    body: reason === '' ? {} : { reason },
  });

const cancelRun = (scope: Scope, run: RunRecord, by: string, why: string): Promise<unknown> =>
  json(`${pathOf(scope, run)}/cancel`, {
    method: 'POST',
    body: { reason: `Rejected by ${by}${why.trim() === '' ? '' : `: ${why.trim()}`}` },
  });
