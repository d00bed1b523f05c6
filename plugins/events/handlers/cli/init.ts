import { writeFile } from 'node:fs/promises';
import { type Run, usageError } from '../../../../cli/contract.ts';
import { STARTERS } from './starters.ts';

export const run: Run = async ({ args, output }) => {
  const [language = 'bash', file] = args;
  const starter = STARTERS[language];
  if (starter === undefined)
    throw usageError(`there is no starter for ${language}`, `choose one of ${Object.keys(STARTERS).join(', ')}`);
  const text = starter(file ?? `on-event.${ENDINGS[language]}`);
  if (file === undefined) {
    output.data({ language, source: text }, () => text.replace(/\n$/, ''));
    return undefined;
  }
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'it already exists' : error.message;
    throw usageError(`cannot write ${file}: ${reason}`, 'choose another name, or omit the file to print the starter');
  });
  output.data({ language, file }, () => '');
  output.note(`Created ${file}; its first lines show how to register it`);
  return undefined;
};

const ENDINGS: Readonly<Record<string, string>> = { bash: 'sh', python: 'py', typescript: 'ts' };
