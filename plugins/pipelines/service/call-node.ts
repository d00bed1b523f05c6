import {
  type FlowNodeContext,
  type FlowNodeOutcome,
  type FlowNodeType,
  flowConfigInvalid,
} from '../../flows/contract.ts';
import type { Json, PlannedActivity, RunCreation } from '../../runs/contract.ts';
import type { CheckoutParts } from '../../scripts/contract.ts';
import { CALL_NODE, type CallPlan, type Child, documentOf, shownFile, takesCredentials } from '../domain/child.ts';
import { filled, filledEnv } from '../domain/holes.ts';
import type { FromRepo } from '../generated/pipeline.ts';
import type { JobCheckouts } from './job-checkouts.ts';

type Creation = () => Pick<RunCreation, 'program'>;

/**
 * A `workflow` job. A script is a job of this run like any other, with a journal of its own. A pipeline or a graph is a run of
 * its own, for which this one waits without an agent.
 */
export const callNode = (creation: Creation, checkouts: JobCheckouts): FlowNodeType => ({
  type: CALL_NODE,
  async begin(tx, node) {
    const plan = node.config as unknown as CallPlan;
    const workflow = workflowOf(plan, node);
    const program = await creation().program(tx, node, workflow);
    if (!program) return calledRun(workflow, plan, node);
    // Plans of versions that did not check out for scripts do not say it.
    const { checkout = false } = plan;
    return ownJob(program, await checkouts(tx, node, checkout), plan, node);
  },
});

/** What the job runs. Throws `flow_config_invalid`. */
function workflowOf({ workflow, from_repo, name }: CallPlan, node: FlowNodeContext): Child {
  const found = from_repo ? readFile(from_repo, node) : workflow;
  if (found) return found;
  throw flowConfigInvalid(
    `job ${node.name}: ${name} is not in \`files\` of the pipeline; name the file of a repository with \`from_repo\``,
  );
}

function ownJob(
  { executor, spec, requires }: PlannedActivity,
  begins: CheckoutParts | undefined,
  plan: CallPlan,
  node: FlowNodeContext,
): FlowNodeOutcome {
  const { name, evaluate } = node;
  const asked = (filled(plan.requires ?? [], evaluate) as unknown[]).map(String);
  const given: { with?: Json } = plan.with === null ? {} : { with: filled(plan.with, evaluate) as Json };
  return {
    activity: {
      executor,
      spec: {
        ...(spec as { [member: string]: Json }),
        ...given,
        job: name,
        ...(begins && { checkout: begins.checkout as unknown as Json }),
        env: variablesOf(plan, node),
        credentials: { ...plan.credentials, ...begins?.credentials },
      } as Json,
      requires: [...new Set([...requires, ...asked, ...(begins?.requires ?? [])])],
    },
  };
}

function calledRun(workflow: Child, plan: CallPlan, node: FlowNodeContext): FlowNodeOutcome {
  const args = {
    ...workflow,
    ...(workflow.source === undefined ? {} : { env: variablesOf(plan, node) }),
    ...(takesCredentials(workflow) ? { credentials: plan.credentials } : {}),
    ...(plan.with === null ? {} : { input: filled(plan.with, node.evaluate) }),
  };
  const { timeout_ms } = node;
  return { wait: { kind: 'call', name: workflow.filename ?? plan.name, args: args as Json, timeout_ms } };
}

const variablesOf = ({ env }: CallPlan, { evaluate }: FlowNodeContext): Record<string, string> => ({
  ...(evaluate('env') as Record<string, string>),
  ...filledEnv(env, evaluate),
});

/** The file that an earlier node read. Throws `flow_config_invalid`. */
function readFile(
  { file, node }: NonNullable<CallPlan['from_repo']>,
  { name, evaluate }: Pick<FlowNodeContext, 'name' | 'evaluate'>,
): Child {
  const wanted = filled(file, evaluate) as FromRepo;
  const { error, outputs } = evaluate(`jobs[${JSON.stringify(node)}]`) as {
    error: { message: string } | null;
    outputs: { payload?: string };
  };
  if (error || outputs.payload === undefined)
    throw flowConfigInvalid(`job ${name}: ${shownFile(wanted)} cannot be read: ${error?.message}`);
  return documentOf(wanted.path, outputs.payload);
}
