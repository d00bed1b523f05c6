import type { Call, Client } from './client/client.ts';
import type { Argument, Command, Flags, FlagValues, Invocation, Listed, Run } from './command.ts';
import { cellsOf, type Columns, described } from './output/columns.ts';
import { allPages, firstFound, PAGE_FLAGS } from './pages.ts';

/** A command made from a description. With `load` it has its own code instead. */
type Described = Omit<Command, 'load'> & Partial<Pick<Command, 'load'>>;

/** Its API path: relative to the project, unless it begins with `/api/`; or a function. */
type Path = string | ((client: Client, invocation: Invocation) => string);

const pathOf = (path: Path, client: Client, invocation: Invocation): string =>
  typeof path === 'function' ? path(client, invocation) : path.startsWith('/api/') ? path : client.scoped(path);

/** The path of the item that the first argument names. */
export const namedPath = (path: Path): Path => {
  return (client, invocation) => `${pathOf(path, client, invocation)}/${encodeURIComponent(invocation.args[0] ?? '')}`;
};

const camel = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The given flags under their API names: `event_type` for `--event-type`. */
export function givenFlags(flags: FlagValues, names: Flags): Record<string, unknown> {
  const given = Object.keys(names).map((name) => [name.replaceAll('-', '_'), flags[camel(name)]] as const);
  return Object.fromEntries(
    given.filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false)),
  );
}

export interface ListDescription<T> extends Described {
  path: Path;
  /** The member of the answer that holds the list. */
  member: string;
  columns: Columns<T>;
  /** Filter flags. With them the list is read with a limit, otherwise completely. */
  filters?: Flags;
  /** Converts each item of the API's answer before it is shown. */
  shown?: (one: T) => T;
  /** Printed to standard error after the table. */
  note?: (answer: Readonly<Record<string, unknown>>) => string | undefined;
}

/** A command that lists items in a table. */
export function listCommand<T>(description: ListDescription<T>): Command {
  const { path, member, columns, filters, shown, note, ...command } = description;
  const selects = filters && { ...filters, ...PAGE_FLAGS };
  const run: Run = async (invocation) => {
    const { flags, output } = invocation;
    const api = await invocation.client();
    const where = pathOf(path, api, invocation);
    const answer = selects
      ? await firstFound(api, where, member, givenFlags(flags, selects) as Call['query'])
      : await allPages(api, where, member);
    if (shown) answer[member] = (answer[member] as T[]).map(shown);
    output.data(answer, () => {
      const rows = (answer[member] as T[]).map((one) => cellsOf(columns, one, output));
      return rows.length > 0 ? output.table(Object.keys(columns), rows) : '';
    });
    if ((answer[member] as T[]).length === 0) output.none(member.replaceAll('_', ' '));
    const said = note?.(answer);
    if (said !== undefined) output.note(said);
    if (answer.next_cursor !== undefined) output.note(`more: --cursor ${String(answer.next_cursor)}`);
    return undefined;
  };
  const lists = listed({ path, member, columns: columns as Columns<unknown> as Columns<Record<string, unknown>> });
  return { load: async () => ({ run }), ...command, lists, flags: { ...command.flags, ...selects } };
}

/** What completion can offer of a list: its first column, if that is a member. */
function listed({ path, ...list }: Omit<Listed, 'key' | 'path'> & { path: Path }): Listed | undefined {
  const [key] = Object.values(list.columns);
  if (typeof key !== 'string') return undefined;
  return { ...list, key, path: (client, invocation) => pathOf(path, client, invocation) };
}

export interface ShowDescription<T> extends Described {
  path: Path;
  columns: Columns<T>;
}

/** A command that shows one item: a line for each column with a value. */
export function showCommand<T>({ path, columns, ...command }: ShowDescription<T>): Command {
  const run: Run = async (invocation) => {
    const api = await invocation.client();
    const one = await api.json<T & Warned>({ path: pathOf(path, api, invocation) });
    invocation.output.data(one, () => described(columns, one, invocation.output));
    noteWarnings(one, invocation);
    return undefined;
  };
  return { load: async () => ({ run }), ...command };
}

export interface RemoveDescription extends Described {
  path: Path;
  /** Printed on success. */
  said: (invocation: Invocation, client: Client) => string;
}

/** A command that removes one item. It prints warnings of the server and a confirmation. */
export function removeCommand({ path, said, ...command }: RemoveDescription): Command {
  const run: Run = async (invocation) => {
    const api = await invocation.client();
    const call = { method: 'DELETE', path: pathOf(path, api, invocation) } as const;
    noteWarnings(await api.json<Warned | undefined>(call), invocation);
    invocation.output.note(said(invocation, api));
    return undefined;
  };
  return { load: async () => ({ run }), ...command };
}

type Warned = { warnings?: readonly string[] };

function noteWarnings(answer: Warned | undefined, { output }: Invocation): void {
  for (const warning of answer?.warnings ?? []) output.note(`warning: ${warning}`);
}

export interface Put<T> {
  path: Path;
  body: unknown;
  /** The confirmation, from whether the item is new and the server's answer. */
  said: (made: boolean, answer: T, client: Client) => string;
  /** Printed to standard output; nothing when absent. */
  columns?: Columns<T>;
}

/** Creates or replaces one item. Answers the server's answer. */
export async function put<T>(invocation: Invocation, { path, body, said, columns }: Put<T>): Promise<T> {
  const api = await invocation.client();
  const call = { method: 'PUT', path: pathOf(path, api, invocation), body } as const;
  const { status, body: answer } = await api.answer<T & Warned>(call);
  invocation.output.data(answer, () => (columns ? described(columns, answer, invocation.output) : ''));
  noteWarnings(answer, invocation);
  invocation.output.note(said(status === 201, answer, api));
  return answer;
}

export interface PutDescription<T> extends Described {
  path: Path;
  /** The request body; by default the given flags. */
  body?: (invocation: Invocation) => unknown;
  said: (made: boolean, invocation: Invocation, client: Client) => string;
  columns?: Columns<T>;
}

/** A command that creates or replaces one item and says which. */
export function putCommand<T>({ path, body, said, columns, ...command }: PutDescription<T>): Command {
  const run: Run = async (invocation) => {
    const given = body ? await body(invocation) : givenFlags(invocation.flags, command.flags ?? {});
    const says = (made: boolean, _: T, client: Client) => said(made, invocation, client);
    await put<T>(invocation, { path, body: given, said: says, columns });
    return undefined;
  };
  return { load: async () => ({ run }), ...command };
}

export interface ResourceDescription<T> {
  /** The first word of the commands: `note`. */
  noun: string;
  /** Its name in sentences, if it differs: `event hook`. */
  title?: string;
  /** Its API path relative to the project: `/notes`; the list's member is `notes`. */
  path: string;
  /** The argument that names one item. */
  name?: Argument;
  /** Columns of the list. */
  columns: Columns<T>;
  /** Columns of one item; by default those of the list. */
  shows?: Columns<T>;
  /** Differences from the defaults. */
  set?: Partial<PutDescription<T>>;
  list?: Partial<ListDescription<T>>;
  show?: Partial<ShowDescription<T>>;
  remove?: Partial<RemoveDescription>;
}

export const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };

/** The commands `<noun> set`, `ls`, `show` and `rm` of a named project resource. */
export function resourceCommands<T>(resource: ResourceDescription<T>): Command[] {
  const { noun, title = noun, path, name = NAME, columns, shows = columns } = resource;
  const one = { args: [name], path: namedPath(path) };
  const set = {
    name: `${noun} set`,
    summary: `create or replace a ${title}`,
    said: (made: boolean, { args }: Invocation) => `${title} ${args[0]} is ${made ? 'created' : 'replaced'}`,
  };
  const list = {
    name: `${noun} ls`,
    summary: `list the ${title}s`,
    examples: [[`svc ${noun} ls --json`, 'for programs']] as const,
    member: path.slice(1).replaceAll('-', '_'),
  };
  const show = { name: `${noun} show`, summary: `show a ${title}`, columns: shows };
  const remove = {
    name: `${noun} rm`,
    summary: `remove a ${title}`,
    said: ({ args }: Invocation) => `${title} ${args[0]} is removed`,
  };
  return [
    putCommand<T>({ ...set, ...one, ...resource.set }),
    listCommand<T>({ ...list, path, columns, ...resource.list }),
    showCommand<T>({ ...show, ...one, ...resource.show }),
    removeCommand({ ...remove, ...one, ...resource.remove }),
  ];
}
