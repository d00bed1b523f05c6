import { existsSync } from 'node:fs';
import { type Run, usageError } from '../../../../cli/contract.ts';
import { writeFiles } from './project/folder.ts';
import { KINDS } from './project/kinds.ts';
import { readLive } from './project/live.ts';
import { writeYaml } from './project/yaml.ts';

export const run: Run = async ({ flags, output, client }) => {
  if (flags.output === undefined) throw usageError('-o is missing', 'name the folder to write: svc export -o project');
  const folder = String(flags.output);
  const api = await client();
  const files = new Map<string, string>();
  for (const kind of KINDS) {
    const used = await kind.used?.(api);
    for (const { name, body, view } of (await readLive(api, kind)).values()) {
      if (view.invited || used?.has(name) === false) continue;
      const { members, companions } = kind.toFile(name, body);
      files.set(`${kind.folder}/${name}.yaml`, await writeYaml(members));
      for (const { path, text } of companions) files.set(path, text);
    }
  }
  const stale = KINDS.filter((kind) => existsSync(`${folder}/${kind.folder}`)).length > 0;
  await writeFiles(folder, files);
  const written = [...files.keys()].sort();
  output.data({ folder, files: written }, () => written.join('\n'));
  output.note(`Wrote ${written.length} ${written.length === 1 ? 'file' : 'files'} to ${folder}`);
  if (stale) output.note('Files of objects that the project does not have stay; `svc diff` lists them.');
  return undefined;
};
