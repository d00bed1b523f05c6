import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help texts of the verbs, as the command line prints them. */
export const waitEventHelp = {
  verb: 'wait-event',
  usage: 'svc wait-event <type> [--timeout <duration>] [--untrusted]',
  brief: 'wait for an event and print it',
  summary:
    'Suspends the run until the next event of that type and prints its envelope as JSON; exits with 124 after --timeout. Earlier events are ignored. A trusted run ignores events that untrusted runs emit, unless --untrusted is set.',
  args: [{ name: 'type', summary: 'the type of the event, e.g. deploy.done', from: 'events types' }],
  flags: {
    timeout: { type: 'string', value: '<duration>', summary: 'give up after this time (default: never)' },
    untrusted: { type: 'boolean', summary: 'also take events that untrusted runs emit' },
  },
  exits: [
    ['0', 'the event is on standard output: type, key, payload and more'],
    ['124', 'no event arrived in time'],
  ],
  recorded:
    'The event. Earlier events are ignored; a run with a subject takes events of that subject, and events\n' +
    'without a subject.',
  examples: [['event=$(svc wait-event release.cut --timeout 1h)', 'elsewhere: svc emit release.cut']],
} as const satisfies ScriptVerb;

export const emitHelp = {
  verb: 'emit',
  usage: 'svc emit <type> [--key <subject>] [--payload <json>|-|@<file>]',
  brief: 'emit an event, once for this call',
  summary:
    'Emits an event, once for this call of the script, and prints its ID. --payload takes JSON, - for standard input or @file.',
  args: [{ name: 'type', summary: 'up to 64 characters from A-Z a-z 0-9 . _ -, e.g. deploy.done' }],
  flags: {
    key: { type: 'string', value: '<subject>', summary: 'the subject of the event' },
    payload: { type: 'string', value: '<json>', summary: 'payload (default null), up to 2 MiB; -, @file' },
  },
  exits: [
    ['0', 'the ID of the event is on standard output'],
    ['1', 'the server rejects it'],
  ],
  recorded: 'The ID, so that the event is emitted once, no matter how often the script replays.',
  examples: [[`svc emit deploy.done --payload '{"version":"1.4.0"}'`, 'wakes the runs that wait for it']],
} as const satisfies ScriptVerb;

export const verbs = [waitEventHelp, emitHelp];
