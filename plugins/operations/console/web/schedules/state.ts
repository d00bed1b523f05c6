import type { ScheduleView } from '../../../../../cli/generated/api.ts';
import type { Choice } from '../kit/filter-bar.tsx';

export type ScheduleState = 'active' | 'paused' | 'failing';

/** `failing` means that the last tick could not start its run. */
export function scheduleState({ paused, last_tick }: Pick<ScheduleView, 'paused' | 'last_tick'>): ScheduleState {
  if (paused) return 'paused';
  return last_tick?.error === undefined ? 'active' : 'failing';
}

export const SCHEDULE_STATES: Choice = {
  name: 'state',
  label: 'State',
  options: [
    { value: 'active', label: 'Active', state: 'healthy' },
    { value: 'paused', label: 'Paused', state: 'paused' },
    { value: 'failing', label: 'Failing to start', state: 'failing' },
  ],
};
