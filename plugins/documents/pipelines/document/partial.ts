import { compile, stepsOf } from '../../../platform/schema/contract.ts';
import { insteadOf } from './other-systems.ts';
import type { PipelineDocument } from '../generated/pipeline.ts';
import schema from '../schema/pipeline.schema.json' with { type: 'json' };

/** A member that is left out can make others invalid, but only a few times in a row. */
const MAX_ROUNDS = 4;
/** Keys of other systems that define what a job does, or names that others use. */
const DEFINING: ReadonlySet<string> = new Set(['uses', 'script', 'stage', 'stages', 'variables']);
const PLACEHOLDER = 'true';

/** What the checks after the form know about a document. Unknown parts cause no problems of their own. */
export interface Checkable {
  document: PipelineDocument;
  /** Jobs from which members of a wrong form were left out. */
  partial: ReadonlySet<string>;
  /** Whether a member next to `jobs` was left out. */
  partial_root: boolean;
  /** The names of all jobs, with those that were left out. */
  job_ids: ReadonlySet<string>;
}

type Tree = Record<string, unknown>;

const isMap = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

export const validDocument = (document: PipelineDocument): Checkable => ({
  document,
  partial: new Set(),
  partial_root: false,
  job_ids: new Set(Object.keys(document.jobs)),
});

/**
 * Leaves out every member of a wrong form, so that the rest of the document can be checked in the same pass. Returns
 * undefined when too little remains.
 */
export function withoutInvalidMembers(value: unknown): Checkable | undefined {
  if (!isMap(value) || !isMap(value.jobs)) return undefined;
  const job_ids = new Set(Object.keys(value.jobs));
  const document = structuredClone(value);
  const partial = new Set<string>();
  let partial_root = false;
  const check = compile(schema);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const errors = check(document);
    if (errors.length === 0)
      return { document: document as unknown as PipelineDocument, partial, partial_root, job_ids };
    for (const { pointer } of errors) {
      const steps = stepsOf(pointer);
      const [member, id, ...path] = steps.map(String);
      const is_harmless = insteadOf(steps) !== undefined && !DEFINING.has(String(steps.at(-1)));
      if (member === undefined) return undefined;
      // A job of an invalid name has an error of its own.
      if (member === 'jobs' && id === undefined) continue;
      if (member !== 'jobs') {
        partial_root ||= !is_harmless;
        delete document[member];
      } else {
        if (!is_harmless) partial.add(id!);
        leaveOut(document.jobs as Tree, id!, path);
      }
    }
  }
  return undefined;
}

function leaveOut(jobs: Tree, id: string, [member, index, inner]: string[]): void {
  const job = Object.hasOwn(jobs, id) ? jobs[id] : undefined;
  if (member === undefined) {
    // A job whose name is invalid: no check after this one needs it.
    delete jobs[id];
    if (!isMap(job)) jobs[id] = { steps: [{ run: PLACEHOLDER }] };
  } else if (isMap(job)) {
    if (member === 'steps' && index !== undefined && Array.isArray(job.steps)) leaveOutOfStep(job.steps, index, inner);
    else delete job[member];
  }
}

/** The other steps keep their places in the list. */
function leaveOutOfStep(steps: unknown[], index: string, member: string | undefined): void {
  const step = steps[Number(index)];
  if (member === undefined || !isMap(step)) steps[Number(index)] = { run: PLACEHOLDER };
  else if (member === 'run') step.run = PLACEHOLDER;
  else delete step[member];
}
