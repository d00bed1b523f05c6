import type { ScriptVerb } from './command.ts';
import { CliError, Exit } from './errors.ts';
import { argumentsPart, columns, examplesPart, flagsPart } from './help.ts';

const WHERE =
  'It is a verb of scripts: it works only in a script that is run by `svc submit <file>` or `svc run <file>`.';

const WRONG: readonly [string, string] = ['2', 'it was called in a wrong way; nothing is recorded'];

/** The manual of a verb that no command has the name of. */
export const verbHelp = (verb: ScriptVerb): string => manual(verb, [WHERE]);

/** The manual of a verb below that of the command of its name. */
export const alsoVerbHelp = (verb: ScriptVerb): string => `\nIn a script: svc ${verb.verb}\n\n${manual(verb, [])}`;

function manual({ usage, summary, args, flags, exits, recorded, examples }: ScriptVerb, where: string[]): string {
  const codes = exits && [...exits, ...(exits.some(([code]) => code === '2') ? [] : [WRONG])];
  const parts = [
    `usage: ${usage}`,
    ...(summary === undefined ? [] : [wrapped(summary)]),
    ...where,
    ...argumentsPart(args),
    ...flagsPart('Flags', flags),
    ...(codes ? [`Exit codes\n${columns(codes)}`] : []),
    ...(recorded === undefined ? [] : [`What is recorded\n  ${wrapped(recorded).replaceAll('\n', '\n  ')}`]),
    ...examplesPart(examples),
  ];
  return `${parts.join('\n\n')}\n`;
}

const WIDTH = 110;

/** Lines of a width that is easy to read. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!;
    if (line !== '' && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

/** A script verb outside of a script, or without the agent socket; the same message as the verb client's. */
export const outsideOfARun = ({ verb }: ScriptVerb): CliError =>
  new CliError(
    Exit.failed,
    'not_in_a_script_run',
    `SVC_AGENT_SOCKET is not set: \`svc ${verb}\` works only in a script run, and not inside a step body`,
    'put it into a script and submit the script with `svc submit <file>`, or run the script here with `svc run <file>`',
  );
