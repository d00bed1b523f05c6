import { allPages } from '../../client/pages.ts';
import type { Run } from '../../command.ts';
import { dueOf, type ScheduleView, startsOf } from './view.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const schedules = await allPages<ScheduleView>(api, api.scoped('/schedules'), 'schedules');
  output.data({ schedules }, () =>
    schedules.length > 0
      ? output.table(
          ['name', 'cron', 'timezone', 'starts', 'next due', 'last tick'],
          schedules.map((one) => [
            one.name,
            one.cron,
            one.timezone,
            startsOf(one),
            dueOf(one),
            one.last_tick?.due ?? '',
          ]),
        )
      : '',
  );
  return undefined;
};
