import { parseDuration } from '../../../kernel/contracts/index.ts';
import type { FlowNode, FlowPlan } from '../../flows/contract.ts';
import type { Json, WorkflowDocument } from '../../runs/contract.ts';
import type { Job, PipelineDocument, Step } from '../generated/pipeline.ts';
import { conditionOf, hasHoles, partsOf } from './holes.ts';
import { CALL_NODE, type CallPlan, childOf, isScript, readNodeOf, repoFileOf, withFile } from './child.ts';
import { guarded, withLease } from './concurrency.ts';
import { JOB_NODE, type JobPlan, LANGUAGE, type StepSpec } from './job-spec.ts';
import { combinationsOf } from '../explain/matrix.ts';
import { readsOf, ROOTS } from './names.ts';

/** What every expression of a run can read beside its input and its jobs. */
export type PipelineConstants = {
  vars: Record<string, Json>;
  /** The document's variables; their holes are filled when they are read. */
  env: Record<string, Json>;
  /** Variables of the submit: they win over the document's. */
  given: Record<string, string>;
  /** Jobs with a matrix: their output is a list. */
  matrices: string[];
};

/** The plan of a checked pipeline. */
export function planOf(document: PipelineDocument, given: Pick<WorkflowDocument, 'env' | 'requires'>): FlowPlan {
  const { vars = {}, env = {}, jobs, outputs } = document;
  const matrices = Object.keys(jobs).filter((id) => jobs[id]!.strategy !== undefined);
  const constants = { vars, env, given: given.env, matrices } as PipelineConstants;
  const requires = [...(document.requires ?? []), ...given.requires];
  const output = outputs ? outputOf(outputs) : outputOfScripts(document);
  return {
    language: LANGUAGE,
    nodes: withLease(
      document.concurrency,
      Object.entries(jobs).flatMap(([id, job]) => nodesOf(id, job, { document, requires })),
    ),
    constants,
    on_failure: 'finish',
    ...(output ? { output } : {}),
  };
}

interface Around {
  document: PipelineDocument;
  requires: readonly string[];
}

const nodesOf = (id: string, job: Job, around: Around): FlowNode[] =>
  guarded(job.concurrency, nodeOf(id, job, around)).flatMap((node) =>
    node.id === id ? withFile(repoFileOf(job), node) : [node],
  );

function nodeOf(id: string, job: Job, around: Around): FlowNode {
  const { strategy, retry, timeout, needs = [], continue_on_error } = job;
  return {
    id,
    ...workOf(id, job, around),
    needs: [needs].flat(),
    reads: jobsRead(job),
    ...ifOf(job),
    ...(strategy ? { fan_out: fanOut(strategy) } : {}),
    ...(retry ? { retry: { attempts: retry.attempts, backoff_ms: ms(retry.backoff) } } : {}),
    ...(timeout ? { timeout_ms: parseDuration(timeout) } : {}),
    ...(continue_on_error ? { continue_on_error } : {}),
  };
}

function workOf(id: string, job: Job, around: Around): Pick<FlowNode, 'type' | 'config'> {
  if (job.wait_for_event !== undefined) {
    const when = job.when === undefined ? null : conditionOf(String(job.when)).expression;
    const untrusted = job.untrusted ?? false;
    return { type: 'wait_event', config: { type: job.wait_for_event, when, signal: `event:${id}`, untrusted } };
  }
  if (job.workflow !== undefined) return { type: CALL_NODE, config: callPlan(id, job, around) as unknown as Json };
  return { type: JOB_NODE, config: jobPlan(id, job, around) as unknown as Json };
}

function callPlan(id: string, job: Job, { document, requires }: Around): CallPlan {
  const file = repoFileOf(job);
  return {
    workflow: childOf(document, id, job),
    from_repo: file ? { file, node: readNodeOf(id) } : null,
    name: typeof job.workflow === 'string' ? job.workflow : id,
    requires: [...new Set([...requires, ...(job.requires ?? [])])],
    env: job.env ?? {},
    credentials: { ...document.credentials, ...job.credentials },
    checkout: job.checkout ?? document.checkout ?? null,
    with: (job.with ?? null) as Json,
  };
}

function jobPlan(id: string, job: Job, { document, requires }: Around): JobPlan {
  const steps = job.steps!.map(stepOf);
  const outputs = (job.outputs ?? {}) as Record<string, Json>;
  const { artifacts = [] } = job;
  const texts = JSON.stringify([steps, outputs, artifacts]);
  return {
    name: job.name ?? id,
    requires: [...new Set(['bash', ...requires, ...(job.requires ?? [])])],
    env: job.env ?? {},
    credentials: { ...document.credentials, ...job.credentials },
    steps,
    outputs,
    artifacts,
    checkout: job.checkout ?? document.checkout ?? null,
    roots: ROOTS.filter((root) => root !== 'env' && root !== 'steps' && texts.includes(root)),
  };
}

function stepOf(step: Step, index: number): StepSpec {
  const {
    id,
    name,
    run,
    always = false,
    env = {},
    retry,
    timeout,
    continue_on_error = false,
    working_directory,
  } = step;
  return {
    id: id ?? null,
    name: name ?? id ?? `step ${index + 1}`,
    run,
    if: step.if === undefined ? null : conditionOf(String(step.if)).expression,
    always,
    env,
    attempts: retry?.attempts ?? 1,
    backoff_ms: ms(retry?.backoff),
    timeout_ms: timeout === undefined ? null : parseDuration(timeout),
    continue_on_error,
    working_directory: working_directory ?? '.',
  };
}

const ms = (duration: string | undefined): number => (duration === undefined ? 0 : parseDuration(duration));

const ifOf = (job: Job): Pick<FlowNode, 'if'> =>
  job.if === undefined && !job.always
    ? {}
    : { if: { text: conditionOf(String(job.if ?? true)).expression, always: job.always ?? false } };

const fanOut = (strategy: NonNullable<Job['strategy']>): FlowNode['fan_out'] => {
  const items = combinationsOf(strategy) as Json[];
  return {
    items,
    named: true,
    concurrency: strategy.max_parallel ?? items.length,
    finish_all: strategy.fail_fast === false,
  };
};

/** The jobs whose results a job reads. */
function jobsRead(value: unknown): string[] {
  const found = new Set<string>();
  const visit = (one: unknown, condition = false): void => {
    if (typeof one === 'string') {
      const parts = hasHoles(one) ? partsOf(one) : condition ? [{ expression: one }] : [];
      for (const part of Array.isArray(parts) ? parts : [])
        if (typeof part !== 'string') for (const id of readsOf(part.expression, 'jobs')?.names ?? []) found.add(id);
    } else if (one !== null && typeof one === 'object')
      for (const [name, inner] of Object.entries(one)) visit(inner, name === 'if');
  };
  visit(value);
  return [...found];
}

/** What its scripts have set with `svc output set`, where the document does not say what its output is. */
function outputOfScripts({ jobs }: PipelineDocument): FlowPlan['output'] {
  const scripts = Object.keys(jobs).filter((id) => isScript(jobs[id]!));
  if (scripts.length === 0) return undefined;
  const members = scripts.map((id) => `jobs[${JSON.stringify(id)}].outputs`);
  return { text: `[${members.join(', ')}]`, reads: scripts, merged: true };
}

/** The output of the run as one expression. */
function outputOf(outputs: Record<string, unknown>): FlowPlan['output'] {
  const members = Object.entries(outputs).map(([name, value]) => `${JSON.stringify(name)}: ${expressionOf(value)}`);
  return { text: `{${members.join(', ')}}`, reads: jobsRead(outputs) };
}

function expressionOf(value: unknown): string {
  if (typeof value !== 'string' || !hasHoles(value)) return JSON.stringify(value ?? null);
  return `(${conditionOf(value).expression})`;
}
