import { CliError, Exit } from './command.ts';

/** What scripts say beside the commands, and the command line only explains. `emit` is both. */
export const SCRIPT_VERBS: Readonly<Record<string, string>> = {
  step: 'svc step <name> [--label <text>] -- <command> [<argument>…]',
  sleep: 'svc sleep <duration>',
  'wait-signal': 'svc wait-signal <name> [--timeout <duration>]',
  'wait-event': 'svc wait-event <type> [--timeout <duration>]',
  lock: 'svc lock <group> [--timeout <duration>] [--fence] [-- <command> [<argument>…]]',
  activity: 'svc activity <name> [--requires <capability>]… -- <command> [<argument>…]',
  'activity-submit': 'svc activity-submit <name> [--requires <capability>]… -- <command> [<argument>…]',
  'activity-collect': 'svc activity-collect <name>',
  'activity-wait-all': 'svc activity-wait-all',
  spawn: 'svc spawn <file>|- [--as pipeline|script] [--tag <tag>]…',
  output: 'svc output set <key>=<text>|<key>:=<json>…',
  annotate: 'svc annotate <markdown>|-',
};

const WHERE =
  'It is a verb of scripts: it works only in a script that is run by `svc submit <file>` or `svc run <file>`.';

export const isScriptVerb = (word: string): boolean => Object.hasOwn(SCRIPT_VERBS, word);

export const verbHelp = (verb: string): string => `usage: ${SCRIPT_VERBS[verb]}\n\n${WHERE}\n`;

/** A verb outside of a script, or where the agent socket was taken from its environment; as the verb client says it. */
export const outsideOfARun = (verb: string): CliError =>
  new CliError(
    Exit.failed,
    'not_in_a_script_run',
    `SVC_AGENT_SOCKET is not set: \`svc ${verb}\` works only in a script run, and not inside a step body`,
    'put it into a script and submit that with `svc submit <file>`, or run it here with `svc run <file>`',
  );
