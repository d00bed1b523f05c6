import type { ScriptVerb } from './command.ts';
import { CliError, Exit } from './errors.ts';

const WHERE =
  'It is a verb of scripts: it works only in a script that is run by `svc submit <file>` or `svc run <file>`.';

export const verbHelp = ({ usage }: ScriptVerb): string => `usage: ${usage}\n\n${WHERE}\n`;

/** A script verb outside of a script, or without the agent socket; the same message as the verb client's. */
export const outsideOfARun = ({ verb }: ScriptVerb): CliError =>
  new CliError(
    Exit.failed,
    'not_in_a_script_run',
    `SVC_AGENT_SOCKET is not set: \`svc ${verb}\` works only in a script run, and not inside a step body`,
    'put it into a script and submit the script with `svc submit <file>`, or run the script here with `svc run <file>`',
  );
