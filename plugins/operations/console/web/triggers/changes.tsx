import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { namedPath, useRefreshNamed } from '../kit/named.tsx';
import { toast } from '../kit/toasts.tsx';
import { TRIGGERS } from './kind.ts';

const DONE = { poll: 'is polled', pause: 'paused', resume: 'resumed' } as const;

/** Polls, pauses or resumes a trigger without a confirmation, because nothing is lost. A toast reports errors. */
export function useChangeTrigger(scope: Scope) {
  const refresh = useRefreshNamed(TRIGGERS, scope);
  return async (name: string, change: keyof typeof DONE) => {
    try {
      await json(`${namedPath(TRIGGERS, scope, name)}/${change}`, { method: 'POST' });
      await refresh(name);
      toast(`${name} ${DONE[change]}`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { state: 'failed' });
    }
  };
}
