import type { ScriptVerb } from '../../../cli/contract.ts';

const NAME = { name: 'name', summary: 'the name of the child; one child of a script has it' } as const;
const COMMAND = { name: 'command', summary: 'a program of that machine and its arguments' } as const;
const CHILD_FLAGS = {
  requires: { type: 'string', value: '<capability>', many: true, summary: 'capability that the agent must have' },
  retry: { type: 'number', value: '<attempts>', summary: 'as of `svc step`; any capable agent makes the next attempt' },
  backoff: { type: 'string', value: '<duration>', summary: 'as of `svc step`' },
  'max-backoff': { type: 'string', value: '<duration>', summary: 'as of `svc step`' },
  timeout: { type: 'string', value: '<duration>', summary: 'as of `svc step`: the time of each attempt' },
} as const;
const TAKEN = ['2', 'the name is taken, or there is no child of it; the journal records that too'] as const;

/** The help of this plugin's verbs for the CLI. */
export const activityHelp = {
  verb: 'activity',
  usage:
    'svc activity <name> [--requires <capability>]… [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  brief: 'run a command on any capable agent, and wait for it',
  summary:
    'Runs a command on any agent with the given capabilities, in that agent’s working directory, and returns its output and exit code. Meanwhile the run waits without a process.',
  args: [NAME, COMMAND],
  flags: CHILD_FLAGS,
  exits: [
    ['the code of the command', '124 after --timeout, 127 where there is no such command, 128 + n after signal n'],
    ['1', 'it printed more than 2 MiB, or its agents were lost 25 times'],
    TAKEN,
  ],
  recorded: 'Exit code and standard output, up to 2 MiB, when the child has ended.',
  examples: [['svc activity sign --requires signing -- /opt/sign release.tar', 'on the machine that has the key']],
} as const satisfies ScriptVerb;

export const activitySubmitHelp = {
  verb: 'activity-submit',
  usage:
    'svc activity-submit <name> [--requires <capability>]… [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  brief: 'run a command on any capable agent, and go on',
  summary:
    'Submits a command to any agent with the given capabilities and does not wait; svc activity-collect <name> returns its result. Each name can be used once.',
  args: [NAME, COMMAND],
  flags: CHILD_FLAGS,
  exits: [['0', 'it is submitted'], TAKEN],
  recorded: 'That it is submitted. The run does not end before its children.',
  examples: [['for i in 1 2 3; do svc activity-submit "part-$i" -- /opt/render "$i"; done', 'three at the same time']],
} as const satisfies ScriptVerb;

export const activityCollectHelp = {
  verb: 'activity-collect',
  usage: 'svc activity-collect <name>',
  brief: 'wait for a child that was submitted',
  summary: 'Waits for a child that was submitted, prints its output and exits with its exit code.',
  args: [NAME],
  exits: [['the code of the child', 'with what it printed on standard output'], TAKEN],
  recorded: 'Exit code and standard output of the child.',
  examples: [['part=$(svc activity-collect part-1)', 'what it printed']],
} as const satisfies ScriptVerb;

export const activityWaitAllHelp = {
  verb: 'activity-wait-all',
  usage: 'svc activity-wait-all',
  brief: 'wait for all children that were submitted',
  summary: 'Waits for all children that were submitted and not collected, prints how many of them failed and exits 0.',
  exits: [['0', 'the number of those that failed is on standard output']],
  recorded: 'That number.',
  examples: [['failed=$(svc activity-wait-all); test "$failed" = 0', 'all of them must succeed']],
} as const satisfies ScriptVerb;

export const callHelp = {
  verb: 'call',
  usage: 'svc call node <kind> --config <json> | svc call graph (<name> | --definition <file>|-) [--input <json>]',
  brief: 'run a node or a graph, and print its output',
  summary:
    'Submits a run of a node or a graph, waits for it without a process, and prints its output as JSON; exits 1 if it fails. --config and --input take JSON, - for standard input or @file.',
  args: [
    { name: 'kind', summary: 'of a node: its type, e.g. http' },
    { name: 'name', summary: 'of a graph: the name of a stored one' },
  ],
  flags: {
    config: { type: 'string', value: '<json>', summary: 'the configuration of the node; -, @file' },
    definition: {
      type: 'string',
      value: '<file>',
      summary: 'a graph document instead of a name; - reads standard input',
    },
    input: { type: 'string', value: '<json>', summary: 'the input of the graph; -, @file' },
  },
  exits: [
    ['0', 'it succeeded; its output is on standard output as JSON'],
    ['1', 'it failed, or was cancelled; the reason is on standard error'],
  ],
  recorded: 'The output. The run that is called has this one as its parent, and is cancelled with it.',
  examples: [
    [
      `svc call node http --config '{"url":"https://example.org/"}'`,
      'one request, with the credentials of the project',
    ],
    [`svc call graph nightly --input '{"day":"2026-11-21"}'`, 'a stored graph'],
  ],
} as const satisfies ScriptVerb;

export const verbs = [activityHelp, activitySubmitHelp, activityCollectHelp, activityWaitAllHelp, callHelp];
