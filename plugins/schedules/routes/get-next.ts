import type { Route } from '../../../kernel/contracts/index.ts';
import answerSchema from '../schema/next-due.schema.json' with { type: 'json' };
import querySchema from '../schema/next-query.schema.json' with { type: 'json' };
import type { NextDue } from '../generated/next-due.ts';
import type { Schedules } from '../service/schedules.ts';
import { isoOf } from '../service/view.ts';
import { nameOf, SCHEDULE, VIEWER } from './shapes.ts';

const COUNT = 5;

/** `GET {scoped}/schedules/{name}/next`: what the expression comes to, by the clock of the service. */
export const getNextRoute = (schedules: Schedules): Route => ({
  method: 'GET',
  path: `${SCHEDULE}/next`,
  operation: 'listNextDue',
  summary: 'Show when a schedule is due next',
  access: VIEWER,
  query: querySchema,
  responses: { 200: { description: 'The next times, soonest first.', schema: answerSchema } },
  async handle(request) {
    const count = Number(request.query.count ?? COUNT);
    const { entry, next } = await schedules.upcoming(request.scope, nameOf(request), count);
    const { name, cron, timezone, paused } = entry;
    const json: NextDue = { name, cron, timezone, paused: paused === 1, next: next.map(isoOf) };
    return { status: 200, json };
  },
});
