export type Tone = 'good' | 'bad' | 'busy' | 'waiting' | 'quiet' | 'added' | 'removed' | 'changed';

/** What a page says of a node or an edge on the canvas. */
export interface Mark {
  tone: Tone;
  /** A word or two. */
  status?: string;
  /** How many items came along an edge: what stands on it in place of the status. */
  count?: number;
  /** More, when one points at it. */
  note?: string;
}

/** Colour alone would not tell everybody. */
export const SIGNS: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✕',
  busy: '●',
  waiting: '◔',
  quiet: '–',
  added: '+',
  removed: '−',
  changed: '≠',
};

/** `✓ succeeded`. */
export const markWords = ({ tone, status = tone }: Mark): string => `${SIGNS[tone]} ${status.replaceAll('_', ' ')}`;

const STATES: Partial<Record<Tone, string>> = { good: 'succeeded', bad: 'failed', busy: 'running', waiting: 'waiting' };

/** The state whose icon stands on the card; none for what is only compared. */
export const stateOfTone = ({ tone, status }: Mark): string | undefined =>
  status === 'skipped' || status === 'cancelled' ? status : STATES[tone];
