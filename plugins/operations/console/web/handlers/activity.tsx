import type { HandlerView } from '../../../../../cli/generated/api.ts';
import type { Choice } from '../kit/filter-bar.tsx';
import { count } from '../kit/text.ts';

type Lately = NonNullable<HandlerView['lately']>;
export type Activity = 'failing' | 'queued' | 'healthy' | 'idle';

/** What a handler has been doing in the last 24 hours; the worst counts. */
export function activityOf({ lately }: Pick<HandlerView, 'lately'>): Activity {
  if (lately === undefined) return 'idle';
  if (lately.failed + lately.predicate_errors > 0) return 'failing';
  if (lately.queued > 0) return 'queued';
  return lately.started > 0 ? 'healthy' : 'idle';
}

export const ACTIVITIES: Choice = {
  name: 'state',
  label: 'Activity',
  options: [
    { value: 'failing', label: 'Failing', state: 'failing' },
    { value: 'queued', label: 'Queued', state: 'queued' },
    { value: 'healthy', label: 'Healthy', state: 'healthy' },
    { value: 'idle', label: 'Idle', state: 'idle' },
  ],
};

const countsOf = ({ started, failed, predicate_errors, queued }: Lately): [text: string, bad: boolean][] =>
  (
    [
      [started, 'started', false],
      [failed, 'failed', true],
      [predicate_errors, 'condition errors', true],
      [queued, 'queued', false],
    ] as const
  ).flatMap(([n, word, bad]) => (n > 0 ? [[`${count(n)} ${word}`, bad]] : []));

/** `12 started · 2 failed`. */
export function LastDay({ lately }: Pick<HandlerView, 'lately'>) {
  const parts = lately ? countsOf(lately) : [];
  if (parts.length === 0) return <span className="quiet">No events</span>;
  return parts.map(([text, bad], at) => (
    <span key={text}>
      {at > 0 && ' · '}
      <span className={bad ? 'bad' : undefined}>{text}</span>
    </span>
  ));
}
