import type { Client } from '../client/client.ts';
import type { Command, Invocation, Suggestion } from '../command.ts';
import { commonFlags } from '../flags.ts';
import type { Whoami } from '../generated/api.ts';
import { formatCells } from '../output/columns.ts';
import { Output } from '../output/output.ts';
import { resolveRunIds } from '../run-ids.ts';
import type { ParsedWords, Value } from './target.ts';

export type Offered = Suggestion;

/** What values are completed from. */
export interface CompletionContext {
  commands: readonly Command[];
  client: () => Promise<Client>;
  env: Invocation['env'];
}

/** More does not fit on a screen. */
const MAX_ITEMS = 100;
/** How long a completion may take. */
export const PATIENCE_MS = 1000;

/** Returns the possible values, or `files` when the value is a file or nothing is known about it. */
export async function suggestValues(
  command: Command,
  value: Value,
  parsed: ParsedWords,
  context: CompletionContext,
): Promise<Offered[] | 'files'> {
  const choices = value.choices ?? placeholderChoices(value);
  if (choices.length > 0) return choices.map((word) => ({ word }));
  if (isFile(value)) return 'files';
  const values = await localValues(command, value, context);
  if (values) return values;
  if ('complete' in value && value.complete) {
    const { words } = await value.complete();
    const { args } = await resolveRunIds(command, parsed, context);
    return [...(await words(await context.client(), args))];
  }
  const list = findListCommand(command, value, context.commands);
  if (!list) return 'flag' in value ? [] : 'files';
  return [
    ...(value.run === true ? [{ word: '@last', description: 'your most recently submitted run' }] : []),
    ...(await listItems(list, command, parsed, context)),
  ];
}

/** Reads the constants of a placeholder: `last|all|<n>` has two. */
const placeholderChoices = (value: Value): string[] =>
  'flag' in value ? (value.value ?? '').split('|').filter((word) => /^[a-z][a-z-]*$/.test(word)) : [];

const isFile = (value: Value): boolean =>
  'flag' in value
    ? /file|folder/.test(value.value ?? '')
    : ['file', 'folder'].includes(value.name) || (value.name === 'path' && value.rest === true);

/** Returns values that come from no list of the server. */
async function localValues(
  command: Command,
  value: Value,
  { env, client }: CompletionContext,
): Promise<Offered[] | undefined> {
  if (command.name === 'errors') {
    const { errorCodes: codes } = await import('../commands/errors.ts');
    return codes().map(([word, , description]) => ({ word, description }));
  }
  if (!('flag' in value)) return undefined;
  if (value.flag === 'profile') {
    const { profileNames } = await import('../client/profile-path.ts');
    return (await profileNames(env)).map((word) => ({ word }));
  }
  if (!(value.flag in commonFlags(command)) || (value.flag !== 'org' && value.flag !== 'project')) return undefined;
  const api = await client();
  const { orgs } = await api.json<Whoami>({ path: '/api/v1/whoami', ...requestLimits() });
  if (value.flag === 'org') return orgs.map(({ org: word, role: description }) => ({ word, description }));
  const projects = orgs.find(({ org }) => org === api.profile.org)?.projects ?? [];
  return projects.map(({ project: word, role: description }) => ({ word, description }));
}

/** The limits of a request, because a shell is waiting. */
export const requestLimits = () => ({ idle_ms: PATIENCE_MS, signal: AbortSignal.timeout(PATIENCE_MS) });

/**
 * Finds the command that lists the possible values: the one in `from`, `runs ls` for runs, or one of the same noun whose
 * first column has the name of the argument.
 */
function findListCommand(command: Command, value: Value, commands: readonly Command[]): Command | undefined {
  const findList = (name: string) => commands.find((one) => one.name === name && one.lists);
  if (value.from !== undefined) return findList(value.from);
  if (value.run === true) return findList('runs ls');
  if ('flag' in value) return [`${value.flag} ls`, `${value.flag}s ls`].map(findList).find((one) => one !== undefined);
  const noun = command.name.split(' ')[0];
  const member = value.name.toLowerCase().replaceAll('-', '_');
  return commands.find(
    ({ name, lists }) =>
      name.startsWith(`${noun} `) && lists && [member, member.replace(/_id$/, '')].includes(lists.key),
  );
}

async function listItems(
  { lists }: Command,
  command: Command,
  parsed: ParsedWords,
  { client, env }: CompletionContext,
): Promise<Offered[]> {
  if (!lists) return [];
  const api = await client();
  const path = lists.path(api, (await resolveRunIds(command, parsed, { client, env })) as Invocation);
  const page = await api.json<Record<string, unknown>>({ path, query: { limit: MAX_ITEMS }, ...requestLimits() });
  const output = new Output(process, { json: false, colour: false, time: 'relative' });
  return (page[lists.member] as Record<string, unknown>[]).map((item) => ({
    word: String(item[lists.key]),
    description: formatCells(lists.columns, item, output)
      .slice(1, 3)
      .filter((cell) => cell !== '')
      .join(' '),
  }));
}
