import type { SealContext } from '../../../../kernel/contracts/index.ts';
import type { WorkflowStart } from '../../workflows/contract.ts';
import type { ScheduleRow } from '../store/schedules.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';

const TICK = 'schedule.tick';

/** Where a schedule's workflow is sealed to. */
export const sealContext = ({ org_id, project_id }: ProjectScope, name: string, revision: string): SealContext => ({
  org_id,
  project_id,
  table: 'schedules_schedules',
  kind: 'schedule',
  name: `${name}/${revision}`,
  field: 'workflow',
});

/** Returns the trigger and envelope of a tick's run. With an overlap policy, the end of the run is recorded. */
export const toWorkflowStart = (
  { name, subject, overlap }: Pick<ScheduleRow, 'name' | 'subject' | 'overlap'>,
  event_id: string,
): WorkflowStart => ({
  trigger: { type: TICK, schedule: name, event: event_id, ...(overlap === null ? {} : { overlap }) },
  envelope: { type: TICK, $ref: `bus:${event_id}` },
  subject: subject ?? undefined,
  trusted: true,
  generation: 0,
});
