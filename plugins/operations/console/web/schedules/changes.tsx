import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ScheduleView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { Drawer, FormDrawer } from '../kit/drawer.tsx';
import { AGAIN_MS, listKey } from '../kit/paged.ts';
import { toast } from '../kit/toasts.tsx';
import { ScheduleFields, scheduleOf } from './form.tsx';

interface Props {
  scope: Scope;
  name: string;
  close(): void;
}

export const schedulePath = (scope: Scope, name: string): string =>
  scoped(scope, `/schedules/${encodeURIComponent(name)}`);

/** One schedule with its document, which lists leave out. */
export function useSchedule(scope: Scope, name: string) {
  const path = schedulePath(scope, name);
  return useQuery({
    queryKey: ['schedule', path],
    queryFn: ({ signal }) => json<ScheduleView>(path, { signal }),
    refetchInterval: AGAIN_MS,
  });
}

/** Has the page of a schedule and the list read again. */
export function useRefresh(scope: Scope) {
  const client = useQueryClient();
  return async (name: string) => {
    await client.invalidateQueries({ queryKey: ['schedule', schedulePath(scope, name)] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/schedules')) });
  };
}

/** Pauses and resumes at once: neither loses anything. What fails is said above the page. */
export function usePause(scope: Scope) {
  const refresh = useRefresh(scope);
  return async (name: string, paused: boolean) => {
    try {
      await json(`${schedulePath(scope, name)}/${paused ? 'pause' : 'resume'}`, { method: 'POST' });
      await refresh(name);
      toast(paused ? `${name} paused` : `${name} resumed. Times missed while it was paused are skipped.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { state: 'failed' });
    }
  };
}

export function TriggerSchedule({ scope, name, close }: Props) {
  const refresh = useRefresh(scope);
  const trigger = async () => {
    await json(`${schedulePath(scope, name)}/trigger`, { method: 'POST' });
    await refresh(name);
    toast(`${name} triggered`);
  };
  return (
    <Asked title={`Run ${name} now?`} verb="Run now" run={trigger} close={close}>
      It runs as at a due time, even if it is paused. The next time does not change.{' '}
      <code>svc schedule trigger {name}</code> does the same.
    </Asked>
  );
}

export function ChangeSchedule({ scope, name, close }: Props) {
  const refresh = useRefresh(scope);
  const { data: schedule, error } = useSchedule(scope, name);
  const title = `Edit ${name}`;
  if (!schedule)
    return (
      <Drawer title={title} close={close}>
        {error ? <Problem error={error} /> : <Loading />}
      </Drawer>
    );
  const save = async (fields: Record<string, string>) => {
    await json(schedulePath(scope, name), { method: 'PUT', body: scheduleOf(fields) });
    await refresh(name);
    toast(`Schedule ${name} saved`);
  };
  return (
    <FormDrawer title={title} verb="Save changes" close={close} run={save}>
      <ScheduleFields schedule={schedule} />
    </FormDrawer>
  );
}

export function RemoveSchedule({ scope, name, close }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const path = schedulePath(scope, name);
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['schedule', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/schedules')) });
    toast(`Schedule ${name} removed`);
    void navigate({ to: '/orgs/$org/projects/$project/schedules', params: scope, search: {} });
  };
  return (
    <Asked title={`Remove the schedule ${name}?`} verb="Remove schedule" danger run={remove} close={close}>
      It no longer starts runs. Runs that have started continue.
    </Asked>
  );
}
