import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help texts of the verbs, as the command line prints them. */
export const waitEventHelp = {
  verb: 'wait-event',
  usage: 'svc wait-event <type> [--when <expression> [--var <name>=<value>]…] [--timeout <duration>] [--untrusted]',
  brief: 'wait for an event and print it',
  summary:
    'Suspends the run until the next event of that type and prints its envelope as JSON; exits with 124 after --timeout. Earlier events are ignored. A trusted run ignores events that untrusted runs emit, unless --untrusted is set.',
  args: [{ name: 'type', summary: 'the type of the event, e.g. deploy.done', from: 'events types' }],
  flags: {
    timeout: { type: 'string', value: '<duration>', summary: 'stop waiting after this time (default: never)' },
    when: {
      type: 'string',
      value: '<expression>',
      summary: 'CEL over event, vars and run: accept only events for which it is true',
    },
    var: {
      type: 'string',
      value: '<name>=<value>',
      many: true,
      summary: 'a value for --when: name=text or name:=json',
    },
    untrusted: { type: 'boolean', summary: 'also accept events that untrusted runs emit' },
  },
  exits: [
    ['0', 'the event is on standard output: type, key, payload and more'],
    ['124', 'no event arrived in time'],
  ],
  recorded:
    'The event. Earlier events are ignored; a run with a subject receives events with that subject, and\n' +
    'events without a subject.',
  examples: [
    ['event=$(svc wait-event release.cut --timeout 1h)', 'elsewhere: svc emit release.cut'],
    [`svc wait-event order.paid --when 'event.payload.id == vars.id' --var id="$id"`, "this order's event"],
    [`svc wait-event approved --when 'event.payload.run == run.id'`, "an event that contains this run's ID"],
  ],
} as const satisfies ScriptVerb;

export const emitHelp = {
  verb: 'emit',
  usage: 'svc emit <type> [--key <subject>] [--payload <json>|-|@<file>]',
  brief: 'emit an event, once for this call',
  summary:
    'Emits an event, once for this call of the script, and prints its ID. --payload accepts JSON, - for standard input or @file.',
  args: [{ name: 'type', summary: 'up to 64 characters from A-Z a-z 0-9 . _ -, e.g. deploy.done' }],
  flags: {
    key: { type: 'string', value: '<subject>', summary: "the event's subject" },
    payload: { type: 'string', value: '<json>', summary: 'payload (default null), up to 2 MiB; -, @file' },
  },
  exits: [
    ['0', 'the ID of the event is on standard output'],
    ['1', 'the server rejects it'],
  ],
  recorded: "The event's ID. The event is emitted once, no matter how often the script replays.",
  examples: [[`svc emit deploy.done --payload '{"version":"1.4.0"}'`, 'wakes the runs that wait for it']],
} as const satisfies ScriptVerb;

export const verbs = [waitEventHelp, emitHelp];
