import { existsSync } from 'node:fs';
import { type Run, usageError } from '../../../../cli/contract.ts';
import { OBJECT_NAME, writeFiles } from './project/folder.ts';
import { KINDS } from './project/kinds.ts';
import { readLive } from './project/live.ts';
import type { Companion } from './project/workflow-files.ts';
import { writeYaml } from './project/yaml.ts';
import { exportingFrom } from './project/included-contents.ts';

export const run: Run = async ({ flags, output, client }) => {
  if (flags.output === undefined) throw usageError('-o is missing', 'set the folder to write: svc export -o project');
  const folder = String(flags.output);
  const api = await client();
  const files: Companion[] = [];
  const exporting = exportingFrom(api, (text) => output.note(text));
  for (const kind of KINDS) {
    const used = await kind.used?.(api);
    for (const { name, body, view } of (await readLive(api, kind)).values()) {
      if (view.invited || used?.has(name) === false) continue;
      if (!OBJECT_NAME.test(name)) {
        output.note(`${kind.folder}/${JSON.stringify(name)} is not exported: a file cannot have this name`);
        continue;
      }
      const { members, companions } = await kind.toFile(name, body, exporting);
      files.push({ path: `${kind.folder}/${name}.yaml`, text: await writeYaml(members) }, ...companions);
    }
  }
  const stale = KINDS.filter((kind) => existsSync(`${folder}/${kind.folder}`)).length > 0;
  await writeFiles(folder, files);
  const written = files.map(({ path }) => path).sort();
  output.data({ folder, files: written }, () => written.join('\n'));
  output.note(`Wrote ${written.length} ${written.length === 1 ? 'file' : 'files'} to ${folder}`);
  if (stale) output.note('Files of objects that the project does not have stay; `svc diff` lists them.');
  return undefined;
};
