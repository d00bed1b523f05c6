import type { Client } from '../client/client.ts';
import type { Command, Invocation, OfferedWord } from '../command.ts';
import { commonFlags } from '../flags.ts';
import type { Whoami } from '../generated/api.ts';
import { cellsOf } from '../output/columns.ts';
import { Output } from '../output/output.ts';
import { wholeRunIds } from '../run-ids.ts';
import type { Given, Value } from './place.ts';

export type Offered = OfferedWord;

/** Who can be asked. */
export interface Asked {
  commands: readonly Command[];
  client: () => Promise<Client>;
  env: Invocation['env'];
}

/** More does not fit on a screen. */
const MOST = 100;
/** Nobody waits longer for a word. */
export const PATIENCE_MS = 1000;

/** What may stand there; `files` when it is a file, or nobody knows. */
export async function valuesOf(
  command: Command,
  value: Value,
  given: Given,
  asked: Asked,
): Promise<Offered[] | 'files'> {
  const choices = value.choices ?? writtenChoices(value);
  if (choices.length > 0) return choices.map((word) => ({ word }));
  if (isFile(value)) return 'files';
  const own = await ownValues(command, value, asked);
  if (own) return own;
  if ('offers' in value && value.offers) {
    const { words } = await value.offers();
    const { args } = await wholeRunIds(command, given, asked);
    return [...(await words(await asked.client(), args))];
  }
  const list = listOf(command, value, asked.commands);
  if (!list) return 'flag' in value ? [] : 'files';
  return [
    ...(value.run === true ? [{ word: '@last', says: 'the run that you submitted last' }] : []),
    ...(await itemsOf(list, command, given, asked)),
  ];
}

/** `last|all|<n>` has two. */
const writtenChoices = (value: Value): string[] =>
  'flag' in value ? (value.value ?? '').split('|').filter((word) => /^[a-z][a-z-]*$/.test(word)) : [];

const isFile = (value: Value): boolean =>
  'flag' in value
    ? /file|folder/.test(value.value ?? '')
    : ['file', 'folder'].includes(value.name) || (value.name === 'path' && value.rest === true);

/** What no list of the server holds. */
async function ownValues(command: Command, value: Value, { env, client }: Asked): Promise<Offered[] | undefined> {
  if (command.name === 'errors') {
    const { codes } = await import('../commands/errors.ts');
    return codes().map(([word, , says]) => ({ word, says }));
  }
  if (!('flag' in value)) return undefined;
  if (value.flag === 'profile') {
    const { profileNames } = await import('../client/profile-path.ts');
    return (await profileNames(env)).map((word) => ({ word }));
  }
  if (!(value.flag in commonFlags(command)) || (value.flag !== 'org' && value.flag !== 'project')) return undefined;
  const api = await client();
  const { orgs } = await api.json<Whoami>({ path: '/api/v1/whoami', ...bounded() });
  if (value.flag === 'org') return orgs.map(({ org: word, role: says }) => ({ word, says }));
  const projects = orgs.find(({ org }) => org === api.profile.org)?.projects ?? [];
  return projects.map(({ project: word, role: says }) => ({ word, says }));
}

const bounded = () => ({ idle_ms: PATIENCE_MS, signal: AbortSignal.timeout(PATIENCE_MS) });

/** The command that lists what the value may be: the one it names, `runs ls`, or that of its noun with a column of its name. */
function listOf(command: Command, value: Value, commands: readonly Command[]): Command | undefined {
  const called = (name: string) => commands.find((one) => one.name === name && one.lists);
  if (value.from !== undefined) return called(value.from);
  if (value.run === true) return called('runs ls');
  if ('flag' in value) return [`${value.flag} ls`, `${value.flag}s ls`].map(called).find((one) => one !== undefined);
  const noun = command.name.split(' ')[0];
  const member = value.name.toLowerCase().replaceAll('-', '_');
  return commands.find(
    ({ name, lists }) =>
      name.startsWith(`${noun} `) && lists && [member, member.replace(/_id$/, '')].includes(lists.key),
  );
}

async function itemsOf({ lists }: Command, command: Command, given: Given, { client, env }: Asked): Promise<Offered[]> {
  if (!lists) return [];
  const api = await client();
  const path = lists.path(api, (await wholeRunIds(command, given, { client, env })) as Invocation);
  const page = await api.json<Record<string, unknown>>({ path, query: { limit: MOST }, ...bounded() });
  const output = new Output(process, { json: false, colour: false, time: 'relative' });
  return (page[lists.member] as Record<string, unknown>[]).map((one) => ({
    word: String(one[lists.key]),
    says: cellsOf(lists.columns, one, output)
      .slice(1, 3)
      .filter((cell) => cell !== '')
      .join(' '),
  }));
}
