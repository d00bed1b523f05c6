import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { FlowNodeContext } from '../../flows/contract.ts';
import type { CheckoutOptions, RunOrigins } from '../../runs/contract.ts';
import { type CheckoutParts, planCheckout, type RepositorySource } from '../../scripts/contract.ts';
import { filled } from '../domain/holes.ts';

/**
 * What an activity of a job needs to begin with the repository of the event that started the run. Spread `checkout` and
 * `credentials` into the spec of whatever runs the job, and add `requires`. Undefined: it begins with an empty workspace.
 */
export type JobCheckouts = (
  tx: Transaction,
  context: FlowNodeContext,
  /** As the job or its document says it; null: neither does. */
  wanted: boolean | CheckoutOptions | null,
) => Promise<CheckoutParts | undefined>;

export const jobCheckouts =
  (sources: () => readonly RepositorySource[], origins: () => RunOrigins): JobCheckouts =>
  async (tx, { org_id, project_id, run_id, trusted, evaluate }, wanted) => {
    if (wanted === false) return undefined;
    const event = await origins().eventOf(tx, project_id, run_id);
    if (event === undefined) return undefined;
    const choice = wanted === null ? undefined : (filled(wanted, evaluate) as boolean | CheckoutOptions);
    return planCheckout(sources(), tx, { org_id, project_id, event, trusted }, choice);
  };
