import type { Output, Run } from '../../../cli/contract.ts';
import { dueOf, type ScheduleView } from './view.ts';

/** Stops or starts the clock of a schedule; prints when it is due next. */
export const clock =
  (path: 'pause' | 'resume', said: (schedule: ScheduleView, output: Output) => string): Run =>
  async ({ args, output, client }) => {
    const api = await client();
    const call = { method: 'POST', path: api.scoped(`/schedules/${encodeURIComponent(args[0]!)}/${path}`) } as const;
    const schedule = await api.json<ScheduleView>(call);
    output.data(schedule, () => dueOf(schedule, output));
    output.note(said(schedule, output));
    return undefined;
  };
