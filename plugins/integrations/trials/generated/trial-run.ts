// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../../engine/runs/contract.ts';

/**
 * A workflow, and the event that starts it.
 */
export type TrialRunBody = Workflow & {
  /**
   * Either an event, as `svc events show` prints it and as scripts find it in $SVC_INPUT_FILE (`{type, key?, payload?, …}`), or a delivery (`{forge, event, body, repo?}`).
   */
  event: {
    [k: string]: unknown;
  };
};
