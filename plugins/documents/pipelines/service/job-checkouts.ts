import type { Transaction } from '../../../../kernel/contracts/index.ts';
import type { FlowNodeContext } from '../../../engine/flows/contract.ts';
import type { CheckoutOptions, RunOrigins } from '../../../engine/runs/contract.ts';
import { type CheckoutRequirements, planCheckout, type RepositorySource } from '../../../execution/scripts/contract.ts';
import { fillTemplates } from '../domain/templates.ts';

/**
 * Plans the checkout for an activity of a job, from the repository of the event that started the run. Spread `checkout`
 * and `credentials` into the spec of the activity and add `requires`. Undefined means that the activity begins with an
 * empty workspace.
 */
export type JobCheckouts = (
  tx: Transaction,
  context: FlowNodeContext,
  /** The setting of the job or its document; null when neither has one. */
  configured: boolean | CheckoutOptions | null,
) => Promise<CheckoutRequirements | undefined>;

export const jobCheckouts =
  (sources: () => readonly RepositorySource[], origins: () => RunOrigins): JobCheckouts =>
  async (tx, { org_id, project_id, run_id, trusted, evaluate }, configured) => {
    if (configured === false) return undefined;
    const event = await origins().eventOf(tx, project_id, run_id);
    if (event === undefined) return undefined;
    const choice = configured === null ? undefined : (fillTemplates(configured, evaluate) as boolean | CheckoutOptions);
    return planCheckout(sources(), tx, { org_id, project_id, event, trusted }, choice);
  };
