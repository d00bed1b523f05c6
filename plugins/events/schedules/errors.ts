import { defineError } from '../../../kernel/contracts/index.ts';

export const ScheduleErrors = {
  cronInvalid: defineError({
    code: 'cron_invalid',
    status: 422,
    title: 'The cron expression is not valid, or it never fires.',
    next: 'Write five fields (minute hour day month weekday), e.g. `30 6 * * MON-FRI`, or six fields with seconds first.',
  }),
  scheduleOwned: defineError({
    code: 'schedule_owned',
    status: 409,
    title: 'The schedule belongs to another resource.',
    next: 'Change or remove the resource that `detail` names; its schedule changes with it.',
  }),
  schedulesFull: defineError({
    code: 'schedules_full',
    status: 409,
    title: 'The project has reached the limit for schedules.',
    next: 'Remove schedules that are no longer needed (`svc schedule rm`), or combine several into one.',
  }),
} as const;
