// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {ChainLink} from './chain-link.ts';

/**
 * Causes and effects of a run or an event.
 */
export interface Chain {
  /**
   * The causes, starting with the nearest.
   */
  before: ChainLink[];
  /**
   * True: there are earlier causes than those listed.
   */
  before_more?: boolean;
  /**
   * The effects in tree order, each with its depth.
   */
  after: ChainLink[];
  /**
   * True: there are more effects than those listed.
   */
  after_more?: boolean;
}
