import { Errors } from '../../../../kernel/contracts/index.ts';
import type { PendingEvent } from '../../../events/bus/contract.ts';
import type { Trigger, Workflow } from '../../../engine/runs/contract.ts';
import type { WorkflowStart } from '../../../events/workflows/contract.ts';
import { inlineRunId } from '../domain/inline-run-id.ts';
import type { PutWebhookBody } from '../generated/put-webhook.ts';

/** Returns the workflow of a body and the pointer to its members. Throws `invalid_request` when there are two. */
export function readWorkflow(
  body: PutWebhookBody,
): { workflow: Workflow; pointer: (member: string) => string } | undefined {
  if (body.pipeline !== undefined && body.workflow !== undefined) {
    const message = 'cannot be combined with `pipeline`; a webhook has one workflow';
    throw Errors.invalidRequest(`workflow ${message}`, { errors: [{ pointer: '/workflow', message }] });
  }
  if (body.workflow !== undefined) return { workflow: body.workflow, pointer: (member) => `/workflow${member}` };
  if (body.pipeline === undefined) return undefined;
  const workflow = { kind: 'pipeline', filename: 'pipeline.yml', source: body.pipeline };
  return { workflow, pointer: () => '/pipeline' };
}

/** Builds the trigger and envelope of a push's run, the same for every caller. */
export function toWorkflowStart({ name, repo }: { name: string; repo: string }, event: PendingEvent): WorkflowStart {
  const { event_id, generation, trusted } = event;
  const trigger: Trigger = { type: 'push', event: event_id, webhook: name };
  for (const field of ['forge', 'repo', 'ref', 'sha', 'sender']) {
    const value = event.fields?.[field];
    if (typeof value === 'string') trigger[field] = value;
  }
  return {
    run_id: inlineRunId(event_id, name),
    trigger,
    envelope: { type: 'push', $ref: `bus:${event_id}` },
    subject: repo,
    trusted,
    generation,
    trace: event.trace ?? null,
  };
}
