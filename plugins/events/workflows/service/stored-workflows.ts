import { isServiceError, type Sealer, ServiceError } from '../../../../kernel/contracts/index.ts';
import {
  fileSetOf,
  type NewRun,
  type RunCreation,
  type SubmitRun,
  type Workflow,
} from '../../../engine/runs/contract.ts';
import type { StoredWorkflows, WorkflowSummary, WorkflowOwner, WorkflowStart } from '../contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

export interface StoredWorkflowDeps {
  sealer: Sealer;
  /** Resolved lazily, because the engine calls the owners of workflows when runs end. */
  creation: () => Pick<RunCreation, 'prepare' | 'plan'>;
}

/** Submits the workflow only to validate it. */
const VALIDATION_START: WorkflowStart = { trigger: { type: 'manual' }, trusted: true, generation: 0 };

export function createStoredWorkflows({ sealer, creation }: StoredWorkflowDeps): StoredWorkflows {
  return {
    async store(owner, workflow, context, { pointer = (inner: string) => inner, by_events } = {}) {
      const later = by_events && (workflow.input ?? null) === null;
      const run = await creation()
        .prepare({ ...toSubmit(owner, workflow, VALIDATION_START), ...(later && { input_check: 'later' }) })
        .catch((error: unknown) => {
          throw prefixPointers(pointer, error);
        });
      const fixed_workflow = workflow.source === undefined ? workflow : { ...workflow, kind: run.kind };
      await sealer.prepare(owner.org_id);
      const credentials = { ...run.named, ...workflow.credentials };
      return {
        workflow: fixed_workflow,
        sealed: sealer.seal(context, Buffer.from(JSON.stringify(fixed_workflow))),
        about: JSON.stringify(summarize(workflow, run)),
        credentials: Object.keys(credentials).length === 0 ? null : JSON.stringify(credentials),
      };
    },
    open: (at, sealed) => parseExact(sealer.open(at, sealed).toString()) as Workflow,
    async plan(on, owner, workflow, start) {
      try {
        return { run: await creation().plan(on, toSubmit(owner, workflow, start)) };
      } catch (error) {
        if (!isServiceError(error) || error.status >= 500) throw error;
        return { refusal_reason: `${error.code}: ${error.message}` };
      }
    },
  };
}

function toSubmit(owner: WorkflowOwner, workflow: Workflow, start: WorkflowStart): SubmitRun {
  const { org_id, project_id, org, project, set_by } = owner;
  return {
    ...workflow,
    ...start,
    subject: workflow.subject ?? start.subject,
    org_id,
    project_id,
    org,
    project,
    submitted_by: set_by ?? undefined,
    // Its trigger event is already on the bus.
    triggered: true,
  };
}

function summarize(
  workflow: Workflow,
  { kind, named, needed_files }: Pick<NewRun, 'kind' | 'named' | 'needed_files'>,
): WorkflowSummary {
  const { filename, graph, node, subject, tags, requires, credentials, cancel_on, checkout, timeout } = workflow;
  const file_set = fileSetOf(needed_files);
  const listed = { kind, filename, graph, node, subject, tags, requires, credentials, cancel_on, checkout, timeout };
  return { ...listed, named, file_set };
}

/** Makes the errors of a workflow point into the surrounding body. */
function prefixPointers(pointer: (inner: string) => string, error: unknown): unknown {
  if (pointer('') === '' || !isServiceError(error)) return error;
  const errors = error.extras.errors?.map((fault) => ({ ...fault, pointer: pointer(fault.pointer) }));
  const detail = `${pointer('').slice(1)}: ${error.message}`;
  return new ServiceError(error.definition, detail, { ...error.extras, errors });
}
