// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {ChainLink} from './chain-link.ts';

/**
 * Causes and effects of a run or an event.
 */
export interface Chain {
  /**
   * The causes, nearest first.
   */
  before: ChainLink[];
  /**
   * The chain starts even earlier.
   */
  before_more?: boolean;
  /**
   * The effects, as a tree: in order, each with its depth.
   */
  after: ChainLink[];
  /**
   * There are more than shown.
   */
  after_more?: boolean;
}
