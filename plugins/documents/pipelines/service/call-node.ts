import {
  type FlowNodeContext,
  type FlowNodeOutcome,
  type FlowNodeType,
  flowConfigInvalid,
} from '../../../engine/flows/contract.ts';
import { acceptInput, type Json, type PlannedProgram, type RunCreation } from '../../../engine/runs/contract.ts';
import { CALL_WAIT } from '../../../execution/children/contract.ts';
import type { CheckoutRequirements } from '../../../execution/scripts/contract.ts';
import {
  CALL_NODE,
  type CallPlan,
  type ChildWorkflow,
  toReference,
  describeRepoFile,
  takesCredentials,
} from '../domain/child.ts';
import { fillTemplates, fillEnv } from '../domain/templates.ts';
import type { FromRepo } from '../generated/pipeline.ts';
import type { JobCheckouts } from './job-checkouts.ts';

type Creation = () => Pick<RunCreation, 'program'>;

/**
 * The node of a `workflow` job. A script becomes a job of this run with a journal of its own. A pipeline or a graph
 * becomes a run of its own, which this node awaits without an agent.
 */
export const callNode = (creation: Creation, checkouts: JobCheckouts): FlowNodeType => ({
  type: CALL_NODE,
  async begin(tx, node) {
    const plan = node.config as unknown as CallPlan;
    const workflow = findWorkflow(plan, node);
    const program = await creation().program(tx, node, workflow);
    if (!program) return childRunWait(workflow, plan, node);
    // Plans of older versions, which did not check out repositories for scripts, lack this member.
    const { checkout = false } = plan;
    return scriptActivity(program, await checkouts(tx, node, checkout), plan, node);
  },
});

/** Returns the workflow of the job. Throws `flow_config_invalid`. */
function findWorkflow({ workflow, from_repo, name }: CallPlan, node: FlowNodeContext): ChildWorkflow {
  const resolved = from_repo ? readRepoFile(from_repo, node) : workflow;
  if (resolved) return resolved;
  throw flowConfigInvalid(
    `job ${node.name}: ${name} is not in the pipeline's \`files\`; for a file in a repository, use \`from_repo\``,
  );
}

function scriptActivity(
  { activity: { executor, spec, requires }, input_schema: schema }: PlannedProgram,
  checkout_parts: CheckoutRequirements | undefined,
  plan: CallPlan,
  node: FlowNodeContext,
): FlowNodeOutcome {
  const { name, evaluate } = node;
  const required = (fillTemplates(plan.requires ?? [], evaluate) as unknown[]).map(String);
  const filled = plan.with === null ? undefined : (fillTemplates(plan.with, evaluate) as Json);
  // The node fails with the errors of its input.
  const input = filled === undefined ? {} : { with: schema === undefined ? filled : acceptInput(schema, filled) };
  return {
    activity: {
      executor,
      spec: {
        ...(spec as { [member: string]: Json }),
        ...input,
        job: name,
        ...(checkout_parts && { checkout: checkout_parts.checkout as unknown as Json }),
        env: renderVariables(plan, node),
        credentials: { ...plan.credentials, ...checkout_parts?.credentials },
      } as Json,
      requires: [...new Set([...requires, ...required, ...(checkout_parts?.requires ?? [])])],
    },
  };
}

function childRunWait(workflow: ChildWorkflow, plan: CallPlan, node: FlowNodeContext): FlowNodeOutcome {
  const args = {
    ...workflow,
    ...(workflow.source === undefined ? {} : { env: renderVariables(plan, node) }),
    ...(takesCredentials(workflow) ? { credentials: plan.credentials } : {}),
    ...(plan.with === null ? {} : { input: fillTemplates(plan.with, node.evaluate) }),
  };
  const { timeout_ms } = node;
  return { wait: { kind: CALL_WAIT, name: workflow.filename ?? plan.name, args: args as Json, timeout_ms } };
}

const renderVariables = ({ env }: CallPlan, { evaluate }: FlowNodeContext): Record<string, string> => ({
  ...(evaluate('env') as Record<string, string>),
  ...fillEnv(env, evaluate),
});

/** Returns the file that an earlier node read. Throws `flow_config_invalid`. */
function readRepoFile(
  { file, node }: NonNullable<CallPlan['from_repo']>,
  { name, evaluate }: Pick<FlowNodeContext, 'name' | 'evaluate'>,
): ChildWorkflow {
  const requested = fillTemplates(file, evaluate) as FromRepo;
  const { error, outputs } = evaluate(`jobs[${JSON.stringify(node)}]`) as {
    error: { message: string } | null;
    outputs: { payload?: string };
  };
  if (error || outputs.payload === undefined)
    throw flowConfigInvalid(`job ${name}: ${describeRepoFile(requested)} cannot be read: ${error?.message}`);
  return toReference(requested.path, outputs.payload);
}
