import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Run, usageError } from '../../../../cli/contract.ts';
import { starterManifest, starterReadme } from './starter.ts';

const NAME = /^[a-z][a-z0-9_-]{0,62}$/;

export const run: Run = async ({ args, output }) => {
  const [name = ''] = args;
  if (!NAME.test(name))
    throw usageError(
      `"${name.slice(0, 80)}" is not a valid name for a connector`,
      'start with a lowercase letter; then lowercase letters, digits, _ and -, at most 63 in total',
    );
  const folder = resolve(name);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'it already exists' : error.message;
    throw usageError(`cannot create ${folder}: ${reason}`, 'choose another name, or another folder to work in');
  });
  const files = { 'manifest.json': starterManifest(name), 'README.md': starterReadme(name) };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  output.data({ folder, files: Object.keys(files) }, () => folder);
  output.note(`next: svc connector check ${name}, then SVC_CONNECTORS=${folder} svc dev`);
  return undefined;
};
