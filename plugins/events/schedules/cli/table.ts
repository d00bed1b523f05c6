import { type Command, inGroup, NAME, resourceCommands, WORKFLOW_FLAGS } from '../../../../cli/contract.ts';
import { formatDue, type ScheduleView, workflowKind } from './view.ts';

export const commands: readonly Command[] = inGroup('React', [
  ...resourceCommands<ScheduleView>({
    noun: 'schedule',
    path: '/schedules',
    columns: {
      name: 'name',
      cron: 'cron',
      timezone: 'timezone',
      workflow: workflowKind,
      'next due': formatDue,
      'last due': ({ last_tick }, output) => output.time(last_tick?.due),
    },
    item_columns: {
      schedule: 'name',
      cron: ({ cron, timezone }) => `${cron} (${timezone})`,
      workflow: workflowKind,
      subject: 'subject',
      'next due': formatDue,
      'starts at': ({ starts_at }, output) => output.time(starts_at),
      overlap: 'overlap',
      jitter: 'jitter',
      'catch-up': 'catch_up',
      deadline: 'deadline',
      'last due': ({ last_tick }, output) => output.time(last_tick?.due),
      missed: ({ last_tick: tick }) => tick?.missed_count && `this tick replaces ${tick.missed_count}`,
      'triggered by': ({ last_tick }) => last_tick?.triggered_by,
      event: ({ last_tick }) => last_tick?.event,
      run: ({ last_tick }) => last_tick?.run_id,
      error: ({ last_tick }) => last_tick?.error,
      'set at': 'set_at',
    },
    set: {
      summary: 'create or replace a schedule, which runs a workflow or only emits schedule.tick',
      description:
        'Five fields: minute hour day month weekday; if there are six, the first one is seconds. Names (MON-FRI, JAN), L, W, #,\n' +
        '@daily and the like are supported. An existing schedule is replaced completely. Without a file it only records events.',
      args: [
        NAME,
        { name: 'cron', summary: 'the cron expression, in quotes' },
        { name: 'file', summary: 'the workflow; - reads standard input', optional: true },
      ],
      flags: {
        timezone: { type: 'string', value: '<zone>', summary: 'time zone, as an IANA name (default UTC)' },
        overlap: {
          type: 'string',
          value: '<policy>',
          choices: ['allow', 'skip', 'queue', 'cancel'],
          summary: 'if an earlier run has not ended: allow (default), skip, queue or cancel',
        },
        jitter: {
          type: 'string',
          value: '<duration>',
          summary: 'delay each start by up to this much; a due time always has the same delay',
        },
        'catch-up': {
          type: 'string',
          value: '<duration>',
          summary: 'after an outage, start each missed due time within this duration, and skip older ones',
        },
        deadline: {
          type: 'string',
          value: '<duration>',
          summary: 'skip a due time that has not started within this duration',
        },
        paused: { type: 'boolean', summary: 'create it paused, until svc schedule resume' },
        ...WORKFLOW_FLAGS,
        subject: { type: 'string', value: '<key>', summary: 'key of the events and subject of the runs' },
      },
      examples: [
        ["svc schedule set nightly '30 2 * * *' backup.sh --timezone Europe/Berlin", 'every night, in Berlin time'],
        [
          'svc schedule set report \'0 9 * * MON#1\' report.py --input \'{"to":"team"}\'',
          'on the first Monday of every month',
        ],
        [
          "svc schedule set sync '*/5 * * * *' sync.sh --overlap skip --jitter 1m",
          'never two runs at a time, and not at the same second as other schedules',
        ],
        ["svc schedule set pulse '*/10 * * * * *'", 'emit an event every ten seconds, for handlers and waits'],
      ],
      load: () => import('./set.ts'),
    },
    list: { summary: 'list the schedules with their next due times' },
    show: { summary: 'show a schedule: its next time, and its last tick with event and run' },
    remove: { summary: 'remove a schedule; runs that it started continue' },
  }),
  {
    name: 'schedule next',
    summary: 'print the next times of a schedule, and why due times wait or would be skipped',
    args: [NAME],
    flags: {
      count: { type: 'number', short: 'n', least: 1, most: 100, summary: 'number of times to print (default 5)' },
    },
    examples: [['svc schedule next nightly -n 3', 'the next three times']],
    load: () => import('./next.ts'),
  },
  {
    name: 'schedule trigger',
    summary: 'run a schedule now, as a tick would; prints the ID of the run',
    description:
      'A manual tick records schedule.tick and starts the workflow, even if the schedule is paused. The next due time does not change. The\n' +
      'payload of the event shows that the tick was manual, and who triggered it. Without a workflow it prints the ID of the\n' +
      'event.',
    args: [NAME],
    flags: {
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first tick' },
    },
    examples: [['svc schedule trigger nightly', 'run it now']],
    load: () => import('./trigger.ts'),
  },
  {
    name: 'schedule backfill',
    summary: 'start the due times in a past range; prints how many were added',
    description:
      'The runs start one after another, in the order of their due times. A due time that has already started, or is\n' +
      'already queued, does not start again, so you can safely repeat the command. A range has at most 1000 due times.',
    args: [NAME],
    flags: {
      from: { type: 'string', value: '<time>', summary: 'a time, or a duration before now such as 7d' },
      to: { type: 'string', value: '<time>', summary: 'the end of the range, inclusive (default now)' },
      overlap: {
        type: 'string',
        value: '<policy>',
        choices: ['queue', 'allow'],
        summary: 'queue (default): one after another; allow: all at once',
      },
    },
    examples: [
      [
        'svc schedule backfill nightly --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z',
        'every night of one week',
      ],
    ],
    load: () => import('./backfill.ts'),
  },
  {
    name: 'schedule pause',
    summary: "stop a schedule's ticks until it is resumed",
    args: [NAME],
    examples: [['svc schedule pause nightly', 'runs that it started continue']],
    load: () => import('./pause.ts'),
  },
  {
    name: 'schedule resume',
    summary: 'resume a paused schedule; missed due times are skipped',
    args: [NAME],
    examples: [['svc schedule resume nightly', 'prints the next due time']],
    load: () => import('./resume.ts'),
  },
]);
