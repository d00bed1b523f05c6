import { existsSync } from 'node:fs';
import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Run } from '../command.ts';
import { CliError, Exit, usageError } from '../errors.ts';
import { packageFolder } from '../version.ts';

export const run: Run = async ({ args, output }) => {
  const folder = resolve(args[0] ?? '.');
  if (!existsSync(join(folder, 'plugin.json')))
    throw usageError(
      `${folder} has no plugin.json`,
      'use the folder of a plugin, or create one: `svc plugin init <name>`',
    );
  const link = await linkTo(folder);
  output.data({ link, target: packageFolder() }, () => `${link} -> ${packageFolder()}`);
  return undefined;
};

/** Links `node_modules/svc` of the folder to this svc and returns the path. Never replaces an svc that npm installed there. */
export async function linkTo(folder: string): Promise<string> {
  const link = join(folder, 'node_modules', 'svc');
  const existing = await lstat(link).catch(ignoreMissing);
  if (existing !== undefined && !existing.isSymbolicLink())
    throw new CliError(
      Exit.failed,
      'plugin_link_taken',
      `${link} is not a link: another copy of svc is installed there, and tools use that copy`,
      'to use this svc, remove the other copy first: `npm uninstall svc`',
    );
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await rm(link, { force: true });
  await symlink(packageFolder(), link);
  return link;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
