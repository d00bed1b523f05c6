import type { Route } from '../../../kernel/contracts/index.ts';
import { KEY_HEADER, keyDigest } from '../bus/contract.ts';
import { type NamedRequest, namedResource, type ResourceAction } from '../../platform/resources/contract.ts';
import { WORKFLOW_BODY_LIMIT, withWorkflow } from '../../engine/runs/contract.ts';
import { SCHEDULE } from './domain/names.ts';
import type { BackfillScheduleBody } from './generated/backfill-schedule.ts';
import backfill from './schema/backfill-schedule.schema.json' with { type: 'json' };
import backfilled from './schema/backfilled-schedule.schema.json' with { type: 'json' };
import next from './schema/next-due.schema.json' with { type: 'json' };
import query from './schema/next-query.schema.json' with { type: 'json' };
import put from './schema/put-schedule.schema.json' with { type: 'json' };
import item from './schema/schedule.schema.json' with { type: 'json' };
import triggered from './schema/triggered-schedule.schema.json' with { type: 'json' };
import type { Schedules } from './service/schedules.ts';
import { type TriggeringDeps, triggerSchedule } from './service/triggering.ts';

/** Default number of upcoming due times. */
const COUNT = 5;

/** There are no ticks after `DELETE`; running runs continue. */
export const scheduleRoutes = (schedules: Schedules, triggering: TriggeringDeps): Route[] =>
  namedResource({
    ...SCHEDULE,
    roles: { read: 'viewer', write: 'member' },
    schemas: { put: withWorkflow(put), item },
    service: schedules,
    body_limit: WORKFLOW_BODY_LIMIT,
    texts: { received_text: 'Its current state.', put: 'Create or replace a schedule' },
    actions: [
      {
        method: 'GET',
        path: 'next',
        operation: 'listNextDue',
        summary: 'Show the next due times of a schedule',
        role: 'read',
        query,
        answer: { description: 'The next times, soonest first.', schema: next },
        handle: (call, { query }) => schedules.upcoming(call, Number(query.count ?? COUNT)),
      },
      {
        method: 'POST',
        path: 'trigger',
        operation: 'triggerSchedule',
        summary: 'Run a schedule now, as a tick would',
        role: 'write',
        headers: KEY_HEADER,
        answer: { description: 'The event and its run. The next due time does not change.', schema: triggered },
        handle: (call, request) => triggerSchedule(triggering, call, keyDigest(request)),
      },
      {
        method: 'POST',
        path: 'backfill',
        operation: 'backfillSchedule',
        summary: 'Start the due times in a past range',
        role: 'write',
        body: backfill,
        answer: {
          description: 'The added due times. Each due time starts once, even if the request is repeated.',
          schema: backfilled,
        },
        handle: (call, { body }) => schedules.backfill(call, body as BackfillScheduleBody),
      },
      clockAction('pause', 'Stop the ticks of a schedule', (call) => schedules.pause(call)),
      clockAction('resume', 'Resume a paused schedule', (call) => schedules.resume(call)),
    ],
  });

const clockAction = (
  path: 'pause' | 'resume',
  summary: string,
  handle: (call: NamedRequest) => Promise<unknown>,
): ResourceAction => ({
  method: 'POST',
  path,
  operation: `${path}Schedule`,
  summary,
  role: 'write',
  answer: { description: 'Its current state.', schema: item },
  handle,
});
