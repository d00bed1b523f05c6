/** Everything that has a state has one of these hues, in rows, pills, bars and edges alike. */
export type Hue =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'retried'
  | 'reused'
  | 'skipped';

const HUES: Readonly<Record<string, Hue>> = {
  queued: 'queued',
  begun: 'running',
  running: 'running',
  refreshing: 'running',
  waiting: 'waiting',
  backoff: 'retried',
  retrying: 'retried',
  retried: 'retried',
  queue: 'waiting',
  missing: 'waiting',
  wrong_kind: 'waiting',
  in_doubt: 'waiting',
  succeeded: 'succeeded',
  recorded: 'succeeded',
  ended: 'succeeded',
  active: 'succeeded',
  healthy: 'succeeded',
  online: 'succeeded',
  ok: 'succeeded',
  delivered: 'succeeded',
  start: 'succeeded',
  failed: 'failed',
  failing: 'failed',
  refused: 'failed',
  rejected: 'failed',
  needs_reauth: 'failed',
  reused: 'reused',
  kept: 'reused',
  skipped: 'skipped',
  idle: 'skipped',
  paused: 'skipped',
  declined: 'skipped',
  not_matched: 'skipped',
  withheld: 'skipped',
};

/** What people read; what is not here is read as it is written. */
const WORDS: Readonly<Record<string, string>> = {
  active: 'Healthy',
  refreshing: 'Renewing',
  needs_reauth: 'Needs reconnecting',
  in_doubt: 'Check needed',
  disabled: 'Off',
  recorded: 'Succeeded',
  backoff: 'Retrying',
};

/** Grey for a state that has no hue of its own. */
export const hueOf = (state: string): Hue => HUES[state] ?? 'cancelled';

/** `needs_reauth` is "Needs reconnecting". */
export function stateWord(state: string): string {
  const known = WORDS[state];
  if (known !== undefined) return known;
  const text = state.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
