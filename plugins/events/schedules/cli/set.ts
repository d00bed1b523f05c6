import { namedPath, putItem, readOptionalWorkflow, type Run, sendIncluded } from '../../../../cli/contract.ts';
import type { ScheduleView } from './view.ts';

export const run: Run = async (invocation) => {
  const { args, flags } = invocation;
  const [name = '', cron = '', file] = args;
  const { timezone, subject, overlap, jitter, deadline, catchUp: catch_up } = flags;
  // The subject belongs to the schedule, and its runs inherit it.
  const workflow = await readOptionalWorkflow(file, { ...invocation, flags: { ...flags, subject: undefined } });
  await sendIncluded(await invocation.client(), workflow);
  const options = { overlap, jitter, catch_up, deadline };
  const body = { cron, timezone, subject, ...options, paused: flags.paused || undefined, workflow };
  await putItem<ScheduleView>(invocation, {
    path: namedPath('/schedules'),
    body,
    confirmation: (made, { paused, next_due }) =>
      `${made ? 'Created' : 'Replaced'} schedule ${name}${paused ? ', which is paused' : `; next due ${invocation.output.time(next_due) || 'never again'}`}`,
  });
  return undefined;
};
