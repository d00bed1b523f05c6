import type { TriggerView } from '../../../../../cli/generated/api.ts';
import type { Choice } from '../kit/filter-bar.tsx';

export type TriggerState = 'active' | 'paused' | 'failing';

/** `failing` means that the last poll failed. */
export function triggerState({ paused, failures }: Pick<TriggerView, 'paused' | 'failures'>): TriggerState {
  if (paused) return 'paused';
  return failures === 0 ? 'active' : 'failing';
}

export const TRIGGER_STATES: Choice = {
  name: 'state',
  label: 'State',
  options: [
    { value: 'active', label: 'Active', state: 'healthy' },
    { value: 'paused', label: 'Paused', state: 'paused' },
    { value: 'failing', label: 'Failing', state: 'failing' },
  ],
};
