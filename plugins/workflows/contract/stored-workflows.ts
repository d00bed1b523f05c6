import { type Scope, type SealedPlace, token } from '../../../kernel/contracts/index.ts';
import type { NewRun, Reading, SubmitRun, Workflow } from '../../runs/contract.ts';

/** The owner of a workflow, by id and by name. */
export interface WorkflowOwner extends Scope {
  /** Id of the person who stored it; the submitter of its runs. */
  set_by: string | null;
}

/** What a run gets from its trigger. */
export interface WorkflowStart extends Pick<SubmitRun, 'trigger' | 'envelope' | 'trusted' | 'generation' | 'trace'> {
  /** The id of the run; absent: a new one. */
  run_id?: string;
  /** The subject of the run, unless the workflow has one. */
  subject?: string;
}

/** The columns of a stored workflow. */
export interface StoredWorkflow {
  /** As given. The kind of an inline document is fixed, so that a later plugin does not read it as another kind. */
  workflow: Workflow;
  /** The workflow as sealed JSON. */
  sealed: Buffer;
  /** JSON: `WorkflowAbout`. */
  about: string;
  /** JSON: variable, or place in the document → name of a credential; null without any. */
  credentials: string | null;
}

/** The part that lists show, readable without the org's key. */
export type WorkflowAbout = Pick<
  Workflow,
  'filename' | 'graph' | 'node' | 'subject' | 'tags' | 'requires' | 'credentials' | 'cancel_on' | 'checkout' | 'timeout'
> & {
  kind: string;
  /** Credentials that the document names: JSON pointer → name. Not part of the API's form. */
  named?: Readonly<Record<string, string>>;
  /** The set of contents that its runs need. Not part of the API's form either. */
  file_set?: string | undefined;
};

/** Workflows that are stored with a handler, a schedule or a webhook and run when these fire. */
export interface StoredWorkflows {
  /**
   * Checks a workflow like a submit and prepares its columns. Throws the errors of a submit; `pointer` says where the
   * workflow is in the body. Called outside of transactions.
   */
  store(
    owner: WorkflowOwner,
    workflow: Workflow,
    at: SealedPlace,
    pointer?: (member: string) => string,
  ): Promise<StoredWorkflow>;
  /** The org's keys are ready. */
  open(at: SealedPlace, sealed: Buffer): Workflow;
  /**
   * The run for a trigger, for `RunCreation.createIn`; or why the workflow cannot run now although it was valid when it
   * was stored. Reads only through `on`, which is the caller's transaction if there is one; the org's keys are ready.
   */
  plan(on: Reading, owner: WorkflowOwner, workflow: Workflow, start: WorkflowStart): Promise<PlannedRun>;
}

export type PlannedRun = { run: NewRun } | { refused: string };

export const StoredWorkflows = token<StoredWorkflows>('workflows.StoredWorkflows');

/** The API's form: only `about` in lists, the complete workflow where it was opened. */
export function workflowView(about: string, workflow?: Workflow): WorkflowAbout & Workflow {
  const { named: _named, file_set: _set, ...shown } = JSON.parse(about) as WorkflowAbout;
  return { ...shown, ...workflow };
}
