import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import type { BackfilledSchedule } from '../../../../../cli/generated/api.ts';
import { Asked } from '../kit/confirm.tsx';
import { ChoiceField, FormDialog, TextField } from '../kit/dialog-form.tsx';
import { textsOf } from '../kit/workflow.ts';
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

/** Starts the due times of a range in the past. */
export function Backfill({ scope, name, close }: Props) {
  const refresh = useRefreshNamed(SCHEDULES, scope);
  const run = async (fields: Record<string, string>) => {
    const range = textsOf(fields, ['from', 'to', 'overlap']);
    const done = await json<BackfilledSchedule>(`${namedPath(SCHEDULES, scope, name)}/backfill`, {
      method: 'POST',
      body: range,
    });
    await refresh(name);
    toast(`${done.added} due times of ${name} will start`);
  };
  return (
    <FormDialog title={`Backfill ${name}`} verb="Backfill" run={run} close={close}>
      <TextField name="from" label="From" hint="2026-11-01T00:00:00Z, or 7d for the last seven days" />
      <TextField name="to" label="To" optional hint="Now, if you leave it empty" />
      <ChoiceField
        name="overlap"
        label="Runs"
        value="queue"
        choices={[
          ['queue', 'One after another'],
          ['allow', 'All at once'],
        ]}
      />
      <p className="quiet">Due times that have already started do not start again.</p>
    </FormDialog>
  );
}
