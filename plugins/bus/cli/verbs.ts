import type { ScriptVerb } from '../../../cli/contract.ts';

/** The verbs of this plugin, as the command line explains them. */
export const waitEventHelp = {
  verb: 'wait-event',
  usage: 'svc wait-event <type> [--timeout <duration>] [--untrusted]',
  brief: 'wait for an event and print it',
  summary:
    'Suspends the run until the next event of that type and prints its envelope as JSON; exits 124 after --timeout. Earlier events do not count. In a trusted run, only --untrusted also takes events that untrusted runs emit.',
  args: [{ name: 'type', summary: 'the type of the event, e.g. deploy.done', from: 'events types' }],
  flags: {
    timeout: { type: 'string', value: '<duration>', summary: 'give up after this time (default: never)' },
    untrusted: { type: 'boolean', summary: 'also take events that untrusted runs emit' },
  },
  exits: [
    ['0', 'the event is on standard output: type, key, payload and more'],
    ['124', 'no event came in time'],
  ],
  recorded:
    'The event. Those that came before the call do not count; a run with a subject takes events of that subject, and those\n' +
    'without one.',
  examples: [['event=$(svc wait-event release.cut --timeout 1h)', 'and elsewhere: svc emit release.cut']],
} as const satisfies ScriptVerb;

export const emitHelp = {
  verb: 'emit',
  usage: 'svc emit <type> [--key <subject>] [--payload <json>|-|@<file>]',
  brief: 'emit an event, once for this call',
  summary:
    'Emits an event, once for this call of the script, and prints its id. --payload takes JSON, - for standard input or @file.',
  args: [{ name: 'type', summary: 'up to 64 characters from A-Z a-z 0-9 . _ -, e.g. deploy.done' }],
  flags: {
    key: { type: 'string', value: '<subject>', summary: 'the subject of the event' },
    payload: { type: 'string', value: '<json>', summary: 'payload (default null), up to 2 MiB; -, @file' },
  },
  exits: [
    ['0', 'the id of the event is on standard output'],
    ['1', 'the server refuses it'],
  ],
  recorded: 'The id, so that one event is emitted, however often the script is run.',
  examples: [[`svc emit deploy.done --payload '{"version":"1.4.0"}'`, 'wakes the runs that wait for it']],
} as const satisfies ScriptVerb;

export const verbs = [waitEventHelp, emitHelp];
