import { isServiceError, type Sealer, ServiceError } from '../../../kernel/contracts/index.ts';
import { fileSetOf, type NewRun, type RunCreation, type SubmitRun, type Workflow } from '../../runs/contract.ts';
import type { StoredWorkflows, WorkflowAbout, WorkflowOwner, WorkflowStart } from '../contract.ts';
import { parseExact } from '../../schema/contract.ts';

export interface StoredWorkflowParts {
  sealer: Sealer;
  /** Resolved late: the engine calls the owners of workflows when runs end. */
  creation: () => Pick<RunCreation, 'prepare' | 'plan'>;
}

/** A submit of the workflow, only for its checks. */
const TRIAL: WorkflowStart = { trigger: { type: 'manual' }, trusted: true, generation: 0 };

export function createStoredWorkflows({ sealer, creation }: StoredWorkflowParts): StoredWorkflows {
  return {
    async store(owner, workflow, at, pointer = (inner) => inner) {
      const run = await creation()
        .prepare(submitOf(owner, workflow, TRIAL))
        .catch((error: unknown) => {
          throw below(pointer, error);
        });
      const kept = workflow.source === undefined ? workflow : { ...workflow, kind: run.kind };
      await sealer.prepare(owner.org_id);
      const credentials = { ...run.named, ...workflow.credentials };
      return {
        workflow: kept,
        sealed: sealer.seal(at, Buffer.from(JSON.stringify(kept))),
        about: JSON.stringify(aboutOf(workflow, run)),
        credentials: Object.keys(credentials).length === 0 ? null : JSON.stringify(credentials),
      };
    },
    open: (at, sealed) => parseExact(sealer.open(at, sealed).toString()) as Workflow,
    async plan(on, owner, workflow, start) {
      try {
        return { run: await creation().plan(on, submitOf(owner, workflow, start)) };
      } catch (error) {
        if (!isServiceError(error) || error.status >= 500) throw error;
        return { refused: `${error.code}: ${error.message}` };
      }
    },
  };
}

function submitOf(owner: WorkflowOwner, workflow: Workflow, start: WorkflowStart): SubmitRun {
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
    // Its trigger is on the bus already.
    triggered: true,
  };
}

function aboutOf(
  workflow: Workflow,
  { kind, named, needed_files }: Pick<NewRun, 'kind' | 'named' | 'needed_files'>,
): WorkflowAbout {
  const { filename, graph, node, subject, tags, requires, credentials, cancel_on, checkout, timeout } = workflow;
  const file_set = fileSetOf(needed_files);
  const shown = { kind, filename, graph, node, subject, tags, requires, credentials, cancel_on, checkout, timeout };
  return { ...shown, named, file_set };
}

/** Makes faults of a workflow point into the surrounding body. */
function below(pointer: (inner: string) => string, error: unknown): unknown {
  if (pointer('') === '' || !isServiceError(error)) return error;
  const errors = error.extras.errors?.map((fault) => ({ ...fault, pointer: pointer(fault.pointer) }));
  const detail = `${pointer('').slice(1)}: ${error.message}`;
  return new ServiceError(error.definition, detail, { ...error.extras, errors });
}
