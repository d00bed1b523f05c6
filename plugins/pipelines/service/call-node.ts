import type { Transaction } from '../../../kernel/contracts/index.ts';
import { type FlowNodeContext, type FlowNodeType, flowConfigInvalid } from '../../flows/contract.ts';
import type { CheckoutOptions, Json, WorkflowReference } from '../../runs/contract.ts';
import { CALL_NODE, type CallPlan, documentOf, shownFile, takesCredentials } from '../domain/child.ts';
import { filled, filledEnv } from '../domain/holes.ts';
import type { FromRepo } from '../generated/pipeline.ts';
import type { JobCheckouts } from './job-checkouts.ts';

/** A `workflow` job: a run of its own, for which this one waits without an agent. */
export const callNode = (checkouts: JobCheckouts): FlowNodeType => ({
  type: CALL_NODE,
  async begin(tx, node) {
    const { evaluate, timeout_ms } = node;
    const { name, env, credentials, checkout, with: given, ...plan } = node.config as unknown as CallPlan;
    const workflow = plan.from_repo ? readFile(plan.from_repo, node) : plan.workflow;
    if (!workflow)
      throw flowConfigInvalid(
        `job ${node.name}: ${name} is not in \`files\` of the pipeline; name the file of a repository with \`from_repo\``,
      );
    const variables = { ...(evaluate('env') as Record<string, string>), ...filledEnv(env, evaluate) };
    const args = {
      ...workflow,
      ...(workflow.source === undefined ? {} : { env: variables }),
      ...(takesCredentials(workflow) ? { credentials, ...(await checkoutOf(checkouts, tx, node, checkout)) } : {}),
      ...(given === null ? {} : { input: filled(given, evaluate) }),
    };
    return { wait: { kind: 'call', name: workflow.filename ?? name, args: args as Json, timeout_ms } };
  },
});

/** Whether a script begins with the repository is decided as for a job with steps; its run finds the repository itself. */
async function checkoutOf(
  checkouts: JobCheckouts,
  tx: Transaction,
  node: FlowNodeContext,
  wanted: CallPlan['checkout'],
): Promise<{ checkout?: boolean | CheckoutOptions }> {
  if ((await checkouts(tx, node, wanted)) === undefined) return {};
  return { checkout: wanted === null ? true : (filled(wanted, node.evaluate) as boolean | CheckoutOptions) };
}

/** The file that an earlier node read. Throws `flow_config_invalid`. */
function readFile(
  { file, node }: NonNullable<CallPlan['from_repo']>,
  { name, evaluate }: Pick<FlowNodeContext, 'name' | 'evaluate'>,
): WorkflowReference {
  const wanted = filled(file, evaluate) as FromRepo;
  const { error, outputs } = evaluate(`jobs[${JSON.stringify(node)}]`) as {
    error: { message: string } | null;
    outputs: { payload?: string };
  };
  if (error || outputs.payload === undefined)
    throw flowConfigInvalid(`job ${name}: ${shownFile(wanted)} cannot be read: ${error?.message}`);
  return documentOf(wanted.path, outputs.payload);
}
