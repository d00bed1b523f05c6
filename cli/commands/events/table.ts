import type { Command, Flag } from '../../command.ts';

const PAGE: Readonly<Record<string, Flag>> = {
  limit: { type: 'number', least: 1, most: 200, summary: 'how many at most (default 50)' },
  cursor: { type: 'string', summary: 'where the page before ended' },
};

/** The event bus of the project. */
export const eventCommands: readonly Command[] = [
  {
    name: 'emit',
    summary: 'emit an event; prints its id',
    about:
      'Every run that waits for the type hears it, handlers start and `cancel_on` cancels. With --key only runs of that\n' +
      'subject and runs without one do. In a script, svc emit takes the same arguments and emits once for its place.',
    args: [{ name: 'type', summary: 'up to 64 characters from A-Z a-z 0-9 . _ -, e.g. deploy.done' }],
    flags: {
      key: {
        type: 'string',
        value: '<subject>',
        summary: 'the subject that the event is about; without it all hear it',
      },
      payload: {
        type: 'string',
        value: '<json>',
        summary: 'payload (default null), up to 2 MiB; - reads standard input, @file a file',
      },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeat answers the first event' },
    },
    examples: [
      ['svc emit deploy.done --key acme/web --payload \'{"version":"1.4.0"}\'', 'tell whoever waits for it'],
      ['svc emit scan.report --payload @report.json', 'with a payload from a file'],
    ],
    load: () => import('./emit.ts'),
  },
  {
    name: 'events ls',
    summary: 'list recent events, newest first',
    args: [],
    flags: {
      type: { type: 'string', value: '<type>', summary: 'only this type' },
      key: { type: 'string', value: '<subject>', summary: 'only this subject' },
      source: {
        type: 'string',
        choices: ['emit', 'hook', 'forge', 'lifecycle', 'schedule', 'manual', 'spawn'],
        summary: 'only from there',
      },
      since: { type: 'string', value: '<time>', summary: 'only those since a time (ISO 8601) or a span ago (2h)' },
      ...PAGE,
    },
    examples: [['svc events ls --type deploy.done --since 1d', 'what was deployed since yesterday']],
    load: () => import('./ls.ts'),
  },
  {
    name: 'events show',
    summary: 'show one event: its payload, and what it started, woke and cancelled',
    args: [{ name: 'event-id', summary: 'the event, e.g. evt_01J…' }],
    flags: {},
    examples: [['svc events show evt_01J… --json', 'for programs']],
    load: () => import('./show.ts'),
  },
  {
    name: 'events types',
    summary: 'list the types of events that the project knows, with a sample of each',
    args: [],
    flags: {},
    examples: [['svc events types', 'what can be waited for']],
    load: () => import('./types.ts'),
  },
];
