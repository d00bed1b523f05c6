import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isServiceError } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import { prebuilt } from './prebuilt.ts';
import type { Candidate } from './validate.ts';

/** Loads a file from a plugin's folder: `.ts`, `.js` or `.mjs`. An error that the module throws names the plugin. */
export async function loadFile<T>({ folder, origin, manifest }: Candidate, name: string): Promise<T> {
  const built = prebuilt.get(join(folder, name));
  if (built !== undefined) return evaluate<T>(manifest.id, built);
  const names = ['ts', 'js', 'mjs'].map((ending) => `${name}.${ending}`);
  const entry = names.map((file) => join(folder, file)).find((path) => existsSync(path));
  if (entry === undefined)
    throw BootErrors.pluginsInvalid(`${origin}: its folder has a plugin.json, but none of ${names.join(', ')}`);
  return evaluate<T>(manifest.id, () => import(pathToFileURL(entry).href));
}

async function evaluate<T>(plugin: string, load: () => unknown): Promise<T> {
  try {
    return (await load()) as T;
  } catch (error) {
    throw attributeToPlugin(plugin, 'load', error);
  }
}

/**
 * Names the plugin and the phase in an error, and the likely cause where there is one. Coded errors pass through, because
 * they already say what to do. Errors of a full or failing disk become coded ones.
 */
export function attributeToPlugin(plugin: string, phase: string, error: unknown): Error {
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
