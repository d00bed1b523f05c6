import { posix } from 'node:path';
import type { FlowNode } from '../../../engine/flows/contract.ts';
import type { CheckoutOptions, IncludedFile, Json, WorkflowReference } from '../../../engine/runs/contract.ts';
import type { FromRepo, Job, PipelineDocument } from '../generated/pipeline.ts';
import { RESERVED_NODES } from './concurrency.ts';

/** The type of node that a `workflow` job is in a plan. */
export const CALL_NODE = 'pipeline_call';
/** The node type that reads the repository file of a `workflow` job. */
export const READ_NODE = 'pipeline_read';

/** A workflow that a job runs, with the files that belong to its script. */
export type ChildWorkflow = WorkflowReference & { files?: IncludedFile[] };

/** Pipelines within pipelines: the command line adds no more. */
const MAX_DEPTH = 8;

/** The config of a `workflow` job in a plan, before its expressions are evaluated. */
export interface CallPlan {
  /** Undefined when the file is not in `files`, or is read from a repository. */
  workflow: ChildWorkflow | undefined;
  /** The file of a repository, and the node that reads it. */
  from_repo: { file: FromRepo; node: string } | null;
  /** Shown as what the run waits for. */
  name: string;
  /** Requirements of a script. Plans of earlier versions lack them. */
  requires?: string[];
  env: Record<string, Json>;
  credentials: Record<string, string>;
  /** The same as for a job with steps; only scripts use it. Plans of earlier versions lack it. */
  checkout?: boolean | CheckoutOptions | null;
  with: Json;
}

/** Returns what a `workflow` job runs; undefined when the document does not have the file. */
export function findChild(
  { files = {}, included = {} }: PipelineDocument,
  id: string,
  { workflow }: Job,
): ChildWorkflow | undefined {
  if (typeof workflow !== 'string') return workflow?.graph === undefined ? undefined : { graph: workflow.graph };
  const source = findFile(files, workflow);
  if (source === undefined) return undefined;
  const included_files = Object.hasOwn(included, id) ? included[id]! : [];
  return { ...toReference(workflow, source), ...(included_files.length > 0 && { files: included_files }) };
}

/** Finds a file by its path; `./ship.sh` and `ship.sh` are the same. */
function findFile(files: Readonly<Record<string, string>>, path: string): string | undefined {
  if (Object.hasOwn(files, path)) return files[path];
  const normalized = posix.normalize(path);
  return Object.entries(files).find(([other]) => posix.normalize(other) === normalized)?.[1];
}

/** Finds pairs of names in `files` that are the same path with different texts. */
export function findFileClashes(files: Readonly<Record<string, string>>): [string, string][] {
  const first = new Map<string, string>();
  return Object.keys(files).flatMap((name) => {
    const path = posix.normalize(name);
    const first_name = first.get(path);
    if (first_name === undefined) first.set(path, name);
    return first_name === undefined || files[first_name] === files[name]
      ? []
      : [[first_name, name] as [string, string]];
  });
}

/** Lists the files that belong to the scripts of a document and of the pipelines that it runs. */
export function collectIncludedFiles(
  { files = {}, included = {} }: PipelineDocument,
  read: (text: string) => PipelineDocument | undefined,
  depth = 0,
): IncludedFile[] {
  const included_here = Object.values(included).flat();
  if (depth >= MAX_DEPTH) return included_here;
  const nested = Object.entries(files).filter(([path]) => /\.ya?ml$/i.test(path));
  return included_here.concat(
    nested.flatMap(([, text]) => {
      const document = read(text);
      return document ? collectIncludedFiles(document, read, depth + 1) : [];
    }),
  );
}

/** A document as a submit names it. */
export const toReference = (path: string, source: string): WorkflowReference => ({
  filename: path.split('/').at(-1),
  source,
});

/** The file of a repository that a job runs. */
export const findRepoFile = ({ workflow }: Job): FromRepo | undefined =>
  typeof workflow === 'object' ? workflow.from_repo : undefined;

/** Decides by the extension of the file: pipelines and graphs are runs of their own. */
export function isScript(job: Job): boolean {
  const path = typeof job.workflow === 'string' ? job.workflow : findRepoFile(job)?.path;
  return path !== undefined && !/\.(ya?ml|json)$/i.test(path);
}

/** Describes what a job runs, for messages. */
export function describeWorkflow(workflow: NonNullable<Job['workflow']>): string {
  if (typeof workflow === 'string') return workflow;
  return workflow.from_repo ? describeRepoFile(workflow.from_repo) : `graph ${workflow.graph}`;
}

/** Describes a file, such as `ops/ci.yml of acme/web at main`. */
export const describeRepoFile = ({ path, repo, ref }: Pick<FromRepo, 'path' | 'repo' | 'ref'>): string =>
  `${path} of ${repo}${ref === undefined ? '' : ` at ${ref}`}`;

export const readNodeId = (id: string): string => `${RESERVED_NODES}read-${id}`;

/** Puts the reading of a file before the job that runs it. A failure becomes that of the job. */
export function withFileRead(file: FromRepo | undefined, node: FlowNode): FlowNode[] {
  if (file === undefined) return [node];
  const { needs, if: condition, fan_out: _all, ...job } = node;
  const id = readNodeId(node.id);
  const read: FlowNode = {
    ...job,
    id,
    type: READ_NODE,
    part_of: { node: node.id, type: node.type },
    config: { ...file },
    needs,
    continue_on_error: true,
    ...(condition ? { if: condition } : {}),
  };
  const { if: _asked, ...rest } = node;
  return [read, { ...rest, needs: [id], reads: [...(node.reads ?? []), id] }];
}

/** Scripts get their credentials from their caller. Other kinds name their own. */
export const takesCredentials = ({ filename = '', source }: WorkflowReference): boolean =>
  source !== undefined && !/\.ya?ml$/i.test(filename) && !source.trimStart().startsWith('{');
