import { chmod, lstat, mkdir, opendir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  compileSchema,
  CliError,
  Exit,
  type Invocation,
  readDocument,
  usageError,
  workflowRoot,
} from '../../../../../cli/contract.ts';
import { type DesiredObject, type Kind, KINDS } from './kinds.ts';
import type { FileSchemas } from './schemas.ts';
import type { Companion, Members } from './workflow-files.ts';
import { FileProblem, parseYaml } from './yaml.ts';

/** The maximum number of objects in a folder. A project cannot have that many of most kinds. */
export const MAX_OBJECTS = 5000;
const MAX_PROBLEMS = 50;
/** The names that objects and their files have. */
export const OBJECT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;
const ENDING = '.yaml';

/** The files of a project: what they describe, or what is wrong with them. */
interface Found {
  objects: DesiredObject[];
  problems: string[];
}

/**
 * Reads all files of a folder and checks them. Throws a usage error that lists what is wrong with them, so that nothing is
 * applied of a folder with a fault.
 */
export async function readFolder(
  folder: string,
  schemas: FileSchemas,
  invocation: Invocation,
): Promise<DesiredObject[]> {
  const stats = await lstat(folder).catch(() => undefined);
  if (!stats?.isDirectory() && !stats?.isSymbolicLink())
    throw usageError(
      `there is no folder ${folder}`,
      'pass a folder that `svc export` has written, or create a similar one',
    );
  const found: Found = { objects: [], problems: [] };
  let count = 0;
  for (const kind of KINDS)
    for (const name of await namesIn(folder, kind, found.problems)) {
      count += 1;
      if (count > MAX_OBJECTS)
        throw usageError(`${folder} has more than ${MAX_OBJECTS} files of objects`, 'split it into several projects');
      if (found.problems.length < MAX_PROBLEMS) await readObject(folder, kind, name, { schemas, invocation, found });
    }
  if (found.problems.length === 0) return found.objects;
  throw new CliError(
    Exit.usage,
    'project_files_invalid',
    `${found.problems.length} ${found.problems.length === 1 ? 'problem' : 'problems'} in ${folder}; nothing was changed`,
    'correct the files; `svc schema <kind>` prints what they can contain',
    found.problems,
  );
}

/** Returns the names of a kind's objects, sorted. */
async function namesIn(folder: string, kind: Kind, problems: string[]): Promise<string[]> {
  const names: string[] = [];
  const directory = await opendir(join(folder, kind.folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usageError(`cannot read ${kind.folder}: ${error.message}`, `${kind.folder} must be a folder`);
  });
  if (!directory) return names;
  for await (const entry of directory) {
    if (entry.isDirectory()) continue;
    if (entry.name.endsWith('.yml'))
      problems.push(`${kind.folder}/${entry.name}: rename it to ${entry.name.slice(0, -4)}.yaml`);
    if (!entry.name.endsWith(ENDING)) continue;
    if (!entry.isFile() && !entry.isSymbolicLink())
      problems.push(`${kind.folder}/${entry.name}: is not a regular file`);
    const name = entry.name.slice(0, -ENDING.length);
    if (OBJECT_NAME.test(name)) names.push(name);
    else
      problems.push(
        `${kind.folder}/${entry.name}: the name must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit`,
      );
    if (names.length > MAX_OBJECTS) break;
  }
  return names.sort();
}

interface ObjectContext {
  schemas: FileSchemas;
  invocation: Invocation;
  found: Found;
}

async function readObject(folder: string, kind: Kind, name: string, { schemas, invocation, found }: ObjectContext) {
  const path = `${kind.folder}/${name}${ENDING}`;
  try {
    const root = await workflowRoot(join(folder, path), folder);
    const read = async (file: string) => (await readDocument(file, invocation, 'workflow', root)).source;
    const members = await parseYaml(await read(join(folder, path)));
    const validate = await compileSchema(schemas.of(kind));
    const problems = validate(members ?? {});
    if (problems.length > 0) {
      found.problems.push(...problems.map(({ pointer, message }) => `${path}:${pointer || '/'}: ${message}`));
      return;
    }
    const text = (named: string) => read(join(folder, dirname(path), named));
    const object = await kind.read((members ?? {}) as Members, { folder, path, invocation, text });
    found.objects.push({ kind, name, path, ...object });
  } catch (error) {
    if (error instanceof FileProblem) found.problems.push(`${path}:${error.pointer || '/'}: ${error.message}`);
    else if (error instanceof CliError) found.problems.push(`${path}: ${error.message}`);
    else throw error;
  }
}

/** Writes the files of an export. Each name is checked, because it comes from the server. */
export async function writeFiles(folder: string, files: readonly Companion[]): Promise<void> {
  for (const { path, text, executable } of files) {
    const target = join(folder, path);
    await assertNoLink(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
    const { mode } = await stat(target);
    if (executable !== undefined || (mode & 0o111) !== 0)
      await chmod(target, executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
  }
}

/** Nothing is written through a link, which may lead anywhere. */
async function assertNoLink(folder: string, path: string): Promise<void> {
  const steps = path.split('/');
  for (let end = 1; end <= steps.length; end += 1) {
    const parent_path = steps.slice(0, end).join('/');
    const stats = await lstat(join(folder, parent_path)).catch(() => undefined);
    if (stats?.isSymbolicLink())
      throw usageError(
        `${join(folder, parent_path)} is a link, and an export writes only into its folder`,
        'remove the link, or choose another folder',
      );
  }
}
