import type { FlowNodeContext, FlowNodeType } from '../../../engine/flows/contract.ts';
import type { Json, RunLimits } from '../../../engine/runs/contract.ts';
import type { CheckoutRequirements } from '../../../execution/scripts/contract.ts';
import { fillTemplates, fillEnv } from '../domain/templates.ts';
import { JOB_EXECUTOR, JOB_NODE, type JobPlan, type JobSpec } from '../domain/job-spec.ts';
import type { JobCheckouts } from './job-checkouts.ts';

/** The node of a job with steps: one activity that runs the steps in order on one agent. */
export const jobNode = (checkouts: JobCheckouts, limits: () => RunLimits): FlowNodeType => ({
  type: JOB_NODE,
  async begin(tx, context) {
    const plan = context.config as unknown as JobPlan;
    const checkout_parts = await checkouts(tx, context, plan.checkout);
    // The server enforces a timeout of the job's own from the begin of the attempt.
    const limit_ms = context.timeout_ms === undefined ? limits().job_timeout_ms : undefined;
    const requires = (fillTemplates(plan.requires, context.evaluate) as unknown[]).map(String);
    return {
      activity: {
        executor: JOB_EXECUTOR,
        spec: { ...toJobSpec(plan, context, checkout_parts), ...(limit_ms && { limit_ms }) } as unknown as Json,
        requires: [...new Set([...requires, ...(checkout_parts?.requires ?? [])])],
      },
    };
  },
});

function toJobSpec(
  plan: JobPlan,
  { name, evaluate }: FlowNodeContext,
  checkout_parts: CheckoutRequirements | undefined,
): JobSpec {
  const { requires: _requires, roots, env, checkout: _checkout, credentials, ...rest } = plan;
  return {
    version: 1,
    key: name,
    ...rest,
    checkout: checkout_parts?.checkout ?? null,
    credentials: { ...credentials, ...checkout_parts?.credentials },
    env: { ...(evaluate('env') as Record<string, string>), ...fillEnv(env, evaluate) },
    scope: Object.fromEntries(roots.map((root) => [root, evaluate(root)])),
  };
}
