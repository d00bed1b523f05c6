import { basename, dirname, extname, join } from 'node:path';
import {
  contentsOf,
  type IncludedFile,
  type Invocation,
  readWorkflow,
  splitPipeline,
} from '../../../../../cli/contract.ts';
import { FileProblem } from './yaml.ts';

/** A value of a file or of a request body, by member. */
export type Members = Record<string, unknown>;

/** A companion of a file: a script, a pipeline, a graph, or a file that a script includes. */
export interface Companion {
  /** Relative to the project's folder. */
  path: string;
  text: string | Buffer;
  executable?: boolean | undefined;
}

/** What an export needs of the project for the files of one object. */
export interface Exporting {
  /** Reads the contents that the object includes, by digest. Undefined if they cannot be read. */
  contents(
    kind: string,
    name: string,
    files: readonly IncludedFile[],
  ): Promise<ReadonlyMap<string, Buffer> | undefined>;
  /** Says what the files do not contain. */
  note(text: string): void;
}

/** The members of a workflow, in the order in which files show them. */
export const WORKFLOW_MEMBERS =
  'kind file filename source graph function node config interpreter args include files env input credentials tags subject requires cancel_on checkout timeout'.split(
    ' ',
  );

type Reading = Pick<Invocation, 'output' | 'stdin'>;

/**
 * Makes the workflow of a request body from that of a file. `file` becomes the document with everything that it imports, and
 * `include` becomes the digests of the included files. `workflow` carries the contents that the server may need.
 */
export async function readWorkflowFile(
  { file, include, ...rest }: Members,
  at: { folder: string; path: string; pointer: string },
  reading: Reading,
): Promise<{ body: Members; workflow?: object }> {
  if (file === undefined) {
    if (include !== undefined) throw new FileProblem(`${at.pointer}/include`, 'needs a file, which includes it');
    return { body: rest };
  }
  const conflicting = ['source', 'filename', 'graph', 'function', 'node', 'files'].find(
    (name) => rest[name] !== undefined,
  );
  if (conflicting !== undefined) throw new FileProblem(`${at.pointer}/${conflicting}`, 'cannot be combined with file');
  const named = String(file);
  const flags = {
    as: rest.kind === 'pipeline' || rest.kind === 'script' ? rest.kind : undefined,
    interpreter: rest.interpreter as string | undefined,
    include: (include ?? []) as string[],
    root: at.folder,
    env: Object.entries((rest.env ?? {}) as Record<string, string>).map(([name, value]) => `${name}=${value}`),
  };
  const { output, stdin } = reading;
  const workflow = await readWorkflow(join(at.folder, dirname(at.path), named), { flags, output, stdin });
  const { source, files } = workflow as Members;
  return {
    body: { ...rest, filename: basename(named), source, ...(files !== undefined && { files }) },
    ...(contentsOf(workflow).size > 0 && { workflow }),
  };
}

/** A name that is safe on every file system. */
const SAFE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._ -]{0,119}$/;

/** Names that no file of an export may have: programs would take them for their own, and `include` leaves them out. */
const FOREIGN = new Set(['.git', '.svc', '.hg', '.svn', '__pycache__', '.ds_store']);
/** The maximum number of paths in `include`. */
const MAX_INCLUDES = 100;

/**
 * Moves the document of a workflow, what it runs and what it includes into files of their own. A workflow whose file has no
 * name, or one that no file can have, keeps its document; and one whose files cannot be written keeps their digests.
 */
export async function splitWorkflow(
  workflow: Members,
  { folder, name }: { folder: string; name: string },
  exporting: Exporting,
): Promise<{ members: Members; companions: Companion[] }> {
  const { source, filename, ...rest } = workflow;
  const remaining = { ...workflow };
  if (isInferred(workflow)) {
    delete remaining.kind;
    delete rest.kind;
  }
  const listed = workflow.files as IncludedFile[] | undefined;
  if (typeof source !== 'string' || typeof filename !== 'string' || !SAFE_NAME.test(filename)) {
    if (listed !== undefined) exporting.note(withDigests(folder, name));
    return { members: inOrder(remaining), companions: [] };
  }
  const is_adjacent = filename === `${name}${extname(filename)}` && !/\.ya?ml$/i.test(filename);
  const file = is_adjacent && listed === undefined ? filename : `${name}/${filename}`;
  if (workflow.kind === 'pipeline') {
    const { path, companions } = await splitFiles({ folder, name, filename, source }, exporting);
    return { members: inOrder({ ...rest, file: path }), companions };
  }
  const document = { path: `${folder}/${file}`, text: source };
  if (listed === undefined) return { members: inOrder({ ...rest, file }), companions: [document] };
  const included = await readCompanions(`${folder}/${name}`, { folder, name }, listed, exporting);
  const companions = included && merge([document, ...included], `${folder}/${name}/`);
  if (!companions || listed.some(({ path }) => path === filename)) {
    exporting.note(withDigests(folder, name));
    return { members: inOrder(remaining), companions: [] };
  }
  const { files: _, ...others } = rest;
  return { members: inOrder({ ...others, file, include: includesOf(listed) }), companions };
}

const withDigests = (folder: string, name: string): string =>
  `${folder}/${name} lists its included files by digest, so that only this project can apply it`;

/** What `include` lists: each file, or the folders of many. */
const includesOf = (files: readonly IncludedFile[]): string[] => {
  const paths = files.map(({ path }) => path);
  return paths.length <= MAX_INCLUDES ? paths : [...new Set(paths.map((path) => path.split('/')[0]!))];
};

/** Writes a pipeline with the files that it runs and includes. They may be above it, so it gets a folder for each step up. */
async function splitFiles(
  { folder, name, filename, source }: { folder: string; name: string; filename: string; source: string },
  exporting: Exporting,
): Promise<{ path: string; companions: Companion[] }> {
  const unsplit = {
    path: `${name}/${filename}`,
    companions: [{ path: `${folder}/${name}/${filename}`, text: source }],
  };
  const asStored = () => {
    exporting.note(`${folder}/${name} keeps the \`files\` of its pipeline as they are stored`);
    return unsplit;
  };
  const split = await splitPipeline(source);
  if (!split) return asStored();
  const steps_up = [...split.files, ...split.included].map(({ path }) => /^(?:\.\.\/)*/.exec(path)![0].length / 3);
  const below = [name, ...Array.from({ length: Math.max(0, ...steps_up) }, () => 'pipelines')].join('/');
  const included = await readCompanions(`${folder}/${below}`, { folder, name }, split.included, exporting);
  const files = split.files.map(({ path, text }) => ({ path: join(folder, below, path), text }));
  const companions =
    included &&
    merge(
      [{ path: `${folder}/${below}/${filename}`, text: split.source }, ...files, ...included],
      `${folder}/${name}/`,
    );
  return companions ? { path: `${below}/${filename}`, companions } : asStored();
}

/** Reads included files. Undefined if one of them has a name that an export does not write, or cannot be read. */
async function readCompanions(
  base: string,
  { folder, name }: { folder: string; name: string },
  files: readonly IncludedFile[],
  exporting: Exporting,
): Promise<Companion[] | undefined> {
  if (files.length === 0) return [];
  const contents = await exporting.contents(folder, name, files);
  if (!contents) return undefined;
  return files.map(({ path, digest, executable }) => ({
    path: join(base, path),
    text: contents.get(digest)!,
    executable: executable === true,
  }));
}

/** Leaves one of each path. Undefined if two files would need the same path, or one has a name that belongs to a program. */
function merge(companions: readonly Companion[], within: string): Companion[] | undefined {
  const by_path = new Map<string, Companion>();
  for (const one of companions) {
    if (!one.path.startsWith(within)) return undefined;
    const names = one.path.split('/');
    if (names.some((one_name) => /[\p{Cc}\\]/u.test(one_name) || FOREIGN.has(one_name.toLowerCase()))) return undefined;
    const same = by_path.get(one.path);
    if (same && !Buffer.from(same.text as string).equals(Buffer.from(one.text as string))) return undefined;
    by_path.set(one.path, { ...one, executable: one.executable ?? same?.executable });
  }
  const is_folder = (path: string) => [...by_path.keys()].some((other) => other.startsWith(`${path}/`));
  return [...by_path.keys()].some(is_folder) ? undefined : [...by_path.values()];
}

const inOrder = (members: Members): Members =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => WORKFLOW_MEMBERS.indexOf(a) - WORKFLOW_MEMBERS.indexOf(b)),
  );

/** The kind that svc determines itself; undefined where only the server can tell. */
function inferredKind({ filename }: Members): string | undefined {
  if (typeof filename !== 'string') return undefined;
  if (/\.ya?ml$/i.test(filename)) return 'pipeline';
  return /\.json$/i.test(filename) ? undefined : 'script';
}

const isInferred = (workflow: Members): boolean =>
  workflow.source === undefined || workflow.kind === inferredKind(workflow);

/**
 * Adds the kind that a file need not name, so that it can be compared with what the server shows. Only a document has a kind: a
 * graph, a node and a function are of their own.
 */
export function withKind(workflow: Members, live: Members | undefined): Members {
  const { kind, ...rest } = workflow;
  if (workflow.source === undefined) return rest;
  return { ...rest, kind: kind ?? inferredKind(workflow) ?? live?.kind };
}
