import { CalendarClock } from 'lucide-react';
import type { ScheduleView } from '../../../../../cli/generated/api.ts';
import type { NamedKind } from '../kit/named.tsx';
import { runsWhat } from '../kit/workflow.ts';
import { cronWords } from './cron-words.ts';
import { ScheduleFields, scheduleOf } from './form.tsx';
import { SCHEDULE_STATES, scheduleState } from './state.ts';

export const SCHEDULES: NamedKind<ScheduleView> = {
  one: 'schedule',
  title: 'Schedules',
  icon: CalendarClock,
  path: '/schedules',
  plural: 'schedules',
  page: '/orgs/$org/projects/$project/schedules',
  command: 'svc schedule',
  about: 'A schedule starts a workflow at set times.',
  finds: 'Name, time or workflow',
  wordsOf: ({ name, cron, timezone, workflow }) => [name, cron, cronWords(cron), timezone, runsWhat(workflow)],
  filter: SCHEDULE_STATES,
  filterOf: scheduleState,
  Fields: ScheduleFields,
  bodyOf: scheduleOf,
  removal: 'It no longer starts runs. Runs that have started continue.',
};
