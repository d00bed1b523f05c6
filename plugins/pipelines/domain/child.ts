import { posix } from 'node:path';
import type { FlowNode } from '../../flows/contract.ts';
import type { CheckoutOptions, IncludedFile, Json, WorkflowReference } from '../../runs/contract.ts';
import type { FromRepo, Job, PipelineDocument } from '../generated/pipeline.ts';
import { OWN_NODES } from './concurrency.ts';

/** The type of node that a `workflow` job is in a plan. */
export const CALL_NODE = 'pipeline_call';
/** Reads the file of a repository that such a job runs. */
export const READ_NODE = 'pipeline_read';

/** What it runs, and what lies beside that. */
export type Child = WorkflowReference & { files?: IncludedFile[] };

/** Pipelines within pipelines: the command line adds no more. */
const MAX_DEPTH = 8;

/** A `workflow` job of a plan: nothing is filled in yet. */
export interface CallPlan {
  /** Absent: the file is not in `files`, or is read from a repository. */
  workflow: Child | undefined;
  /** The file of a repository, and the node that reads it. */
  from_repo: { file: FromRepo; node: string } | null;
  /** Shown as what the run waits for. */
  name: string;
  /** Of a script. Absent in plans of earlier versions. */
  requires?: string[];
  env: Record<string, Json>;
  credentials: Record<string, string>;
  /** As a job with steps has it; scripts only. Absent in plans of earlier versions. */
  checkout?: boolean | CheckoutOptions | null;
  with: Json;
}

/** What a `workflow` job runs; undefined when the document does not have the file. */
export function childOf(
  { files = {}, included = {} }: PipelineDocument,
  id: string,
  { workflow }: Job,
): Child | undefined {
  if (typeof workflow !== 'string') return workflow?.graph === undefined ? undefined : { graph: workflow.graph };
  const source = fileAt(files, workflow);
  if (source === undefined) return undefined;
  const beside = Object.hasOwn(included, id) ? included[id]! : [];
  return { ...documentOf(workflow, source), ...(beside.length > 0 && { files: beside }) };
}

/** A file by its path: `./ship.sh` and `ship.sh` are one. */
function fileAt(files: Readonly<Record<string, string>>, path: string): string | undefined {
  if (Object.hasOwn(files, path)) return files[path];
  const wanted = posix.normalize(path);
  return Object.entries(files).find(([other]) => posix.normalize(other) === wanted)?.[1];
}

/** Pairs of names in `files` that are one path and hold different texts. */
export function fileClashes(files: Readonly<Record<string, string>>): [string, string][] {
  const first = new Map<string, string>();
  return Object.keys(files).flatMap((name) => {
    const path = posix.normalize(name);
    const other = first.get(path);
    if (other === undefined) first.set(path, name);
    return other === undefined || files[other] === files[name] ? [] : [[other, name] as [string, string]];
  });
}

/** The files beside all scripts that a document holds, also in the pipelines that it runs. */
export function heldFiles(
  { files = {}, included = {} }: PipelineDocument,
  read: (text: string) => PipelineDocument | undefined,
  depth = 0,
): IncludedFile[] {
  const own = Object.values(included).flat();
  if (depth >= MAX_DEPTH) return own;
  const nested = Object.entries(files).filter(([path]) => /\.ya?ml$/i.test(path));
  return own.concat(
    nested.flatMap(([, text]) => {
      const document = read(text);
      return document ? heldFiles(document, read, depth + 1) : [];
    }),
  );
}

/** A document as a submit names it. */
export const documentOf = (path: string, source: string): WorkflowReference => ({
  filename: path.split('/').at(-1),
  source,
});

/** The file of a repository that a job runs. */
export const repoFileOf = ({ workflow }: Job): FromRepo | undefined =>
  typeof workflow === 'object' ? workflow.from_repo : undefined;

/** By the ending of its file: pipelines and graphs are runs of their own. */
export function isScript(job: Job): boolean {
  const path = typeof job.workflow === 'string' ? job.workflow : repoFileOf(job)?.path;
  return path !== undefined && !/\.(ya?ml|json)$/i.test(path);
}

/** What a job runs, for people. */
export function shownWorkflow(workflow: NonNullable<Job['workflow']>): string {
  if (typeof workflow === 'string') return workflow;
  return workflow.from_repo ? shownFile(workflow.from_repo) : `graph ${workflow.graph}`;
}

/** `ops/ci.yml of acme/web at main`. */
export const shownFile = ({ path, repo, ref }: Pick<FromRepo, 'path' | 'repo' | 'ref'>): string =>
  `${path} of ${repo}${ref === undefined ? '' : ` at ${ref}`}`;

export const readNodeOf = (id: string): string => `${OWN_NODES}read-${id}`;

/** Puts the reading of a file before the job that runs it. A failure becomes that of the job. */
export function withFile(file: FromRepo | undefined, node: FlowNode): FlowNode[] {
  if (file === undefined) return [node];
  const { needs, if: wanted, fan_out: _all, ...job } = node;
  const id = readNodeOf(node.id);
  const read: FlowNode = {
    ...job,
    ...{
      id,
      type: READ_NODE,
      part_of: { node: node.id, type: node.type },
      config: { ...file },
      needs,
      continue_on_error: true,
    },
    ...(wanted ? { if: wanted } : {}),
  };
  const { if: _asked, ...rest } = node;
  return [read, { ...rest, needs: [id], reads: [...(node.reads ?? []), id] }];
}

/** A script gets credentials from whoever starts it; other kinds name their own. */
export const takesCredentials = ({ filename = '', source }: WorkflowReference): boolean =>
  source !== undefined && !/\.ya?ml$/i.test(filename) && !source.trimStart().startsWith('{');
