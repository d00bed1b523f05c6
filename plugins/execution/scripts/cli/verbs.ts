import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help texts of the verbs of this plugin, as the command line prints them. */
export const stepHelp = {
  verb: 'step',
  usage:
    'svc step <name> [--label <text>] [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  brief: 'run a command once; later passes get its recorded result',
  summary:
    'Runs a command once and records its output and exit code; later passes get the recorded result. With --retry, it runs until it succeeds, at most that many times; with --timeout, an attempt that takes longer is stopped and exits with 124.',
  args: [
    { name: 'name', summary: 'the name of the step; repeated names are numbered: name#0, name#1' },
    { name: 'command', summary: 'a program and its arguments; its SVC_IDEMPOTENCY_KEY is the same for all attempts' },
  ],
  flags: {
    label: { type: 'string', value: '<text>', summary: 'text to display next to the name' },
    retry: {
      type: 'number',
      value: '<attempts>',
      summary: 'run the command until it exits with 0, at most this many times (1 to 100)',
    },
    backoff: { type: 'string', value: '<duration>', summary: 'pause after a failed attempt (default: none)' },
    'max-backoff': {
      type: 'string',
      value: '<duration>',
      summary: 'each pause is twice as long as the previous one, up to this limit',
    },
    timeout: {
      type: 'string',
      value: '<duration>',
      summary: 'time limit of each attempt; then its process group gets SIGTERM, and SIGKILL 5 s later',
    },
  },
  exits: [
    ["the command's code", 'exit code of the last attempt; a failure is recorded like a success'],
    ['1', 'its output is larger than 2 MiB'],
    ['124', 'the last attempt took longer than --timeout'],
    ['126, 127', 'the command does not exist or cannot be run'],
    ['128 + n', 'signal n ended it'],
  ],
  recorded:
    'Exit code and standard output, before the verb returns. A command that was interrupted runs again with the same\n' +
    'SVC_IDEMPOTENCY_KEY. Earlier attempts are kept with the record.',
  examples: [
    ['version=$(svc step version -- git describe)', 'once, no matter how often the script replays'],
    ['svc step deploy --retry 5 --backoff 2s --max-backoff 1m -- ./deploy.sh eu', 'again after a failure'],
  ],
} as const satisfies ScriptVerb;

export const sleepHelp = {
  verb: 'sleep',
  usage: 'svc sleep <duration>',
  brief: 'wait for a time without a process',
  summary:
    'Suspends the run for a time such as 500ms, 5s, 1m, 2h, 30d or 1h30m; the script then starts again from the top.',
  args: [{ name: 'duration', summary: '500ms, 5s, 1m, 2h, 30d or 1h30m' }],
  exits: [['0', 'the time has passed']],
  recorded:
    'The end of the wait. Replay does not compare the duration, so a script can compute it from the time of day.',
  examples: [['svc sleep 30d', 'meanwhile it needs no process and no agent']],
} as const satisfies ScriptVerb;

export const waitSignalHelp = {
  verb: 'wait-signal',
  usage:
    'svc wait-signal <name> [--timeout <duration>] [--message <text>] [--form <fields>] [--approvers <who>]… [--envelope]',
  brief: "wait for a signal or a person's answer, and print its payload",
  summary:
    'Suspends the run until the next signal with that name and prints its payload as JSON; exits with 124 after --timeout. With --message, --form or --approvers, it asks a person: only a valid answer from an approver ends the wait, earlier signals do not count, and it exits with 125 if the person rejects it.',
  args: [{ name: 'name', summary: 'the name that `svc signal <run-id> <name>` sends; at most 128 characters' }],
  flags: {
    timeout: { type: 'string', value: '<duration>', summary: 'stop waiting after this time (default: never)' },
    message: { type: 'string', value: '<text>', summary: 'the question' },
    form: {
      type: 'string',
      value: '<fields>',
      summary:
        'fields of the answer: "amount: number, env: test|live = test, note?: text"; or a JSON Schema, or @file with one',
    },
    approvers: {
      type: 'string',
      value: '<who>',
      many: true,
      summary: 'who can answer: usernames or roles (member, admin, owner), separated by commas',
    },
    envelope: { type: 'boolean', summary: 'print {"by", "at", "payload"}: who answered, and when' },
  },
  exits: [
    ['0', 'the payload is on standard output; null if there was none'],
    ['124', 'no signal arrived in time'],
    ['125', 'a person rejected it; standard output shows who, when and why, as JSON'],
  ],
  recorded:
    'The payload. A signal that was sent earlier and not consumed is consumed immediately; signals are consumed in order.',
  examples: [
    ['approval=$(svc wait-signal approved --timeout 30d) || exit 1', 'elsewhere: svc signal <run-id> approved'],
    [
      'svc wait-signal ship --approvers admin --message "Ship $version?" || exit 1',
      'elsewhere: svc approve <run-id>, or svc reject <run-id>',
    ],
  ],
} as const satisfies ScriptVerb;

export const waitAnyHelp = {
  verb: 'wait-any',
  usage: 'svc wait-any <what>… [--when <type>=<expression> [--var <name>=<value>]…]… [--untrusted]',
  brief: 'wait for the first of several signals, events and asks, or for a timeout',
  summary:
    'Suspends the run until the first of the named signals, events or asks, or until the timeout, and prints which came first as JSON: {"first":"signal","name":…,"payload":…}, {"first":"event","name":…,"event":{…}}, {"first":"ask","name":…,"id":…,"by":…,"payload":…} or {"first":"timeout"}. It does not consume the others. At most 16 signals, events and asks.',
  args: [{ name: 'what', summary: 'signal:<name>, event:<type>, ask:<name> or timeout:<duration>', rest: true }],
  flags: {
    when: {
      type: 'string',
      value: '<type>=<expression>',
      many: true,
      summary: 'CEL over event, vars and run: accept only events of this type for which it is true',
    },
    var: {
      type: 'string',
      value: '<name>=<value>',
      many: true,
      summary: 'a value for --when: name=text or name:=json',
    },
    untrusted: { type: 'boolean', summary: 'also accept events that untrusted runs emit' },
  },
  exits: [['0', 'one of them came first; standard output shows which']],
  recorded:
    'Which came first, with its payload. A signal or an ask that was sent earlier and not consumed takes precedence.',
  examples: [
    ['first=$(svc wait-any signal:approved event:order.paid timeout:5m | jq -r .first)', 'signal, event or timeout'],
    [
      `svc wait-any signal:stop event:order.paid --when order.paid='event.payload.id == vars.id' --var id="$id"`,
      'the event of this order',
    ],
  ],
} as const satisfies ScriptVerb;

export const spawnHelp = {
  verb: 'spawn',
  usage: 'svc spawn <file>|- [--as pipeline|script] [--tag <tag>]… [--include <path>]… [--root <folder>]',
  brief: 'submit a file as an independent run',
  summary:
    "Submits a file as an independent run and prints the new run's ID. - reads the file from standard input, and --include sends other files with it. This run does not wait for the new run, and the new run's result does not affect this run. Spawned runs can nest at most 16 levels deep.",
  args: [{ name: 'file', summary: 'the workflow; - reads standard input' }],
  flags: {
    as: { type: 'string', choices: ['pipeline', 'script'], summary: 'kind of workflow (default: by file name)' },
    tag: { type: 'string', value: '<tag>', many: true, summary: 'tag of the run' },
    include: { type: 'string', value: '<path>', many: true, summary: 'a file or folder to send with it' },
    root: {
      type: 'string',
      value: '<folder>',
      summary: 'folder that contains all of its files (default: its own folder)',
    },
  },
  exits: [
    ['0', 'the ID of the run is on standard output'],
    ['1', 'the server rejects it: it is invalid, or too deep (chain_too_deep)'],
  ],
  recorded: "The run's ID. Only one run starts, no matter how often the script replays.",
  examples: [['svc spawn cleanup.sh --tag nightly', 'continues independently']],
} as const satisfies ScriptVerb;

export const stateHelp = {
  verb: 'state',
  usage: 'svc state get <key> | set <key> <value>|- | delete <key> | list  [--entity <name>]',
  brief: 'read and write durable state of the run or the project',
  summary:
    "Reads and writes the run's durable state, or the project's with --entity. - reads the value from standard input.",
  args: [
    { name: 'key', summary: 'the key; at most 255 characters' },
    { name: 'value', summary: 'text of at most 256 KiB; - reads standard input' },
  ],
  flags: {
    entity: { type: 'string', value: '<name>', summary: 'name of the state, which all runs of the project share' },
  },
  exits: [
    ['0', '`get` and `list` print their result'],
    ['1', '`get` of a key that does not exist, or a write that the server rejects'],
  ],
  recorded: 'The result of each call: later passes get the same result, even if other runs have written since.',
  examples: [
    ['last=$(svc state get last-page --entity crawler) || last=0', 'of the project'],
    ['svc state set last-page "$page" --entity crawler', 'for the next run'],
  ],
} as const satisfies ScriptVerb;

export const inputHelp = {
  verb: 'input',
  usage: 'svc input [<path>] [--default <value>] [--envelope]',
  brief: "print the run's input, or a part of it",
  summary:
    'Prints the submitted input, or the payload of the event that started the run: a string unchanged, everything else as JSON. A path such as order.items[0].id selects a part. If there is no value, svc input exits with 1 or prints --default, which also replaces null. --envelope reads the whole file $SVC_INPUT_FILE, including type and key.',
  args: [
    {
      name: 'path',
      optional: true,
      summary: 'order.items[0].id, items[-1], ["a name.with dots"]; . is the whole input',
    },
  ],
  flags: {
    default: { type: 'string', value: '<value>', summary: 'print this if there is no value, or if the value is null' },
    envelope: { type: 'boolean', summary: 'read the whole file $SVC_INPUT_FILE: type, key, event' },
  },
  exits: [
    ['0', 'it is printed: a string unchanged, everything else as JSON'],
    ['1', 'the input has nothing at that path, and --default is not set'],
    ['2', 'the path is not valid'],
  ],
  recorded: "Nothing, because a run's input never changes.",
  examples: [
    ['region=$(svc input region --default eu)', 'the input of svc submit file --input region=us'],
    ['type=$(svc input type --envelope)', 'the type of the event that started the run'],
  ],
} as const satisfies ScriptVerb;

export const outputHelp = {
  verb: 'output',
  usage: 'svc output set <key>=<text>|<key>:=<json>…',
  brief: "set keys of the run's output",
  summary:
    "Stages keys of the run's output, which is kept only if the script exits with 0: k=v sets text, k:=json a JSON value.",
  args: [{ name: 'key=text', rest: true, summary: 'key=text sets text, key:=json a JSON value; at most 1 MiB' }],
  exits: [['0', 'the keys are staged']],
  recorded:
    "Nothing. Every pass sets the keys again, and the keys from the pass that exits with 0 become the run's output.",
  examples: [['svc output set version="$version" replicas:=3', 'text and a number']],
} as const satisfies ScriptVerb;

export const annotateHelp = {
  verb: 'annotate',
  usage: 'svc annotate <markdown>|-',
  brief: 'add a note to the run',
  summary:
    'Attaches a markdown note to the run; - reads it from standard input. If several passes add the same note, the run has it only once.',
  args: [{ name: 'markdown', summary: 'the note, at most 64 KiB; - reads standard input' }],
  exits: [['0', 'the note is stored']],
  recorded: 'Nothing. If a later pass repeats the note, the run still has it only once.',
  examples: [['svc annotate "**3** files were skipped"', 'svc status and the page of the run show it']],
} as const satisfies ScriptVerb;

export const verbs = [
  stepHelp,
  sleepHelp,
  waitSignalHelp,
  waitAnyHelp,
  spawnHelp,
  stateHelp,
  inputHelp,
  outputHelp,
  annotateHelp,
];
