import { type Database, extensionPoint, type Scope, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { Workflow } from '../../../engine/runs/contract.ts';
import type { StoredWorkflows } from './stored-workflows.ts';

/** A stored workflow without its document. */
export interface ListedWorkflow {
  /** Unique within the project and the kind. */
  name: string;
  /** Another one after every change of the workflow. */
  revision: string;
  /** The patterns of the events that start it; absent if no events do. */
  on?: readonly string[];
  when?: string;
  /** It declares credentials, so an untrusted event starts nothing. */
  rejects_untrusted?: boolean;
  /** Other names by which workflows call it. */
  aliases?: readonly string[];
}

/** Lists the workflows of one kind of resource. */
export interface WorkflowHolder {
  /** `handler`, `schedule`, `webhook` or `graph`. */
  kind: string;
  /** Returns at most `limit` workflows, in one statement. */
  list(scope: Scope, limit: number): Promise<readonly ListedWorkflow[]>;
  /** Opens workflows by their names, in one statement for up to 100; those that are gone are left out. */
  open(scope: Scope, names: readonly string[]): Promise<ReadonlyMap<string, Workflow>>;
}

/** What a holder of sealed workflows needs. */
export interface WorkflowHolderDeps {
  database: Pick<Database, 'read'>;
  sealer: Pick<Sealer, 'prepare'>;
  workflows: Pick<StoredWorkflows, 'open'>;
}

export const WorkflowHolders = extensionPoint<WorkflowHolder>('workflows.Holders', { key: ({ kind }) => kind });
