import { readTexts } from './filters.ts';

/** What the address of the page says, and what the API is asked for. */
export interface DeadLetterFilters {
  handler?: string;
  type?: string;
  /** `2h`, or a time. */
  since?: string;
}

export const LETTER_FILTERS = ['handler', 'type', 'since'] as const;

export const readLetterFilters = (search: Record<string, unknown>): DeadLetterFilters =>
  readTexts(search, LETTER_FILTERS);
