import type { Argument, Command, Flag, Flags, ScriptVerb } from './command.ts';
import { commonFlags } from './flags.ts';

/** These headings come first in this order; others follow in order of appearance. */
const GROUPS = ['Run', 'Events', 'Look', 'React', 'Vault', 'Operate', 'Access', 'Shell'];
const UNGROUPED = 'More';

const argumentText = ({ name, optional, rest }: Argument) => {
  const text = `<${name}>${rest ? '...' : ''}`;
  return optional ? `[${text}]` : text;
};

export function usageLine(command: Command): string {
  const flags = Object.keys(command.flags ?? {}).length > 0 ? ' [flags]' : '';
  const words = command.words ? ` [-- <${command.words.name}>...]` : '';
  return `usage: svc ${[command.name, ...(command.args ?? []).map(argumentText)].join(' ')}${flags}${words}`;
}

export function columns(rows: readonly (readonly [string, string])[], indent = '  '): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}`).join('\n');
}

function flagRow([name, flag]: [string, Flag]): readonly [string, string] {
  const value =
    flag.type === 'boolean' ? '' : ` ${flag.value ?? (flag.choices ? flag.choices.join('|') : `<${name}>`)}`;
  const short = flag.short ? `-${flag.short}, ` : '';
  return [`${short}--${name}${value}`, `${flag.summary}${flag.many ? ' (may be repeated)' : ''}`];
}

/** A part of a manual, or none. */
const part = (title: string, lines: string): string[] => (lines === '' ? [] : [`${title}\n${lines}`]);

export const argumentsPart = (args: readonly Argument[] = []): string[] =>
  part('Arguments', columns(args.map((one) => [argumentText(one), one.summary] as const)));

export const flagsPart = (title: string, flags: Flags = {}): string[] =>
  part(title, columns(Object.entries(flags).map(flagRow)));

export const examplesPart = (examples: Command['examples'] = []): string[] =>
  part('Examples', examples.map(([text, says]) => `  # ${says}\n  ${text}`).join('\n'));

/** The help of one command is its manual page. */
export function commandHelp(command: Command): string {
  const parts = [
    `${command.summary}\n\n${usageLine(command)}`,
    ...(command.about ? [command.about] : []),
    ...argumentsPart(command.args),
    ...flagsPart('Flags', command.flags),
    ...flagsPart('Flags of every command', commonFlags(command)),
    ...examplesPart(command.examples),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function groupHelp(group: string, commands: readonly Command[]): string {
  return `svc ${group}\n\n${columns(commands.map((one) => [`svc ${one.name}`, one.summary] as const))}\n`;
}

/** `svc` alone. */
export const START = `svc: durable workflows in any language

  svc dev                      start a server, the console and an agent in this folder
  svc submit hello.sh --follow run a script and watch it
  svc runs ls                  what runs, waits and has ended
  svc logs <run-id>            what a run printed
  svc explain <run-id>         why a run waits or failed

\`svc help\` lists all commands, \`svc help <command>\` explains one.
`;

const briefOf = ({ verb, brief, summary = '' }: ScriptVerb) => [verb, brief ?? summary] as const;

export function overview(commands: readonly Command[], verbs: readonly ScriptVerb[]): string {
  const groups = new Map<string, Command[]>(GROUPS.map((title) => [title, []]));
  for (const command of commands) {
    const title = command.group ?? UNGROUPED;
    groups.set(title, [...(groups.get(title) ?? []), command]);
  }
  const sections = [...groups]
    .filter(([, own]) => own.length > 0)
    .map(([title, own]) => `${title}\n${columns(own.map((one) => [one.name, one.summary] as const))}`);
  const inScript = part('In a script', columns(verbs.map(briefOf).sort(([a], [b]) => (a < b ? -1 : 1))));
  const exits = 'Exit codes: 0 ok, 1 failed, 2 usage, 3 server unreachable, 4 not authenticated, 124 wait timed out.';
  return `svc: durable workflows in any language\n\n${[...sections, ...inScript].join('\n\n')}\n\n\`svc help <command>\` explains a command or a verb. ${exits}\n`;
}
