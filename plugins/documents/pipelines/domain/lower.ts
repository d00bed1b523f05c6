import { parseDuration } from '../../../../kernel/contracts/index.ts';
import type { FlowNode, FlowPlan } from '../../../engine/flows/contract.ts';
import { type Json, READS_INPUTS, readTerms, type WorkflowDocument } from '../../../engine/runs/contract.ts';
import type { Job, PipelineDocument, Step } from '../generated/pipeline.ts';
import { readCondition, hasTemplate, splitTemplate } from './templates.ts';
import { CALL_NODE, type CallPlan, findChild, isScript, readNodeId, findRepoFile, withFileRead } from './child.ts';
import { withJobLease, withLease } from './concurrency.ts';
import {
  type CacheSpec,
  FETCHES_ARTIFACTS,
  JOB_NODE,
  type JobPlan,
  LANGUAGE,
  QUESTION_NODE,
  type StepSpec,
} from './job-spec.ts';
import { combinationsOf, isComputed, type Matrix, MAX_COMBINATIONS } from '../explain/matrix.ts';
import { findReads, ROOTS } from './names.ts';
import { neededArtifacts, neededJobs } from './needs.ts';

/** One cache of a job, as it is written. */
type CacheChoice = Exclude<NonNullable<Job['cache']>, readonly unknown[]>;

/** The values that every expression of a run can read, in addition to its input and its jobs. */
export type PipelineConstants = {
  vars: Record<string, Json>;
  /** The document's variables, whose expressions are evaluated when they are read. */
  env: Record<string, Json>;
  /** Variables of the submit, which win over the document's. */
  given: Record<string, string>;
  /** Jobs with a matrix: their output is a list. */
  matrices: string[];
};

/** The plan of a checked pipeline. */
export function toFlowPlan(
  document: PipelineDocument,
  submitted: Pick<WorkflowDocument, 'env' | 'requires'>,
): FlowPlan {
  const { vars = {}, env = {}, jobs, outputs } = document;
  const matrices = Object.keys(jobs).filter((id) => jobs[id]!.strategy !== undefined);
  const constants = { vars, env, given: submitted.env, matrices } as PipelineConstants;
  const requires = [...(document.requires ?? []), ...submitted.requires];
  const output = outputs ? toOutput(outputs) : mergeScriptOutputs(document);
  return {
    language: LANGUAGE,
    nodes: withLease(
      document.concurrency,
      Object.entries(jobs).flatMap(([id, job]) => toFlowNodes(id, job, { document, requires })),
    ),
    constants,
    on_failure: 'finish',
    ...(output ? { output } : {}),
  };
}

interface LoweringContext {
  document: PipelineDocument;
  requires: readonly string[];
}

const toFlowNodes = (id: string, job: Job, context: LoweringContext): FlowNode[] =>
  withJobLease(job.concurrency, toFlowNode(id, job, context)).flatMap((node) =>
    node.id === id ? withFileRead(findRepoFile(job), node) : [node],
  );

function toFlowNode(id: string, job: Job, context: LoweringContext): FlowNode {
  const { strategy, retry, timeout, continue_on_error } = job;
  return {
    id,
    ...toWork(id, job, context),
    needs: neededJobs(job),
    reads: findReadJobs(job),
    ...toCondition(job),
    ...(strategy ? { fan_out: toFanOut(id, strategy) } : {}),
    ...(retry ? { retry: { attempts: retry.attempts, backoff_ms: toMs(retry.backoff) } } : {}),
    ...(timeout ? { timeout_ms: parseDuration(timeout) } : {}),
    ...(continue_on_error ? { continue_on_error } : {}),
  };
}

function toWork(id: string, job: Job, context: LoweringContext): Pick<FlowNode, 'type' | 'config'> {
  if (job.wait_for_event !== undefined) {
    const when = job.when === undefined ? null : readCondition(String(job.when)).expression;
    const untrusted = job.untrusted ?? false;
    return { type: 'wait_event', config: { type: job.wait_for_event, when, signal: `event:${id}`, untrusted } };
  }
  if (job.wait_for_signal !== undefined) {
    const { form, approvers, message } = job;
    if (message !== undefined && hasTemplate(message))
      return {
        type: QUESTION_NODE,
        config: { name: job.wait_for_signal, form: form ?? null, approvers: approvers ?? null, message } as Json,
      };
    const { terms } = readTerms({ form, approvers, message });
    return { type: 'wait_signal', config: { name: job.wait_for_signal, terms: terms as Json } };
  }
  if (job.wait_for_any !== undefined) {
    const list = job.wait_for_any.map(({ when, ...one }) =>
      when === undefined ? one : { ...one, when: readCondition(String(when)).expression },
    );
    return { type: 'wait_any', config: { for: list as Json } };
  }
  if (job.workflow !== undefined) return { type: CALL_NODE, config: toCallPlan(id, job, context) as unknown as Json };
  return { type: JOB_NODE, config: toJobPlan(id, job, context) as unknown as Json };
}

function toCallPlan(id: string, job: Job, { document, requires }: LoweringContext): CallPlan {
  const file = findRepoFile(job);
  return {
    workflow: findChild(document, id, job),
    from_repo: file ? { file, node: readNodeId(id) } : null,
    name: typeof job.workflow === 'string' ? job.workflow : id,
    requires: [...new Set([...requires, ...(job.requires ?? [])])],
    env: job.env ?? {},
    credentials: { ...document.credentials, ...job.credentials },
    checkout: job.checkout ?? document.checkout ?? null,
    with: (job.with ?? null) as Json,
  };
}

function toJobPlan(id: string, job: Job, { document, requires }: LoweringContext): JobPlan {
  const steps = job.steps!.map(toStepSpec);
  const outputs = (job.outputs ?? {}) as Record<string, Json>;
  const { artifacts = [] } = job;
  const needed_artifacts = neededArtifacts(job, document);
  const caches = [job.cache ?? []].flat().map(toCacheSpec);
  const texts = JSON.stringify([steps, outputs, artifacts, needed_artifacts, caches]);
  return {
    name: job.name ?? id,
    requires: [
      ...new Set([
        'bash',
        ...(needed_artifacts.length > 0 ? [FETCHES_ARTIFACTS] : []),
        ...(document.inputs === undefined ? [] : [READS_INPUTS]),
        ...requires,
        ...(job.requires ?? []),
      ]),
    ],
    env: job.env ?? {},
    credentials: { ...document.credentials, ...job.credentials },
    steps,
    outputs,
    artifacts,
    ...(needed_artifacts.length > 0 ? { needed_artifacts } : {}),
    ...(caches.length > 0 ? { caches } : {}),
    checkout: job.checkout ?? document.checkout ?? null,
    roots: ROOTS.filter((root) => root !== 'env' && root !== 'steps' && texts.includes(root)),
  };
}

const toCacheSpec = ({ key, files, paths, restore_keys }: CacheChoice): CacheSpec => ({
  key,
  files: files ?? [],
  paths,
  restore_keys: restore_keys ?? [],
});

function toStepSpec(step: Step, index: number): StepSpec {
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
    if: step.if === undefined ? null : readCondition(String(step.if)).expression,
    always,
    env,
    attempts: retry?.attempts ?? 1,
    backoff_ms: toMs(retry?.backoff),
    timeout_ms: timeout === undefined ? null : parseDuration(timeout),
    continue_on_error,
    working_directory: working_directory ?? '.',
  };
}

const toMs = (duration: string | undefined): number => (duration === undefined ? 0 : parseDuration(duration));

const toCondition = (job: Job): Pick<FlowNode, 'if'> =>
  job.if === undefined && !job.always
    ? {}
    : { if: { text: readCondition(String(job.if ?? true)).expression, always: job.always ?? false } };

const toFanOut = (job: string, strategy: NonNullable<Job['strategy']>): FlowNode['fan_out'] => {
  const { matrix, max_parallel, fail_fast } = strategy;
  const finish_all = fail_fast === false;
  if (isComputed(strategy))
    return {
      items: { config: { job, matrix } as Json },
      named: true,
      concurrency: max_parallel ?? MAX_COMBINATIONS,
      finish_all,
    };
  const items = combinationsOf(strategy as { matrix: Matrix }) as Json[];
  return { items, named: true, concurrency: max_parallel ?? items.length, finish_all };
};

/** Returns the jobs whose results a job reads. */
function findReadJobs(value: unknown): string[] {
  const job_ids = new Set<string>();
  const visit = (item: unknown, condition = false): void => {
    if (typeof item === 'string') {
      const segments = hasTemplate(item) ? splitTemplate(item) : condition ? [{ expression: item }] : [];
      for (const segment of Array.isArray(segments) ? segments : [])
        if (typeof segment !== 'string')
          for (const id of findReads(segment.expression, 'jobs')?.names ?? []) job_ids.add(id);
    } else if (item !== null && typeof item === 'object')
      for (const [name, inner] of Object.entries(item)) visit(inner, ['if', 'when', 'key'].includes(name));
  };
  visit(value);
  return [...job_ids];
}

/** Merges what the scripts set with `svc output set`, when the document does not declare its output. */
function mergeScriptOutputs({ jobs }: PipelineDocument): FlowPlan['output'] {
  const scripts = Object.keys(jobs).filter((id) => isScript(jobs[id]!));
  if (scripts.length === 0) return undefined;
  const members = scripts.map((id) => `jobs[${JSON.stringify(id)}].outputs`);
  return { text: `[${members.join(', ')}]`, reads: scripts, merged: true };
}

/** Combines the outputs of the run into one expression. */
function toOutput(outputs: Record<string, unknown>): FlowPlan['output'] {
  const members = Object.entries(outputs).map(([name, value]) => `${JSON.stringify(name)}: ${toExpression(value)}`);
  return { text: `{${members.join(', ')}}`, reads: findReadJobs(outputs) };
}

function toExpression(value: unknown): string {
  if (typeof value !== 'string' || !hasTemplate(value)) return JSON.stringify(value ?? null);
  return `(${readCondition(value).expression})`;
}
