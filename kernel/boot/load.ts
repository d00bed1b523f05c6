import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isServiceError } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import type { Candidate } from './validate.ts';

/** Loads a file of a plugin's folder, whatever its ending. An error of the module names the plugin. */
export async function loadFile<T>({ folder, origin, manifest }: Candidate, name: string): Promise<T> {
  const names = ['ts', 'js', 'mjs'].map((ending) => `${name}.${ending}`);
  const entry = names.map((file) => join(folder, file)).find((path) => existsSync(path));
  if (entry === undefined)
    throw BootErrors.pluginsInvalid(`${origin}: its folder has a plugin.json, but none of ${names.join(', ')}`);
  try {
    return (await import(pathToFileURL(entry).href)) as T;
  } catch (error) {
    throw blame(manifest.id, 'load', error);
  }
}

/** A coded error is kept: it says what to do. Any other error gets plugin, phase and likely cause; of a disk, what to do about it. */
export function blame(plugin: string, phase: string, error: unknown): Error {
  if (isServiceError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const text = `plugin ${plugin} failed in phase ${phase}: ${message}${likelyCause(message)}`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return BootErrors.diskFull(text, { cause: error });
  if (code === 'EROFS' || code === 'EIO' || code === 'EFBIG') return BootErrors.diskFailed(text, { cause: error });
  return BootErrors.pluginFailed(text, { cause: error });
}

function likelyCause(message: string): string {
  if (/Stripping types is currently unsupported for files under node_modules/.test(message))
    return '; a plugin that is installed as a package must contain JavaScript (plugin.js)';
  if (/Cannot find (module|package)/.test(message))
    return '; is it installed, and do relative imports name the file ending?';
  if (/does not provide an export/.test(message)) return '; was the plugin written for another version of svc?';
  return '';
}
