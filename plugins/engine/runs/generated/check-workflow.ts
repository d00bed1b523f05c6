// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from './workflow.ts';

/**
 * A workflow to check without running it.
 */
export type CheckWorkflowBody = Workflow;
