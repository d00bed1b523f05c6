// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Registered} from './registered.ts';

/**
 * A graph whose triggers are registered.
 */
export interface PublishedGraph {
  name: string;
  published_version: number;
  triggers: Registered[];
  warnings: string[];
}
