import type { Run } from '../../command.ts';
import { dueOf, type ScheduleView, startsOf } from './view.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/schedules/${encodeURIComponent(args[0]!)}`);
  const schedule = await api.json<ScheduleView>({ path });
  output.data(schedule, () => describe(schedule));
  return undefined;
};

/** A line a fact, only those that there are. */
function describe(schedule: ScheduleView): string {
  const { last_tick: tick } = schedule;
  const rows: [string, string | undefined][] = [
    ['schedule', schedule.name],
    ['cron', `${schedule.cron} (${schedule.timezone})`],
    ['starts', startsOf(schedule)],
    ['subject', schedule.subject],
    ['next due', dueOf(schedule)],
    ['last due', tick?.due],
    ['missed', tick?.missed_count === undefined ? undefined : `it stands for ${tick.missed_count}`],
    ['event', tick?.event],
    ['run', tick?.run_id],
    ['error', tick?.error],
    ['set at', schedule.set_at],
  ];
  return rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(9)} ${value}`)
    .join('\n');
}
