// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {ChainLink} from './chain-link.ts';

/**
 * What led to a run or an event, and what came of it.
 */
export interface Chain {
  /**
   * What led here, the nearest first.
   */
  before: ChainLink[];
  /**
   * It began still earlier.
   */
  before_more?: boolean;
  /**
   * What came of it, as a tree: in order, each with its depth.
   */
  after: ChainLink[];
  /**
   * There is more than is shown.
   */
  after_more?: boolean;
}
