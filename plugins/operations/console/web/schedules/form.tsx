import type { ScheduleView } from '../../../../../cli/generated/api.ts';
import { ChoiceField, TextField } from '../kit/dialog-form.tsx';
import { CheckField } from '../kit/more-fields.tsx';
import { textsOf, workflowOf } from '../kit/workflow.ts';
import { WorkflowFields } from '../kit/workflow-fields.tsx';

const OVERLAPS = [
  ['allow', 'Start anyway'],
  ['skip', 'Skip the due time'],
  ['queue', 'Wait for it to end'],
  ['cancel', 'Cancel it and start'],
] as const;

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
    <div className="row">
      <ChoiceField
        name="overlap"
        label="If the last run is still open"
        value={schedule?.overlap ?? 'allow'}
        choices={OVERLAPS}
      />
      <TextField
        name="jitter"
        label="Jitter"
        value={schedule?.jitter ?? ''}
        optional
        hint="5m: start up to 5 minutes later"
      />
      <TextField
        name="catch_up"
        label="Catch-up window"
        value={schedule?.catch_up ?? ''}
        optional
        hint="1h: after an outage, start the due times of the last hour"
      />
      <TextField
        name="deadline"
        label="Deadline"
        value={schedule?.deadline ?? ''}
        optional
        hint="10m: skip a due time that has not started 10 minutes later"
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
    ...textsOf(fields, ['cron', 'timezone', 'jitter', 'catch_up', 'deadline']),
    // Without a workflow, nothing can overlap.
    ...(workflow && fields.overlap !== undefined && fields.overlap !== 'allow' && { overlap: fields.overlap }),
    ...(about !== undefined && { subject: about }),
    paused: fields.paused !== undefined,
    ...(workflow && { workflow }),
  };
}
