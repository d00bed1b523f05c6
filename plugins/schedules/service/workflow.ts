import type { SealedPlace } from '../../../kernel/contracts/index.ts';
import type { WorkflowStart } from '../../workflows/contract.ts';
import type { ProjectScope } from '../../resources/contract.ts';

const TICK = 'schedule.tick';

/** The sealed place of a schedule's workflow. */
export const placeOf = ({ org_id, project_id }: ProjectScope, name: string, revision: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'schedules_schedules',
  kind: 'schedule',
  name: `${name}/${revision}`,
  field: 'workflow',
});

/** The trigger and envelope of a tick's run. */
export const startOf = (name: string, subject: string | null, event_id: string): WorkflowStart => ({
  trigger: { type: TICK, schedule: name, event: event_id },
  envelope: { type: TICK, $ref: `bus:${event_id}` },
  subject: subject ?? undefined,
  trusted: true,
  generation: 0,
});
