import type { ScriptVerb } from '../../../../cli/contract.ts';

const NAME = { name: 'name', summary: 'the name of the child, unique in the script' } as const;
const COMMAND = { name: 'command', summary: 'a program on that machine, and its arguments' } as const;
const CHILD_FLAGS = {
  requires: { type: 'string', value: '<capability>', many: true, summary: 'capability that the agent must have' },
  retry: { type: 'number', value: '<attempts>', summary: 'like `svc step`; any capable agent runs the next attempt' },
  backoff: { type: 'string', value: '<duration>', summary: 'like `svc step`' },
  'max-backoff': { type: 'string', value: '<duration>', summary: 'like `svc step`' },
  timeout: { type: 'string', value: '<duration>', summary: 'like `svc step`: the time limit of each attempt' },
} as const;
const TAKEN = ['2', 'the name is already used, or no child has it; the journal records this too'] as const;

/** The help of this plugin's verbs, which the CLI reads too. */
export const activityHelp = {
  verb: 'activity',
  usage:
    'svc activity <name> [--requires <capability>]… [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  brief: 'run a command on any capable agent, and wait for it',
  summary:
    "Runs a command on any agent with the given capabilities, in that agent's working directory, and returns its output and exit code. Meanwhile the run waits without a process.",
  args: [NAME, COMMAND],
  flags: CHILD_FLAGS,
  exits: [
    ["the command's code", '124 after --timeout, 127 if the command does not exist, 128 + n after signal n'],
    ['1', 'its output is larger than 2 MiB, or its agents were lost 25 times'],
    TAKEN,
  ],
  recorded: 'Exit code and standard output, up to 2 MiB, when the child has ended.',
  examples: [['svc activity sign --requires signing -- /opt/sign release.tar', 'on the machine with the key']],
} as const satisfies ScriptVerb;

export const activitySubmitHelp = {
  verb: 'activity-submit',
  usage:
    'svc activity-submit <name> [--requires <capability>]… [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  brief: 'run a command on any capable agent, without waiting',
  summary:
    'Submits a command to any agent with the given capabilities and does not wait; svc activity-collect <name> returns its result. Each name can be used once.',
  args: [NAME, COMMAND],
  flags: CHILD_FLAGS,
  exits: [['0', 'the child is submitted'], TAKEN],
  recorded: 'The submission of the child. The run does not end before its children.',
  examples: [['for i in 1 2 3; do svc activity-submit "part-$i" -- /opt/render "$i"; done', 'three at the same time']],
} as const satisfies ScriptVerb;

export const activityCollectHelp = {
  verb: 'activity-collect',
  usage: 'svc activity-collect <name>',
  brief: 'wait for a submitted child',
  summary: 'Waits for a submitted child, prints its output and exits with its exit code.',
  args: [NAME],
  exits: [["the child's code", 'its output is on standard output'], TAKEN],
  recorded: 'Exit code and standard output of the child.',
  examples: [['part=$(svc activity-collect part-1)', 'its output']],
} as const satisfies ScriptVerb;

export const activityWaitAllHelp = {
  verb: 'activity-wait-all',
  usage: 'svc activity-wait-all',
  brief: 'wait for all submitted children',
  summary: 'Waits for all children that were not collected, prints how many failed and exits with 0.',
  exits: [['0', 'the number of failed children is on standard output']],
  recorded: 'The number of failed children.',
  examples: [['failed=$(svc activity-wait-all); test "$failed" = 0', 'all of them must succeed']],
} as const satisfies ScriptVerb;

export const callHelp = {
  verb: 'call',
  usage:
    'svc call node <kind> --config <json> | svc call graph (<name> | --definition <file>|-) [--input <json>] | svc call function <name> [--input <json>]',
  brief: 'run a node, a graph or a function, and print its output',
  summary:
    "Submits a run of a node, a graph or a worker's function, waits for it without a process, and prints its output as JSON; exits with 1 if it fails. --config and --input take JSON, - for standard input or @file.",
  args: [
    { name: 'kind', summary: 'for a node: its type, e.g. http' },
    { name: 'name', summary: 'the name of a stored graph, or of a function that workers serve' },
  ],
  flags: {
    config: { type: 'string', value: '<json>', summary: 'the configuration of the node; -, @file' },
    definition: {
      type: 'string',
      value: '<file>',
      summary: 'a graph document instead of a name; - reads standard input',
    },
    input: { type: 'string', value: '<json>', summary: 'the input of the graph or function; -, @file' },
  },
  exits: [
    ['0', 'it succeeded; its output is on standard output as JSON'],
    ['1', 'it failed or was cancelled; the reason is on standard error'],
  ],
  recorded: 'The output. The called run has this run as its parent, and is cancelled with it.',
  examples: [
    [`svc call node http --config '{"url":"https://example.org/"}'`, "one request, with the project's credentials"],
    [`svc call graph nightly --input '{"day":"2026-11-21"}'`, 'a stored graph'],
    [`svc call function order --input '{"sku":"a1"}'`, 'a workflow that a worker serves'],
  ],
} as const satisfies ScriptVerb;

export const verbs = [activityHelp, activitySubmitHelp, activityCollectHelp, activityWaitAllHelp, callHelp];
