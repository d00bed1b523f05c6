import { isServiceError, type SealedPlace, type Sealer, ServiceError } from '../../../kernel/contracts/index.ts';
import type { Json, SubmitRun } from '../../runs/contract.ts';
import type { PutScheduleBody } from '../generated/put-schedule.ts';
import type { ScheduleScope } from '../store/schedule-table.ts';

/** What runs at each tick, as the caller gave it. The schema has seen to it: variables are strings, the input is JSON. */
export type Workflow = NonNullable<PutScheduleBody['workflow']> & {
  env?: Record<string, string>;
  credentials?: Record<string, string>;
  input?: Json;
};

/** Whose schedule it is, by id and by name. */
export interface SchedulePlace extends ScheduleScope {
  org: string;
  project: string;
  name: string;
  subject: string | null;
  set_by: string | null;
}

const TICK = 'schedule.tick';

/** The submit of one tick; without an event, for its checks alone. */
export function submitOf(place: SchedulePlace, workflow: Workflow, event_id?: string): SubmitRun {
  const { org_id, project_id, org, project, name, subject, set_by } = place;
  return {
    ...workflow,
    org_id,
    project_id,
    org,
    project,
    ...(subject === null ? {} : { subject }),
    ...(set_by === null ? {} : { submitted_by: set_by }),
    trigger: { type: TICK, schedule: name, ...(event_id === undefined ? {} : { event: event_id }) },
    ...(event_id === undefined ? {} : { envelope: { type: TICK, $ref: `bus:${event_id}` } }),
    triggered: true,
    trusted: true,
    generation: 0,
  };
}

const placeOf = ({ org_id, project_id }: ScheduleScope, name: string, revision: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'schedules_schedules',
  kind: 'schedule',
  name: `${name}/${revision}`,
  field: 'workflow',
});

/** The org's keys have been prepared. */
export const sealWorkflow = (sealer: Sealer, scope: ScheduleScope, name: string, revision: string, given: Workflow) =>
  sealer.seal(placeOf(scope, name, revision), Buffer.from(JSON.stringify(given)));

export const openWorkflow = (sealer: Sealer, scope: ScheduleScope, name: string, revision: string, blob: Buffer) =>
  JSON.parse(sealer.open(placeOf(scope, name, revision), blob).toString()) as Workflow;

/** Has faults of a workflow point into the body that it lies in. */
export function inWorkflow(error: unknown): unknown {
  if (!isServiceError(error) || error.extras.errors === undefined) return error;
  const errors = error.extras.errors.map(({ pointer, message }) => ({ pointer: `/workflow${pointer}`, message }));
  const detail = `workflow${error.message.startsWith('/') ? '' : ': '}${error.message}`;
  return new ServiceError(error.definition, detail, { ...error.extras, errors });
}
