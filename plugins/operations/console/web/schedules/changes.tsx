import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Asked } from '../kit/confirm.tsx';
import { namedPath, useRefreshNamed } from '../kit/named.tsx';
import { toast } from '../kit/toasts.tsx';
import { SCHEDULES } from './kind.ts';

interface Props {
  scope: Scope;
  name: string;
  close(): void;
}

/** Pauses or resumes without a confirmation, because neither loses anything. A toast reports errors. */
export function usePause(scope: Scope) {
  const refresh = useRefreshNamed(SCHEDULES, scope);
  return async (name: string, paused: boolean) => {
    try {
      await json(`${namedPath(SCHEDULES, scope, name)}/${paused ? 'pause' : 'resume'}`, { method: 'POST' });
      await refresh(name);
      toast(paused ? `${name} paused` : `${name} resumed. Times missed while it was paused are skipped.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { state: 'failed' });
    }
  };
}

export function TriggerSchedule({ scope, name, close }: Props) {
  const refresh = useRefreshNamed(SCHEDULES, scope);
  const trigger = async () => {
    await json(`${namedPath(SCHEDULES, scope, name)}/trigger`, { method: 'POST' });
    await refresh(name);
    toast(`${name} triggered`);
  };
  return (
    <Asked title={`Run ${name} now?`} verb="Run now" run={trigger} close={close}>
      It runs as if it were due, even if it is paused. The next scheduled time does not change.{' '}
      <code>svc schedule trigger {name}</code> does the same.
    </Asked>
  );
}
