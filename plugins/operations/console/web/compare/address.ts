import { readTexts } from '../events/filters.ts';

/** What the address of the page says. */
export interface CompareSearch {
  a?: string;
  b?: string;
  /** `steps`: also those that are the same. */
  all?: string;
}

export const readCompare = (search: Record<string, unknown>): CompareSearch => readTexts(search, ['a', 'b', 'all']);
