/** The help of this plugin's verbs for the CLI. */
export const activityHelp = {
  verb: 'activity',
  usage:
    'svc activity <name> [--requires <capability>]… [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  summary:
    'Runs a command on any agent with the given capabilities, in that agent’s working directory, and returns its output and exit code. Meanwhile the run waits without a process.',
};

export const activitySubmitHelp = {
  verb: 'activity-submit',
  usage:
    'svc activity-submit <name> [--requires <capability>]… [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  summary:
    'Submits a command to any agent with the given capabilities and does not wait; svc activity-collect <name> returns its result. Each name can be used once.',
};

export const activityCollectHelp = {
  verb: 'activity-collect',
  usage: 'svc activity-collect <name>',
  summary: 'Waits for a child that was submitted, prints its output and exits with its exit code.',
};

export const activityWaitAllHelp = {
  verb: 'activity-wait-all',
  usage: 'svc activity-wait-all',
  summary: 'Waits for all children that were submitted and not collected, prints how many of them failed and exits 0.',
};

export const callHelp = {
  verb: 'call',
  usage: 'svc call node <kind> --config <json> | svc call graph (<name> | --definition <file>|-) [--input <json>]',
  summary:
    'Submits a run of a node or a graph, waits for it without a process, and prints its output as JSON; exits 1 if it fails. --config and --input take JSON, - for standard input or @file.',
};

export const verbs = [activityHelp, activitySubmitHelp, activityCollectHelp, activityWaitAllHelp, callHelp];
