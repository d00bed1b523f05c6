import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Schedules } from '../service/schedules.ts';
import { MEMBER, nameOf, SCHEDULE } from './shapes.ts';

/** `DELETE {scoped}/schedules/{name}`: no tick after the answer; runs that it started go on. */
export const deleteScheduleRoute = (schedules: Schedules): Route => ({
  method: 'DELETE',
  path: SCHEDULE,
  operation: 'deleteSchedule',
  summary: 'Remove a schedule',
  access: MEMBER,
  responses: { 204: { description: 'Removed.' } },
  async handle(request) {
    await schedules.remove(request.scope, nameOf(request), auditSource(request));
    return { status: 204 };
  },
});
