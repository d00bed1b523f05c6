import type { LiveState } from '../api/live.ts';

/** Does the page change by itself, or is it read again every few seconds? */
export const LiveMark = ({ state }: { state: LiveState }) =>
  state === 'connecting' ? null : (
    <span className={`live ${state}`} title={state === 'live' ? undefined : 'No live stream: refreshed every 3 s'}>
      {state === 'live' ? 'Live' : 'Refreshing'}
    </span>
  );
