import type { Output, Run } from '../../../../cli/contract.ts';
import { formatDue, type ScheduleView } from './view.ts';

/** Pauses or resumes a schedule, and prints when it is next due. */
export const clock =
  (path: 'pause' | 'resume', said: (schedule: ScheduleView, output: Output) => string): Run =>
  async ({ args, output, client }) => {
    const api = await client();
    const call = { method: 'POST', path: api.scoped(`/schedules/${encodeURIComponent(args[0]!)}/${path}`) } as const;
    const schedule = await api.json<ScheduleView>({ ...call, expects: ['name'] });
    output.data(schedule, () => formatDue(schedule, output));
    output.note(said(schedule, output));
    return undefined;
  };
