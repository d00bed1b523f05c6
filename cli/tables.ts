import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { extraPlugins, locate } from '../kernel/boot/locate.ts';
import { builtIn, type Source } from './built-in.ts';
import type { Command, Invocation, ScriptVerb } from './command.ts';
import { ownCommands } from './commands/table.ts';
import { CliError, Exit } from './errors.ts';
import { shareOwnModules } from './own-modules.ts';

type Environment = Invocation['env'];
type OnFault = (fault: CliError) => void;
interface Table {
  origin: string;
  commands: readonly Command[];
}

/**
 * Every command of svc: the CLI's own, those of the built-in plugins and those of SVC_PLUGINS. Each plugin of
 * SVC_PLUGINS whose commands cannot be used is left out and reported, so that every other command works.
 */
export async function loadCommands(env: Environment, onFault: OnFault = refuse): Promise<readonly Command[]> {
  const tableOf = async (source: Source): Promise<Table> => ({
    origin: source.origin,
    commands: await read<Command>(source, 'commands', 'name'),
  });
  let tables: readonly Table[] = [
    { origin: 'the CLI', commands: ownCommands },
    ...(await Promise.all((await builtIn('table')).map(tableOf))),
  ];
  let commands = unique(tables);
  for (const source of extra(env, 'table'))
    await reported(onFault, async () => {
      const more = [...tables, await tableOf(source)];
      commands = unique(more);
      tables = more;
    });
  return commands;
}

/** The verbs of scripts. Some, such as `emit`, are also commands. */
export async function loadVerbs(env: Environment, onFault: OnFault = refuse): Promise<readonly ScriptVerb[]> {
  const verbsOf = (source: Source) => read<ScriptVerb>(source, 'verbs', 'verb');
  const verbs = (await Promise.all((await builtIn('verbs')).map(verbsOf))).flat();
  for (const source of extra(env, 'verbs'))
    await reported(onFault, async () => void verbs.push(...(await verbsOf(source))));
  return verbs;
}

function refuse(fault: CliError): never {
  throw fault;
}

async function reported(onFault: OnFault, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    onFault(error);
  }
}

/** A missing plugin is reported by the server, not by the CLI. */
function extra(env: Environment, file: 'table' | 'verbs'): Source[] {
  const names = extraPlugins(env);
  if (names.length > 0) shareOwnModules();
  return names.flatMap((origin) => {
    const folder = locate(origin);
    const paths = ['ts', 'mjs', 'js'].map((ending) => join(folder ?? '', 'cli', `${file}.${ending}`));
    const path = folder && paths.find((one) => existsSync(one));
    return path ? [{ origin, load: () => import(pathToFileURL(path).href) }] : [];
  });
}

/** The list that the module exports as `name`; each entry has a text as `key`. */
async function read<T>({ origin, load }: Source, name: string, key: string): Promise<readonly T[]> {
  const broken = (reason: string) =>
    new CliError(
      Exit.failed,
      'plugin_commands_invalid',
      `the ${name} of ${origin} cannot be loaded: ${reason}`,
      `correct the plugin, or remove it from SVC_PLUGINS`,
    );
  const module = (await load().catch((error: unknown) => {
    throw broken(error instanceof Error ? error.message : String(error));
  })) as Readonly<Record<string, unknown>>;
  const found = module[name];
  if (!Array.isArray(found)) throw broken(`the file exports no list named "${name}"`);
  if (!found.every((one) => typeof one?.[key] === 'string')) throw broken(`an entry of "${name}" has no ${key}`);
  return found as readonly T[];
}

/** Throws when two tables define the same command. */
export function unique(tables: readonly Table[]): Command[] {
  const origins = new Map<string, string>();
  for (const { origin, commands } of tables)
    for (const { name } of commands) {
      const other = origins.get(name);
      if (other !== undefined)
        throw new CliError(
          Exit.failed,
          'command_defined_twice',
          `${other} and ${origin} both have the command "${name}"`,
          'rename one of them, or remove one of the plugins from SVC_PLUGINS',
        );
      origins.set(name, origin);
    }
  return tables.flatMap(({ commands }) => commands);
}
