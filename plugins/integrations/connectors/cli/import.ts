import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Run, runTool, usageError } from '../../../../cli/contract.ts';
import type { ImportedConnector } from '../local/tool-answers.ts';

export const run: Run = async ({ args, flags, output, env }) => {
  const tool = { plugin: 'connectors', tool: 'connector-import', hides: ['SVC_CONNECTORS'] };
  const { json, text } = await runTool(tool, { args, flags, env });
  const { manifest, notes } = json as ImportedConnector;
  const folder = resolve(manifest.name);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'it already exists' : error.message;
    throw usageError(
      `cannot create ${folder}: ${reason}`,
      'choose another name with --name, or work in another folder',
    );
  });
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const { operation, note } of notes) output.note(`${operation}: ${note}`);
  output.data({ folder, actions: Object.keys(manifest.actions ?? {}), notes }, () => `${folder} (${text})`);
  output.note(`next: svc connector check ${manifest.name}, then SVC_CONNECTORS=${folder} svc dev`);
  return undefined;
};
