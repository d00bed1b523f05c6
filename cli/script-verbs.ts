import type { ScriptVerb } from './command.ts';
import { CliError, Exit } from './errors.ts';
import { argumentsSection, alignColumns, examplesSection, flagsSection } from './help.ts';

const WHERE = 'It is a script verb: it works only in a script that is run by `svc submit <file>` or `svc run <file>`.';

const USAGE_EXIT: readonly [string, string] = ['2', 'the call was invalid; nothing is recorded'];

/** Renders the manual of a verb that is not also a command. */
export const verbHelp = (verb: ScriptVerb): string => manual(verb, [WHERE]);

/** Renders the manual of a verb below that of the command with the same name. */
export const verbSection = (verb: ScriptVerb): string => `\nIn a script: svc ${verb.verb}\n\n${manual(verb, [])}`;

function manual({ usage, summary, args, flags, exits, recorded, examples }: ScriptVerb, where: string[]): string {
  const codes = exits && [...exits, ...(exits.some(([code]) => code === '2') ? [] : [USAGE_EXIT])];
  const sections = [
    `usage: ${usage}`,
    ...(summary === undefined ? [] : [wrapText(summary)]),
    ...where,
    ...argumentsSection(args),
    ...flagsSection('Flags', flags),
    ...(codes ? [`Exit codes\n${alignColumns(codes)}`] : []),
    ...(recorded === undefined ? [] : [`What is recorded\n  ${wrapText(recorded).replaceAll('\n', '\n  ')}`]),
    ...examplesSection(examples),
  ];
  return `${sections.join('\n\n')}\n`;
}

const WIDTH = 110;

/** Wraps text into lines of a width that is easy to read. */
function wrapText(text: string): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!;
    if (line !== '' && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

/** The error for a verb that is called outside of a script. The native client of verbs prints the same message. */
export const notInScript = ({ verb }: ScriptVerb): CliError =>
  new CliError(
    Exit.failed,
    'not_in_a_script_run',
    `SVC_AGENT_SOCKET is not set: \`svc ${verb}\` works only in a script run, and not inside a step body`,
    'put it into a script and submit the script with `svc submit <file>`, or run the script here with `svc run <file>`',
  );
