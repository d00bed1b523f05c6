import type { Argument, Command, Flag, Flags, ScriptVerb } from './command.ts';
import { commonFlags } from './flags.ts';

/** These headings come first, in this order. Others follow in order of appearance. */
const GROUPS = ['Run', 'Look', 'Graphs', 'Events', 'React', 'Vault', 'Connect', 'Operate', 'Access', 'Shell'];
const UNGROUPED = 'More';

export const argumentText = ({ name, optional, rest }: Argument) => {
  const text = `<${name}>${rest ? '...' : ''}`;
  return optional ? `[${text}]` : text;
};

export function usageLine(command: Command): string {
  const flags = Object.keys(command.flags ?? {}).length > 0 ? ' [flags]' : '';
  const words = command.words ? ` [-- <${command.words.name}>...]` : '';
  return `usage: svc ${[command.name, ...(command.args ?? []).map(argumentText)].join(' ')}${flags}${words}`;
}

export function alignColumns(rows: readonly (readonly [string, string])[], indent = '  '): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}`).join('\n');
}

export function flagText(name: string, flag: Flag): string {
  const value =
    flag.type === 'boolean' ? '' : ` ${flag.value ?? (flag.choices ? flag.choices.join('|') : `<${name}>`)}`;
  const short = flag.short ? `-${flag.short}, ` : '';
  return `${short}--${name}${value}`;
}

export const flagMeaning = ({ summary, many }: Flag): string => `${summary}${many ? ' (can be repeated)' : ''}`;

/** A section of a manual; none when it would be empty. */
const section = (title: string, lines: string): string[] => (lines === '' ? [] : [`${title}\n${lines}`]);

export const argumentsSection = (args: readonly Argument[] = []): string[] =>
  section('Arguments', alignColumns(args.map((one) => [argumentText(one), one.summary] as const)));

export const flagsSection = (title: string, flags: Flags = {}): string[] =>
  section(
    title,
    alignColumns(Object.entries(flags).map(([name, flag]) => [flagText(name, flag), flagMeaning(flag)] as const)),
  );

export const examplesSection = (examples: Command['examples'] = []): string[] =>
  section('Examples', examples.map(([text, comment]) => `  # ${comment}\n  ${text}`).join('\n'));

/** Renders the manual page of a command. */
export function commandHelp(command: Command): string {
  const sections = [
    `${command.summary}\n\n${usageLine(command)}`,
    ...(command.description ? [command.description] : []),
    ...argumentsSection(command.args),
    ...flagsSection('Flags', command.flags),
    ...flagsSection('Global flags', commonFlags(command)),
    ...examplesSection(command.examples),
  ];
  return `${sections.join('\n\n')}\n`;
}

export function groupHelp(group: string, commands: readonly Command[]): string {
  return `svc ${group}\n\n${alignColumns(commands.map((one) => [`svc ${one.name}`, one.summary] as const))}\n`;
}

/** What `svc` prints without arguments. */
export const START = `svc: durable workflows in any language

  svc dev                       start a server, the console and an agent in this folder
  svc submit hello.sh --follow  run a script and watch it
  svc runs ls                   list runs
  svc logs <run-id>             print the log of a run
  svc explain <run-id>          explain why a run is waiting or has failed

\`svc help\` shows more commands; \`svc help <command>\` explains one.
`;

const EXITS = 'Exit codes: 0 ok, 1 failed, 2 usage, 3 server unreachable, 4 not authenticated, 124 wait timed out.';

/** `svc help`: what people need, in the order in which they need it. */
export const GUIDE = `svc: durable workflows in any language

Start    svc dev                       start a server, the console and an agent in this folder
         svc run hello.sh              run a workflow here, without a server
         svc check hello.sh            find problems without running it
         svc submit hello.sh --follow  run it on the server and watch it
Watch    svc runs ls                   list runs, newest first
         svc logs <run-id> --follow    print the log of a run
         svc explain <run-id>          explain why a run is waiting or has failed, and what to do
Act      svc signal <run-id> <name>    send a signal to a run that waits for it
         svc cancel <run-id>           cancel a run
         svc rerun <run-id>            run a finished run again
React    svc handler set <name> <file> run a workflow for events
         svc schedule set              run a workflow on a schedule
         svc webhook set               run a workflow on pushes to a repository
Store    svc secret set <name> -       store a secret; svc credential set stores a credential
Share    svc login --url <server>      log in to a server; svc member set adds people
Operate  svc serve, svc agent          start a server or an agent; svc doctor checks them

More     svc help workflows | inspect | triggers | vault | servers | access | verbs | all
\`svc help <command>\` explains a command or a verb; \`svc errors <code>\` explains an error.
${EXITS}
`;

/** Topics of `svc help <topic>`: headings of the overview. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  workflows: ['Run', 'Graphs'],
  inspect: ['Look'],
  triggers: ['Events', 'React'],
  vault: ['Vault', 'Connect'],
  servers: ['Operate'],
  access: ['Access', 'Shell', UNGROUPED],
  verbs: [],
};

const briefOf = ({ verb, brief, summary = '' }: ScriptVerb) => [verb, brief ?? summary] as const;

function sectionsOf(commands: readonly Command[]): [title: string, text: string][] {
  const groups = new Map<string, Command[]>(GROUPS.map((title) => [title, []]));
  for (const command of commands) {
    const title = command.group ?? UNGROUPED;
    groups.set(title, [...(groups.get(title) ?? []), command]);
  }
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => [
      title,
      `${title}\n${alignColumns(members.map((one) => [one.name, one.summary] as const))}`,
    ]);
}

const verbsSection = (verbs: readonly ScriptVerb[]): string[] =>
  section('In a script', alignColumns(verbs.map(briefOf).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Every command and verb. */
export function overview(commands: readonly Command[], verbs: readonly ScriptVerb[]): string {
  const sections = sectionsOf(commands).map(([, text]) => text);
  const parts = [...sections, ...verbsSection(verbs)].join('\n\n');
  return `svc: durable workflows in any language\n\n${parts}\n\n\`svc help <command>\` explains a command or a verb. ${EXITS}\n`;
}

/** The commands of a topic, or all of them; undefined for a word that is not a topic. */
export function topicHelp(
  word: string,
  commands: readonly Command[],
  verbs: readonly ScriptVerb[],
): string | undefined {
  if (word === 'all') return overview(commands, verbs);
  const titles = Object.hasOwn(TOPICS, word) ? TOPICS[word] : undefined;
  if (titles === undefined) return undefined;
  // A plugin can have a heading of its own, which belongs to no topic.
  const topic_titles = new Set(Object.values(TOPICS).flat());
  const sections = sectionsOf(commands)
    .filter(([title]) => titles.includes(topic_titles.has(title) ? title : UNGROUPED))
    .map(([, text]) => text);
  return `${[...sections, ...(word === 'verbs' ? verbsSection(verbs) : [])].join('\n\n')}\n`;
}
