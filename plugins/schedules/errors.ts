import { defineError } from '../../kernel/contracts/index.ts';

export const ScheduleErrors = {
  cronInvalid: defineError({
    code: 'cron_invalid',
    status: 422,
    title: 'The cron expression is none, or names no time that comes.',
    next: 'Write five fields (minute hour day month weekday), e.g. `30 6 * * MON-FRI`, or six with seconds first.',
  }),
  schedulesFull: defineError({
    code: 'schedules_full',
    status: 409,
    title: 'The project holds as many schedules as a project may have.',
    next: 'Remove some (`svc schedule rm`), or let one schedule start what several would.',
  }),
} as const;
