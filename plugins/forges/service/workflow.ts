import { Errors, isServiceError, ServiceError } from '../../../kernel/contracts/index.ts';
import type { StoredEvent } from '../../bus/contract.ts';
import type { SubmitRun } from '../../runs/contract.ts';
import type { PendingEvent } from '../../bus/contract.ts';
import { inlineRunId } from '../domain/inline-run-id.ts';
import type { PutWebhookBody } from '../generated/put-webhook.ts';
import type { WebhookEntry } from '../store/webhook-table.ts';

/** What runs at a push that no handler takes, as the caller gave it. The schema has seen to it. */
export type Workflow = NonNullable<PutWebhookBody['workflow']> & {
  env?: Record<string, string>;
  credentials?: Record<string, string>;
};

/** Whose workflow it is. */
export type WorkflowPlace = Pick<
  WebhookEntry,
  'org_id' | 'project_id' | 'org' | 'project' | 'name' | 'repo' | 'set_by'
>;

/** The workflow of a body, and where in the body it stands. Throws `invalid_request` when there are two. */
export function workflowOf(body: PutWebhookBody): { workflow: Workflow; pointer: string } | undefined {
  if (body.pipeline !== undefined && body.workflow !== undefined) {
    const message = 'is given beside `pipeline`; a webhook has one workflow';
    throw Errors.invalidRequest(`workflow ${message}`, { errors: [{ pointer: '/workflow', message }] });
  }
  if (body.workflow !== undefined) return { workflow: body.workflow as Workflow, pointer: '/workflow' };
  if (body.pipeline === undefined) return undefined;
  return { workflow: { kind: 'pipeline', filename: 'pipeline.yml', source: body.pipeline }, pointer: '/pipeline' };
}

/** The submit that a webhook's workflow comes to, without an event: for its checks. */
export function submitOf(place: WorkflowPlace, workflow: Workflow): SubmitRun {
  const { org_id, project_id, org, project, repo, set_by } = place;
  return {
    ...workflow,
    org_id,
    project_id,
    org,
    project,
    subject: repo,
    ...(set_by === null ? {} : { submitted_by: set_by }),
    trigger: { type: 'push' },
    triggered: true,
    trusted: true,
    generation: 0,
  };
}

/** The run of a push: the same whoever makes it. */
export function runOf(
  place: WorkflowPlace,
  workflow: Workflow,
  event: PendingEvent | StoredEvent,
): SubmitRun & { run_id: string } {
  const { event_id, generation, trusted } = event;
  const trigger: SubmitRun['trigger'] = { type: 'push', event: event_id, webhook: place.name };
  for (const field of ['forge', 'repo', 'ref', 'sha', 'sender']) {
    const value = event.fields?.[field];
    if (typeof value === 'string') trigger[field] = value;
  }
  return {
    ...submitOf(place, workflow),
    run_id: inlineRunId(event_id, place.name),
    trigger,
    envelope: { type: 'push', $ref: `bus:${event_id}` },
    trusted,
    generation,
  };
}

/** Has faults of a workflow point into the body that it lies in. */
export function within(pointer: string, error: unknown): unknown {
  if (!isServiceError(error) || error.extras.errors === undefined) return error;
  const inner = pointer === '/pipeline' ? () => pointer : (place: string) => `${pointer}${place}`;
  const errors = error.extras.errors.map((fault) => ({ pointer: inner(fault.pointer), message: fault.message }));
  return new ServiceError(error.definition, error.message, { ...error.extras, errors });
}
