// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../../engine/runs/contract.ts';

/**
 * A workflow that runs when an event arrives.
 */
export type PutHandlerBody = Workflow & {
  /**
   * Type patterns: an exact type, a prefix with a `*` at its end (`run.*`), or `*`.
   *
   * @minItems 1
   * @maxItems 32
   */
  on: [string, ...string[]];
  /**
   * CEL over `event`, the envelope with `type`, `key`, `event`, `payload` and its other members; a run starts if it is true.
   */
  when?: string;
};
