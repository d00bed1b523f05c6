// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../runs/contract.ts';

/**
 * A workflow that runs when an event comes.
 */
export type PutHandlerBody = Workflow & {
  /**
   * Patterns of types: an exact type, the beginning of types with a `*` at its end (`run.*`), or `*`.
   *
   * @minItems 1
   * @maxItems 32
   */
  on: [string, ...string[]];
  /**
   * CEL over `event`, the envelope with `type`, `key`, `event`, `payload` and what else it carries; a run starts when it is true.
   */
  when?: string;
};
