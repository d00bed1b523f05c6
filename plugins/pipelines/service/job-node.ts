import type { FlowNodeContext, FlowNodeType } from '../../flows/contract.ts';
import type { Json, RunLimits } from '../../runs/contract.ts';
import type { CheckoutParts } from '../../scripts/contract.ts';
import { filled, filledEnv } from '../domain/holes.ts';
import { JOB_EXECUTOR, JOB_NODE, type JobPlan, type JobSpec } from '../domain/job-spec.ts';
import type { JobCheckouts } from './job-checkouts.ts';

/** A job with steps: one activity, whose steps run one after the other on one agent. */
export const jobNode = (checkouts: JobCheckouts, limits: () => RunLimits): FlowNodeType => ({
  type: JOB_NODE,
  async begin(tx, context) {
    const plan = context.config as unknown as JobPlan;
    const begins = await checkouts(tx, context, plan.checkout);
    // A timeout of its own counts from its begin, at the server.
    const limit_ms = context.timeout_ms === undefined ? limits().job_timeout_ms : undefined;
    const requires = (filled(plan.requires, context.evaluate) as unknown[]).map(String);
    return {
      activity: {
        executor: JOB_EXECUTOR,
        spec: { ...specOf(plan, context, begins), ...(limit_ms && { limit_ms }) } as unknown as Json,
        requires: [...new Set([...requires, ...(begins?.requires ?? [])])],
      },
    };
  },
});

function specOf(plan: JobPlan, { name, evaluate }: FlowNodeContext, begins: CheckoutParts | undefined): JobSpec {
  const { requires: _requires, roots, env, checkout: _checkout, credentials, ...rest } = plan;
  return {
    version: 1,
    key: name,
    ...rest,
    checkout: begins?.checkout ?? null,
    credentials: { ...credentials, ...begins?.credentials },
    env: { ...(evaluate('env') as Record<string, string>), ...filledEnv(env, evaluate) },
    scope: Object.fromEntries(roots.map((root) => [root, evaluate(root)])),
  };
}
