import { pageQuery, readPage, type Route } from '../../../kernel/contracts/index.ts';
import type { Schedules } from '../service/schedules.ts';
import { viewOf } from '../service/view.ts';
import { listSchema, SCHEDULES, VIEWER } from './shapes.ts';

/** `GET {scoped}/schedules`: newest first; of the workflows only kind and file name. */
export const listSchedulesRoute = (schedules: Schedules): Route => ({
  method: 'GET',
  path: SCHEDULES,
  operation: 'listSchedules',
  summary: 'List the schedules, newest first',
  access: VIEWER,
  query: pageQuery,
  responses: { 200: { description: 'A page of schedules.', schema: listSchema } },
  async handle({ scope, query }) {
    const { items, ...rest } = await schedules.list(scope, readPage(query));
    return { status: 200, json: { schedules: items.map((entry) => viewOf(entry)), ...rest } };
  },
});
