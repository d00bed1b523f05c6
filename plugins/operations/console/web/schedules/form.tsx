import type { ScheduleView } from '../../../../../cli/generated/api.ts';
import { TextField } from '../kit/dialog-form.tsx';
import { CheckField } from '../kit/more-fields.tsx';
import { textsOf, workflowOf } from '../kit/workflow.ts';
import { WorkflowFields } from '../kit/workflow-fields.tsx';

/** The fields of a schedule, except its name. */
export const ScheduleFields = ({ of: schedule }: { of?: ScheduleView }) => (
  <>
    <div className="row">
      <TextField
        name="cron"
        label="Cron expression"
        value={schedule?.cron ?? ''}
        hint="minute hour day month weekday: 30 2 * * MON-FRI, or @daily"
      />
      <TextField name="timezone" label="Time zone" value={schedule?.timezone ?? 'UTC'} optional hint="Europe/Berlin" />
      <TextField
        name="about"
        label="Subject"
        value={schedule?.subject ?? ''}
        optional
        hint="Key for its events, and subject for its runs"
      />
    </div>
    <CheckField name="paused" label="Paused: nothing starts until you resume it" value={schedule?.paused ?? false} />
    <WorkflowFields workflow={schedule?.workflow} nothing="Nothing: each tick only emits an event" />
  </>
);

/** Builds the body of the request from the form. */
export function scheduleOf(fields: Record<string, string>): Record<string, unknown> {
  const workflow = workflowOf(fields);
  const { about } = textsOf(fields, ['about']);
  return {
    ...textsOf(fields, ['cron', 'timezone']),
    ...(about !== undefined && { subject: about }),
    paused: fields.paused !== undefined,
    ...(workflow && { workflow }),
  };
}
