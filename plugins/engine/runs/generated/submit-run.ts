// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from './workflow.ts';

/**
 * A workflow to run.
 */
export type SubmitRunBody = Workflow & {
  /**
   * A repeat of the same key in this project returns the first run. The `Idempotency-Key` header does the same.
   */
  idempotency_key?: string;
};
