import type { Call, Client } from './client/client.ts';
import type { Argument, Command, Flags, FlagValues, Invocation, ListSource, Run } from './command.ts';
import { formatCells, type Columns, formatItem } from './output/columns.ts';
import { readAllPages, firstNonEmptyPage, PAGE_FLAGS } from './pages.ts';

/** A command that is built from a description. With `load`, it runs its own code instead. */
type CommandBase = Omit<Command, 'load'> & Partial<Pick<Command, 'load'>>;

/** An API path, relative to the project unless it begins with `/api/`, or a function that returns the full path. */
type Path = string | ((client: Client, invocation: Invocation) => string);

const pathOf = (path: Path, client: Client, invocation: Invocation): string =>
  typeof path === 'function' ? path(client, invocation) : path.startsWith('/api/') ? path : client.scoped(path);

/** Appends the first argument, which names the item, to a path. */
export const namedPath = (path: Path): Path => {
  return (client, invocation) => `${pathOf(path, client, invocation)}/${encodeURIComponent(invocation.args[0] ?? '')}`;
};

const camel = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the flags that were set under their API names: `event_type` for `--event-type`. */
export function flagsToBody(flags: FlagValues, names: Flags): Record<string, unknown> {
  const entries = Object.keys(names).map((name) => [name.replaceAll('-', '_'), flags[camel(name)]] as const);
  return Object.fromEntries(
    entries.filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false)),
  );
}

export interface ListDescription<T> extends CommandBase {
  path: Path;
  /** The member of the answer that holds the list. */
  member: string;
  columns: Columns<T>;
  /** Flags that filter the list. With them it is read page by page, otherwise completely. */
  filters?: Flags;
  /** Converts each item of the API's answer before it is shown. */
  transform?: (one: T) => T;
  /** Printed to standard error after the table. */
  note?: (answer: Readonly<Record<string, unknown>>) => string | undefined;
}

/** Makes a command that lists items in a table. */
export function listCommand<T>(description: ListDescription<T>): Command {
  const { path, member, columns, filters, transform, note, ...command } = description;
  const selects = filters && { ...filters, ...PAGE_FLAGS };
  const run: Run = async (invocation) => {
    const { flags, output } = invocation;
    const api = await invocation.client();
    const where = pathOf(path, api, invocation);
    const answer = selects
      ? await firstNonEmptyPage(api, where, member, flagsToBody(flags, selects) as Call['query'])
      : await readAllPages(api, where, member);
    if (transform) answer[member] = (answer[member] as T[]).map(transform);
    output.data(answer, () => {
      const rows = (answer[member] as T[]).map((one) => formatCells(columns, one, output));
      return rows.length > 0 ? output.table(Object.keys(columns), rows) : '';
    });
    if ((answer[member] as T[]).length === 0) output.noteEmpty(member.replaceAll('_', ' '));
    const message = note?.(answer);
    if (message !== undefined) output.note(message);
    if (answer.next_cursor !== undefined) output.note(`more: --cursor ${String(answer.next_cursor)}`);
    return undefined;
  };
  const lists = toListSource({
    path,
    member,
    columns: columns as Columns<unknown> as Columns<Record<string, unknown>>,
  });
  return { load: async () => ({ run }), ...command, lists, flags: { ...command.flags, ...selects } };
}

/** Lets completion offer the first column of a list, if that is a member. */
function toListSource({ path, ...list }: Omit<ListSource, 'key' | 'path'> & { path: Path }): ListSource | undefined {
  const [key] = Object.values(list.columns);
  if (typeof key !== 'string') return undefined;
  return { ...list, key, path: (client, invocation) => pathOf(path, client, invocation) };
}

export interface ShowDescription<T> extends CommandBase {
  path: Path;
  columns: Columns<T>;
  /** The members that every such item has. */
  expects?: readonly string[];
}

/** Makes a command that shows one item: a line for each column with a value. */
export function showCommand<T>({ path, columns, expects, ...command }: ShowDescription<T>): Command {
  const run: Run = async (invocation) => {
    const api = await invocation.client();
    const item = await api.json<T & WithWarnings>({ path: pathOf(path, api, invocation), expects });
    invocation.output.data(item, () => formatItem(columns, item, invocation.output));
    noteWarnings(item, invocation);
    return undefined;
  };
  return { load: async () => ({ run }), ...command };
}

export interface RemoveDescription extends CommandBase {
  path: Path;
  /** Printed on success. */
  confirmation: (invocation: Invocation, client: Client) => string;
}

/** Makes a command that removes one item. It prints the server's warnings and a confirmation. */
export function removeCommand({ path, confirmation, ...command }: RemoveDescription): Command {
  const run: Run = async (invocation) => {
    const api = await invocation.client();
    const call = { method: 'DELETE', path: pathOf(path, api, invocation) } as const;
    noteWarnings(await api.json<WithWarnings | undefined>(call), invocation);
    invocation.output.note(confirmation(invocation, api));
    return undefined;
  };
  return { load: async () => ({ run }), ...command };
}

type WithWarnings = { warnings?: readonly string[] };

function noteWarnings(answer: WithWarnings | undefined, { output }: Invocation): void {
  for (const warning of answer?.warnings ?? []) output.note(`warning: ${warning}`);
}

export interface Put<T> {
  path: Path;
  body: unknown;
  /** Makes the confirmation, given whether the item is new and the server's answer. */
  confirmation: (made: boolean, answer: T, client: Client) => string;
  /** What is printed to standard output; nothing when absent. */
  columns?: Columns<T>;
  /** The members of every such answer. */
  expects?: readonly string[];
}

/** Creates or replaces one item, and returns the server's answer. */
export async function putItem<T>(
  invocation: Invocation,
  { path, body, confirmation, columns, expects }: Put<T>,
): Promise<T> {
  const api = await invocation.client();
  const call = { method: 'PUT', path: pathOf(path, api, invocation), body, expects } as const;
  const { status, body: answer } = await api.answer<T & WithWarnings>(call);
  invocation.output.data(answer, () => (columns ? formatItem(columns, answer, invocation.output) : ''));
  noteWarnings(answer, invocation);
  invocation.output.note(confirmation(status === 201, answer, api));
  return answer;
}

export interface PutDescription<T> extends CommandBase {
  path: Path;
  /** Makes the request body. Defaults to the flags that were set. */
  body?: (invocation: Invocation) => unknown;
  confirmation: (made: boolean, invocation: Invocation, client: Client) => string;
  columns?: Columns<T>;
}

/** Makes a command that creates or replaces one item and says which. */
export function putCommand<T>({ path, body, confirmation, columns, ...command }: PutDescription<T>): Command {
  const run: Run = async (invocation) => {
    const payload = body ? await body(invocation) : flagsToBody(invocation.flags, command.flags ?? {});
    const confirm = (made: boolean, _: T, client: Client) => confirmation(made, invocation, client);
    await putItem<T>(invocation, { path, body: payload, confirmation: confirm, columns });
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
  /** Columns of one item. Defaults to those of the list. */
  item_columns?: Columns<T>;
  /** Differences from the defaults. */
  set?: Partial<PutDescription<T>>;
  list?: Partial<ListDescription<T>>;
  show?: Partial<ShowDescription<T>>;
  remove?: Partial<RemoveDescription>;
}

export const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };

/** The commands `<noun> set`, `ls`, `show` and `rm` of a named project resource. */
export function resourceCommands<T>(resource: ResourceDescription<T>): Command[] {
  const { noun, title = noun, path, name = NAME, columns, item_columns = columns } = resource;
  const target = { args: [name], path: namedPath(path) };
  const set = {
    name: `${noun} set`,
    summary: `create or replace a ${title}`,
    confirmation: (made: boolean, { args }: Invocation) => `${made ? 'Created' : 'Replaced'} ${title} ${args[0]}`,
  };
  const list = {
    name: `${noun} ls`,
    summary: `list the ${title}s`,
    examples: [[`svc ${noun} ls --json`, 'for programs']] as const,
    member: path.slice(1).replaceAll('-', '_'),
  };
  const [key] = Object.values(columns);
  const expects = typeof key === 'string' ? [key] : [];
  const show = { name: `${noun} show`, summary: `show a ${title}`, columns: item_columns, expects };
  const remove = {
    name: `${noun} rm`,
    summary: `remove a ${title}`,
    confirmation: ({ args }: Invocation) => `Removed ${title} ${args[0]}`,
  };
  return [
    putCommand<T>({ ...set, ...target, ...resource.set }),
    listCommand<T>({ ...list, path, columns, ...resource.list }),
    showCommand<T>({ ...show, ...target, ...resource.show }),
    removeCommand({ ...remove, ...target, ...resource.remove }),
  ];
}
