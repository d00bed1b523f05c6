import { basename, dirname, extname, join } from 'node:path';
import { contentsOf, type Invocation, readWorkflow } from '../../../../../cli/contract.ts';
import { FileProblem } from './yaml.ts';

/** A value of a file or of a request body, by member. */
export type Members = Record<string, unknown>;

/** A companion of a file: a script, a pipeline or a graph. */
export interface Companion {
  /** Relative to the project's folder. */
  path: string;
  text: string;
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

/**
 * Moves the document of a workflow into a file of its own. A workflow whose file has no name, or one that no file can have,
 * keeps its document.
 */
export function splitWorkflow(
  workflow: Members,
  { folder, name }: { folder: string; name: string },
): { members: Members; companions: Companion[] } {
  const { source, filename, ...rest } = workflow;
  const remaining = { ...workflow };
  if (isInferred(workflow)) {
    delete remaining.kind;
    delete rest.kind;
  }
  // Included files are stored under the digests of their contents, so the script stays with its list of them.
  if (
    typeof source !== 'string' ||
    typeof filename !== 'string' ||
    !SAFE_NAME.test(filename) ||
    workflow.files !== undefined
  )
    return { members: inOrder(remaining), companions: [] };
  const is_adjacent = filename === `${name}${extname(filename)}` && !/\.ya?ml$/i.test(filename);
  const file = is_adjacent ? filename : `${name}/${filename}`;
  return { members: inOrder({ ...rest, file }), companions: [{ path: `${folder}/${file}`, text: source }] };
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
