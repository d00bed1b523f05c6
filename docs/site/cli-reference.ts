import type { Argument, Command, Flags, ScriptVerb } from '../../cli/command.ts';
import { commonFlags } from '../../cli/flags.ts';
import { argumentText, flagText, flagMeaning, usageLine } from '../../cli/help.ts';
import { loadCommands, loadVerbs } from '../../cli/tables.ts';
import { anchorOf } from './anchors.ts';
import type { Page } from './pages.ts';
import { cell, code, joined, plain, table } from './text.ts';

/** The pages of the reference: headings of `svc help all`, with a title and the sentence that the page begins with. */
const PAGES: readonly (readonly [path: string, title: string, groups: readonly string[], about: string])[] = [
  ['run', 'Run and change runs', ['Run'], 'Start workflows, and change runs that exist.'],
  ['inspect', 'Inspect runs', ['Look'], 'See what runs do, why they wait, and what they have printed.'],
  ['graphs', 'Graphs and expressions', ['Graphs'], 'Store, compare and publish graphs.'],
  ['events', 'Events', ['Events'], 'Emit events and look at them.'],
  ['triggers', 'Handlers, hooks and schedules', ['React'], 'Start runs when something happens.'],
  ['vault', 'Secrets, credentials and accounts', ['Vault'], 'Store values that jobs use and nobody reads.'],
  ['connectors', 'Connectors', ['Connect'], 'Find, check and try connectors.'],
  ['operate', 'Servers and agents', ['Operate'], 'Start servers and agents, check them, and back them up.'],
  ['access', 'People, tokens and profiles', ['Access', 'Shell'], 'Sign in, and decide who may do what.'],
];

const argumentRows = (args: readonly Argument[] = []) =>
  args.map((one) => [code(argumentText(one)), cell(one.summary)]);

const flagRows = (flags: Flags = {}) =>
  Object.entries(flags).map(([name, flag]) => [
    code(flagText(name, flag)).replaceAll('|', String.raw`\|`),
    cell(flagMeaning(flag)),
  ]);

const examplesOf = (examples: Command['examples'] = []): string =>
  examples.length === 0
    ? ''
    : `\`\`\`sh\n${examples.map(([command, says]) => `# ${says}\n${command}`).join('\n\n')}\n\`\`\``;

const sentence = (text: string): string => {
  const [first = '', ...rest] = plain(text);
  return `${first.toUpperCase()}${rest.join('')}${/[.!?]$/.test(text) ? '' : '.'}`;
};

const commandSection = (command: Command): string =>
  joined(
    `## svc ${command.name}`,
    sentence(command.summary),
    `\`\`\`txt\n${usageLine(command).replace(/^usage: /, '')}\n\`\`\``,
    command.description === undefined ? '' : plain(command.description),
    table(['Argument or flag', 'Meaning'], [...argumentRows(command.args), ...flagRows(command.flags)]),
    examplesOf(command.examples),
  );

const verbSection = ({ verb, usage, summary, brief, args, flags, exits, recorded, examples }: ScriptVerb): string =>
  joined(
    `## svc ${verb}`,
    summary === undefined ? sentence(brief ?? '') : plain(summary),
    `\`\`\`txt\n${usage}\n\`\`\``,
    table(['Argument or flag', 'Meaning'], [...argumentRows(args), ...flagRows(flags)]),
    exits &&
      table(
        ['Exit code', 'Meaning'],
        exits.map(([exit, meaning]) => [exit, cell(meaning)]),
      ),
    recorded === undefined ? '' : `**Recorded:** ${plain(recorded)}`,
    examplesOf(examples),
  );

const byName =
  <T>(name: (one: T) => string) =>
  (one: T, other: T) =>
    name(one) < name(other) ? -1 : 1;

/** One page for each heading of the help, and one for the verbs of scripts. */
export async function cliPages(): Promise<Page[]> {
  const commands = await loadCommands({});
  const verbs = (await loadVerbs({})).toSorted(byName(({ verb }) => verb));
  const known = new Set(PAGES.flatMap(([, , groups]) => groups));
  const pages = PAGES.map(([name, title, groups, about]): Page => {
    const own = commands.filter(({ group = '' }) => groups.includes(known.has(group) ? group : 'Shell'));
    return {
      path: `cli/${name}`,
      group: 'Commands',
      title,
      markdown: joined(
        `# ${title}`,
        about,
        table(
          ['Command', 'What it does'],
          own.map((one) => [`[${code(`svc ${one.name}`)}](#${anchorOf(`svc ${one.name}`)})`, cell(one.summary)]),
        ),
        'The flags that every command accepts are [on the page of the verbs](/cli/verbs#global-flags).',
        ...own.map(commandSection),
      ),
    };
  });
  const [sample] = commands.filter(({ anywhere }) => !anywhere);
  const verbPage: Page = {
    path: 'cli/verbs',
    group: 'Commands',
    title: 'Verbs of scripts',
    markdown: joined(
      '# Verbs of scripts',
      'Look up what a script can call, what each call prints and records, and how it exits. These work only inside a run.',
      table(
        ['Verb', 'What it does'],
        verbs.map(({ verb, brief, summary = '' }) => [
          `[${code(`svc ${verb}`)}](#${anchorOf(`svc ${verb}`)})`,
          cell(brief ?? summary),
        ]),
      ),
      ...verbs.map(verbSection),
      '## Global flags',
      table(['Flag', 'Meaning'], flagRows(commonFlags(sample!))),
    ),
  };
  return [verbPage, ...pages];
}
