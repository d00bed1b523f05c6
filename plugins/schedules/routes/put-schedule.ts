import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { PutScheduleBody } from '../generated/put-schedule.ts';
import bodySchema from '../schema/put-schedule.schema.json' with { type: 'json' };
import type { Schedules } from '../service/schedules.ts';
import { viewOf } from '../service/view.ts';
import { MEMBER, nameOf, SCHEDULE, scheduleSchema } from './shapes.ts';

/** 1 MiB of document and 2 MiB of input, each of whose bytes JSON may write as six (`\u0001`). */
const BODY_LIMIT = 20 * 1024 * 1024;

/** `PUT {scoped}/schedules/{name}`: 201 when it is new, 200 when it was replaced; it is due from now on. */
export const putScheduleRoute = (schedules: Schedules): Route => ({
  method: 'PUT',
  path: SCHEDULE,
  operation: 'putSchedule',
  summary: 'Make a schedule, or replace it',
  access: MEMBER,
  body: bodySchema,
  body_limit: BODY_LIMIT,
  responses: {
    200: { description: 'Replaced.', schema: scheduleSchema },
    201: { description: 'Made.', schema: scheduleSchema },
  },
  async handle(request) {
    const name = nameOf(request);
    const body = request.body as PutScheduleBody;
    const { made, entry, workflow } = await schedules.set(request.scope, name, body, auditSource(request));
    return { status: made ? 201 : 200, json: viewOf(entry, workflow) };
  },
});
