import { type FlowNodeContext, type FlowNodeType, flowConfigInvalid } from '../../flows/contract.ts';
import type { Json, WorkflowReference } from '../../runs/contract.ts';
import { CALL_NODE, type CallPlan, documentOf, shownFile, takesCredentials } from '../domain/child.ts';
import { filled, filledEnv } from '../domain/holes.ts';
import type { FromRepo } from '../generated/pipeline.ts';

/** A `workflow` job: a run of its own, for which this one waits without an agent. */
export const callNode: FlowNodeType = {
  type: CALL_NODE,
  begin(_tx, node) {
    const { evaluate, timeout_ms } = node;
    const { name, env, credentials, with: given, ...plan } = node.config as unknown as CallPlan;
    const workflow = plan.from_repo ? readFile(plan.from_repo, node) : plan.workflow;
    if (!workflow)
      throw flowConfigInvalid(
        `job ${node.name}: ${name} is not in \`files\` of the pipeline; name the file of a repository with \`from_repo\``,
      );
    const variables = { ...(evaluate('env') as Record<string, string>), ...filledEnv(env, evaluate) };
    const args = {
      ...workflow,
      ...(workflow.source === undefined ? {} : { env: variables }),
      ...(takesCredentials(workflow) ? { credentials } : {}),
      ...(given === null ? {} : { input: filled(given, evaluate) }),
    };
    return { wait: { kind: 'call', name: workflow.filename ?? name, args: args as Json, timeout_ms } };
  },
};

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
