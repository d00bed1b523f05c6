import { type Api, type Command, inGroup, listCommand } from '../../../../cli/contract.ts';

const SAMPLE = 60;
const SOURCES = ['emit', 'hook', 'forge', 'lifecycle', 'schedule', 'manual', 'spawn', 'account', 'trigger'];

function sample(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.length > SAMPLE ? `${text.slice(0, SAMPLE)}…` : text;
}

export const commands: readonly Command[] = inGroup('Events', [
  {
    name: 'emit',
    summary: 'emit an event; prints its ID',
    description:
      'Every run that waits for the type receives the event, handlers start, and `cancel_on` cancels runs. With --key, only runs\n' +
      'of that subject and runs without a subject receive it. In a script, each call of svc emit emits one event.',
    args: [
      { name: 'type', summary: 'up to 64 characters from A-Z a-z 0-9 . _ -, e.g. deploy.done', from: 'events types' },
    ],
    flags: {
      key: {
        type: 'string',
        value: '<subject>',
        summary: "the event's subject; without one, every run receives the event",
      },
      payload: {
        type: 'string',
        value: '<json>',
        summary: 'payload (default null), up to 2 MiB; - reads standard input, @file a file',
      },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first event' },
    },
    examples: [
      ['svc emit deploy.done --key acme/web --payload \'{"version":"1.4.0"}\'', 'wake the runs that wait for it'],
      ['svc emit scan.report --payload @report.json', 'with a payload from a file'],
    ],
    load: () => import('./emit.ts'),
  },
  listCommand<Api.Event>({
    name: 'events ls',
    summary: 'list recent events, newest first',
    filters: {
      type: { type: 'string', value: '<type>', from: 'events types', summary: 'only this type' },
      key: { type: 'string', value: '<subject>', summary: 'only this subject' },
      source: { type: 'string', choices: SOURCES, summary: 'only from this source' },
      exclude: {
        type: 'string',
        value: '<sources>',
        summary: 'leave out these sources; `lifecycle` hides run events',
      },
      since: {
        type: 'string',
        value: '<time>',
        summary: 'only since a time (ISO 8601) or within a duration (`2h`)',
      },
    },
    examples: [['svc events ls --type deploy.done --since 1d', 'deployments since yesterday']],
    path: '/events',
    member: 'events',
    columns: {
      event: 'event',
      type: 'type',
      key: 'key',
      source: ({ source, source_name }) => (source_name === '' ? source : `${source} ${source_name}`),
      recorded: 'recorded_at',
    },
  }),
  {
    name: 'events show',
    summary: 'show an event, its payload, and the runs that it started, woke and cancelled',
    args: [{ name: 'event-id', summary: 'the event, e.g. evt_01J…' }],
    examples: [['svc events show evt_01J… --json', 'for programs']],
    load: () => import('./show.ts'),
  },
  {
    name: 'runs chain',
    summary: 'show the causes and effects of a run or an event',
    description: 'Shows callers, reruns, events and the runs that they started, woke and cancelled, as a tree.',
    args: [{ name: 'run-id', summary: 'the run or event: run_01J…, the end of its ID, @last, or evt_01J…', run: true }],
    flags: {
      limit: { type: 'number', least: 1, most: 200, summary: 'the maximum number of effects (default 50)' },
    },
    examples: [['svc runs chain run_01J…', 'from the first event to the last run']],
    load: () => import('./chain.ts'),
  },
  listCommand<Api.EventType>({
    name: 'events types',
    summary: 'list the event types of the project, with a sample of each',
    examples: [['svc events types', 'types to wait for']],
    path: '/event-types',
    member: 'types',
    columns: { type: 'type', source: 'source', 'last seen': 'last_seen', sample: (row) => sample(row.sample) },
  }),
]);
