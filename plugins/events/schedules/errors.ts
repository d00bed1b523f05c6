import { defineError } from '../../../kernel/contracts/index.ts';

export const ScheduleErrors = {
  backfillTooLarge: defineError({
    code: 'backfill_too_large',
    status: 422,
    title: 'The range contains more due times than one backfill can add.',
    next: 'Backfill the range in parts: end the first part at the time shown in `detail`, and continue after it.',
  }),
  backfillsFull: defineError({
    code: 'backfills_full',
    status: 409,
    title: 'Too many due times of the project are waiting to start.',
    next: 'Repeat the backfill after some of them have started (`svc schedule next`); it does not add the same due times twice.',
  }),
  cronInvalid: defineError({
    code: 'cron_invalid',
    status: 422,
    title: 'The cron expression is not valid, or it never fires.',
    next: 'Write five fields (minute hour day month weekday), e.g. `30 6 * * MON-FRI`, or six fields that begin with seconds.',
  }),
  scheduleOwned: defineError({
    code: 'schedule_owned',
    status: 409,
    title: 'The schedule belongs to another resource.',
    next: 'Change or remove the resource shown in `detail`; its schedule changes with it.',
  }),
  schedulesFull: defineError({
    code: 'schedules_full',
    status: 409,
    title: 'The project has reached the limit for schedules.',
    next: 'Remove schedules that are no longer needed (`svc schedule rm`), or combine several into one.',
  }),
} as const;
