// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from './workflow.ts';

/**
 * A workflow to run.
 */
export type SubmitRunBody = Workflow & {
  /**
   * A repeat of the same key in this project answers the first run. The `Idempotency-Key` header says the same.
   */
  idempotency_key?: string;
};
