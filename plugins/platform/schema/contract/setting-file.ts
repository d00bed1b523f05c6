import { readFileSync } from 'node:fs';

/** Reads the file that a setting names with `@`, without its trailing line break. The error continues the setting's name. */
export function readSettingFile(path: string): { text: string } | { error: string } {
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { error: `names the file ${path}, which is empty` } : { text };
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    return { error: `names the file ${path}, which cannot be read (${code})` };
  }
}
