import type { Argument, Command } from '../../command.ts';
import { WORKFLOW_FLAGS } from '../runs/table.ts';

const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };

/** Workflows and events at the times of a clock. */
export const scheduleCommands: readonly Command[] = [
  {
    name: 'schedule set',
    summary: 'run a workflow, or only emit schedule.tick, at the times of a cron expression',
    about:
      'Five fields: minute hour day month weekday; with six, seconds come first. Names (MON-FRI, JAN), L, W, # and\n' +
      '@daily and the like work. A schedule of that name is replaced whole. Without a file its ticks are only events.',
    args: [
      NAME,
      { name: 'cron', summary: 'the expression, in quotes' },
      { name: 'file', summary: 'the workflow; - reads standard input', optional: true },
    ],
    flags: {
      timezone: { type: 'string', value: '<zone>', summary: 'IANA name whose clock counts (default UTC)' },
      subject: { type: 'string', value: '<key>', summary: 'key of the events and subject of the runs' },
      paused: { type: 'boolean', summary: 'no ticks until it is set again without this' },
      ...WORKFLOW_FLAGS,
      tag: { type: 'string', value: '<t>', many: true, summary: 'tag of the runs; k:v tags make a map' },
      requires: { type: 'string', value: '<cap>', many: true, summary: 'capability that the agent must have' },
      credential: {
        type: 'string',
        value: 'ENV=name',
        many: true,
        summary: 'variable that gets the value of a credential; scripts only',
      },
    },
    examples: [
      [
        "svc schedule set nightly '30 2 * * *' backup.sh --timezone Europe/Berlin",
        'every night, by the clock of Berlin',
      ],
      ['svc schedule set report \'0 9 * * MON#1\' report.py --input \'{"to":"team"}\'', 'the first Monday of a month'],
      ["svc schedule set pulse '*/10 * * * * *'", 'an event every ten seconds, for handlers and waits'],
    ],
    load: () => import('./schedule-set.ts'),
  },
  {
    name: 'schedule ls',
    summary: 'list the schedules and when they are due',
    args: [],
    flags: {},
    examples: [['svc schedule ls --json', 'for programs']],
    load: () => import('./schedule-ls.ts'),
  },
  {
    name: 'schedule show',
    summary: 'show a schedule: when it is due, and its last tick with its event and run',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./schedule-show.ts'),
  },
  {
    name: 'schedule next',
    summary: 'print when a schedule is due next, as the server reckons it',
    args: [NAME],
    flags: { count: { type: 'number', short: 'n', least: 1, most: 100, summary: 'how many times (default 5)' } },
    examples: [['svc schedule next nightly -n 3', 'the next three']],
    load: () => import('./schedule-next.ts'),
  },
  {
    name: 'schedule rm',
    summary: 'remove a schedule; runs that it started go on',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./schedule-rm.ts'),
  },
];
