import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { FlowNodeContext, FlowNodeType } from '../../flows/contract.ts';
import type { PushedRepo, PushedRepos } from '../../forges/contract.ts';
import { CHECKOUT_VARIABLE, type Json, type RunLimits } from '../../runs/contract.ts';
import { GIT } from '../domain/checkout.ts';
import { filled, filledEnv } from '../domain/holes.ts';
import { JOB_EXECUTOR, JOB_NODE, type JobPlan, type JobSpec } from '../domain/job-spec.ts';

/** A job with steps: one activity, whose steps run one after the other on one agent. */
export const jobNode = (repos: () => PushedRepos, limits: () => RunLimits): FlowNodeType => ({
  type: JOB_NODE,
  async begin(tx, context) {
    const plan = context.config as unknown as JobPlan;
    const repo = plan.checkout ? await pushedRepo(tx, repos(), context) : undefined;
    // A timeout of its own counts from its begin, at the server.
    const limit_ms = context.timeout_ms === undefined ? limits().job_timeout_ms : undefined;
    const requires = (filled(plan.requires, context.evaluate) as unknown[]).map(String);
    return {
      activity: {
        executor: JOB_EXECUTOR,
        spec: { ...specOf(plan, context, repo), ...(limit_ms && { limit_ms }) } as unknown as Json,
        requires: [...new Set([...requires, ...(repo ? [GIT] : [])])],
      },
    };
  },
});

/** The repository of the push that started the run. */
async function pushedRepo(
  tx: Transaction,
  repos: PushedRepos,
  { org_id, project_id, evaluate }: FlowNodeContext,
): Promise<PushedRepo | undefined> {
  if (evaluate('run.trigger') !== 'push') return undefined;
  const event = evaluate('has(input.event) ? input.event : null');
  return typeof event === 'string' ? repos.of(tx, { org_id, project_id }, event) : undefined;
}

function specOf(plan: JobPlan, { name, trusted, evaluate }: FlowNodeContext, repo: PushedRepo | undefined): JobSpec {
  const { requires: _requires, roots, env, checkout: _checkout, credentials, ...rest } = plan;
  const credential = trusted ? (repo?.credential ?? null) : null;
  return {
    version: 1,
    key: name,
    ...rest,
    checkout: repo ? { url: repo.url, sha: repo.sha } : null,
    credentials: credential === null ? credentials : { ...credentials, [CHECKOUT_VARIABLE]: credential },
    env: { ...(evaluate('env') as Record<string, string>), ...filledEnv(env, evaluate) },
    scope: Object.fromEntries(roots.map((root) => [root, evaluate(root)])),
  };
}
