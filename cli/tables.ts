import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { extraPlugins, locate } from '../kernel/boot/locate.ts';
import { findBuiltIns, type Source } from './built-in.ts';
import type { Command, Invocation, ScriptVerb } from './command.ts';
import { coreCommands } from './commands/table.ts';
import { CliError, Exit } from './errors.ts';
import { registerSvcModules } from './own-modules.ts';

type Environment = Invocation['env'];
type OnPluginError = (error: CliError) => void;
interface Table {
  origin: string;
  commands: readonly Command[];
}

/**
 * Loads every command: the CLI's own, those of the built-in plugins and those of SVC_PLUGINS. A plugin of SVC_PLUGINS whose
 * commands cannot be used is reported and left out, so that all others work.
 */
export async function loadCommands(env: Environment, onError: OnPluginError = throwError): Promise<readonly Command[]> {
  const tableOf = async (source: Source): Promise<Table> => ({
    origin: source.origin,
    commands: await read<Command>(source, 'commands', 'name'),
  });
  let tables: readonly Table[] = [
    { origin: 'the CLI', commands: coreCommands },
    ...(await Promise.all((await findBuiltIns('table')).map(tableOf))),
  ];
  let commands = mergeCommands(tables);
  for (const source of thirdPartySources(env, 'table'))
    await reportErrors(onError, async () => {
      const more = [...tables, await tableOf(source)];
      commands = mergeCommands(more);
      tables = more;
    });
  return commands;
}

/** Loads the verbs of scripts. Some, such as `emit`, are also commands. */
export async function loadVerbs(env: Environment, onError: OnPluginError = throwError): Promise<readonly ScriptVerb[]> {
  const verbsOf = (source: Source) => read<ScriptVerb>(source, 'verbs', 'verb');
  const verbs = (await Promise.all((await findBuiltIns('verbs')).map(verbsOf))).flat();
  for (const source of thirdPartySources(env, 'verbs'))
    await reportErrors(onError, async () => void verbs.push(...(await verbsOf(source))));
  return verbs;
}

function throwError(error: CliError): never {
  throw error;
}

async function reportErrors(onError: OnPluginError, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    onError(error);
  }
}

/** Finds the tables of SVC_PLUGINS. The server reports a plugin that is missing, so the CLI need not. */
function thirdPartySources(env: Environment, file: 'table' | 'verbs'): Source[] {
  const names = extraPlugins(env);
  if (names.length > 0) registerSvcModules();
  return names.flatMap((origin) => {
    const folder = locate(origin);
    const paths = ['ts', 'mjs', 'js'].map((ending) => join(folder ?? '', 'cli', `${file}.${ending}`));
    const path = folder && paths.find((one) => existsSync(one));
    return path ? [{ origin, load: () => import(pathToFileURL(path).href) }] : [];
  });
}

/** Reads the list that the module exports as `name`. Each entry must have a string as `key`. */
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
  const entries = module[name];
  if (!Array.isArray(entries)) throw broken(`the file exports no list named "${name}"`);
  if (!entries.every((one) => typeof one?.[key] === 'string')) throw broken(`an entry of "${name}" has no ${key}`);
  return entries as readonly T[];
}

/** Throws when two tables define the same command. */
export function mergeCommands(tables: readonly Table[]): Command[] {
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
