import type { Route } from '../../../kernel/contracts/index.ts';
import type { Schedules } from '../service/schedules.ts';
import { viewOf } from '../service/view.ts';
import { nameOf, SCHEDULE, scheduleSchema, VIEWER } from './shapes.ts';

/** `GET {scoped}/schedules/{name}`: with its workflow, its next due time and its last tick. */
export const getScheduleRoute = (schedules: Schedules): Route => ({
  method: 'GET',
  path: SCHEDULE,
  operation: 'getSchedule',
  summary: 'Show a schedule',
  access: VIEWER,
  responses: { 200: { description: 'As it stands.', schema: scheduleSchema } },
  async handle(request) {
    const { entry, workflow } = await schedules.read(request.scope, nameOf(request));
    return { status: 200, json: viewOf(entry, workflow) };
  },
});
