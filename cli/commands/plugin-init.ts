import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command, Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { packageFolder } from '../version.ts';
import { linkTo } from './plugin-link.ts';
import { gitignore, renameStarter, packageJson, readme, tsconfig } from './plugin-starter.ts';

/** The names of tables begin with the name of the plugin, and MySQL limits them to 64 characters. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_NAME = 40;

export const run: Run = async ({ args, output, commands }) => {
  const [name = ''] = args;
  checkName(name, commands);
  const folder = resolve(name);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'it exists' : error.message;
    throw usageError(`cannot create ${folder}: ${reason}`, 'choose another name, or another folder to work in');
  });
  const files = await starterFiles(name);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  await linkTo(folder);
  output.data({ folder, files: Object.keys(files).sort() }, () => folder);
  output.note(`next: SVC_PLUGINS=${folder} svc dev, and ${join(folder, 'README.md')}`);
  return undefined;
};

function checkName(name: string, commands: readonly Command[]): void {
  if (!NAME.test(name) || name.length > MAX_NAME)
    throw usageError(
      `"${name.slice(0, 80)}" is not a valid name for a plugin`,
      `start with a lowercase letter; then lowercase letters, digits and single -, at most ${MAX_NAME} in total`,
    );
  const isNameInUse =
    name === 'kernel' ||
    existsSync(join(packageFolder(), 'plugins', name)) ||
    commands.some((command) => command.name.split(' ')[0] === name);
  if (isNameInUse)
    throw usageError(`svc already has a plugin or a command "${name}"`, 'choose a name that is not in use');
}

/** The starter is a plugin of this repository that is tested like all others. Only its name is replaced. */
async function starterFiles(name: string): Promise<Record<string, string>> {
  const starter = join(packageFolder(), 'test', 'plugins', 'starter');
  const entries = await readdir(starter, { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(starter.length + 1));
  const copied = sources.map(
    async (file): Promise<[string, string]> => [
      renameStarter(file, name),
      renameStarter(await readFile(join(starter, file), 'utf8'), name),
    ],
  );
  return {
    ...Object.fromEntries(await Promise.all(copied)),
    'README.md': readme(name),
    'package.json': packageJson(name),
    'tsconfig.json': tsconfig,
    '.gitignore': gitignore,
  };
}
