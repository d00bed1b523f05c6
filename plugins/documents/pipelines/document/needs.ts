import { neededJobs, readNeeds } from '../domain/needs.ts';
import { hasTemplate } from '../domain/templates.ts';
import type { Job, PipelineDocument } from '../generated/pipeline.ts';
import type { Findings } from './findings.ts';
import type { Checkable } from './partial.ts';
import type { Path } from './source.ts';

/**
 * Checks the names and artifacts in `needs`, and that no jobs need each other in a circle.
 */
export function checkNeeds(checkable: Checkable, findings: Findings): void {
  const { document, job_ids } = checkable;
  const { jobs } = document;
  const valid_needs = Object.entries(jobs).map(([id, job]) => {
    checkArtifacts(id, job, checkable, findings);
    return checkNames(id, job, job_ids, findings);
  });
  if (valid_needs.every(Boolean) && Object.keys(jobs).length === job_ids.size) checkCircles(jobs, findings);
}

/** The jobs that a job needs, directly and through others. The search is lazy, because most references are close. */
export class Ancestors {
  readonly #jobs: PipelineDocument['jobs'];
  readonly #partial: ReadonlySet<string>;
  readonly #ancestors = new Set<string>();
  /** Ancestors in the order in which they were found; those from `#next` on are not expanded yet. */
  readonly #open: string[] = [];
  #next = 0;
  /** Whether a need is not known, which has a problem of its own. Any job can then be an ancestor. */
  #isPartial = false;

  constructor({ document: { jobs }, partial }: Checkable, id: string) {
    this.#jobs = jobs;
    this.#partial = partial;
    this.#add(id);
  }

  has(name: string): boolean {
    while (!this.#ancestors.has(name)) {
      const next = this.#open[this.#next++];
      if (next === undefined) return this.#isPartial;
      this.#add(next);
    }
    return true;
  }

  list(): string[] {
    for (let next = this.#open[this.#next++]; next !== undefined; next = this.#open[this.#next++]) this.#add(next);
    return [...this.#ancestors];
  }

  #add(id: string): void {
    if (this.#partial.has(id) || !Object.hasOwn(this.#jobs, id)) this.#isPartial = true;
    for (const need of neededJobs(Object.hasOwn(this.#jobs, id) ? this.#jobs[id]! : {})) {
      if (this.#ancestors.has(need)) continue;
      this.#ancestors.add(need);
      this.#open.push(need);
    }
  }
}

/** Returns whether every name is valid. */
function checkNames(id: string, job: Job, job_ids: ReadonlySet<string>, findings: Findings): boolean {
  let is_valid = true;
  const report = (path: Path, message: string) => {
    is_valid = false;
    findings.atValue(path, message);
  };
  const seen = new Set<string>();
  for (const [i, { job: need, is_object }] of readNeeds(job).entries()) {
    const path = ['jobs', id, 'needs', ...(Array.isArray(job.needs) ? [i] : []), ...(is_object ? ['job'] : [])];
    if (need === id) report(path, `the job \`${id}\` needs itself`);
    else if (!job_ids.has(need)) report(path, `there is no job \`${need}\`${findings.hint(need, () => [...job_ids])}`);
    else if (seen.has(need)) report(path, `\`${need}\` is named twice`);
    seen.add(need);
  }
  return is_valid;
}

/** Only a job with steps has a workspace, and the other job's paths must be known when this job starts. */
function checkArtifacts(id: string, job: Job, { document: { jobs }, partial }: Checkable, findings: Findings): void {
  for (const [i, { job: need, artifacts }] of readNeeds(job).entries()) {
    if (artifacts === undefined || artifacts === false) continue;
    const path = ['jobs', id, 'needs', i, 'artifacts'];
    if (job.steps === undefined && !partial.has(id))
      findings.atKey(path, 'only a job with `steps` has a workspace; in a script, use `svc artifact get`');
    const is_declared = Object.hasOwn(jobs, need) && !partial.has(need);
    const stored = artifacts === true && is_declared ? jobs[need]! : undefined;
    if (stored !== undefined && (stored.artifacts ?? []).length === 0)
      findings.atValue(path, `\`${need}\` has no \`artifacts\`; list the paths that it stores`);
    else if (stored?.artifacts?.some(hasTemplate))
      findings.atValue(path, `the \`artifacts\` of \`${need}\` contain expressions; list the paths here`);
  }
}

function checkCircles(jobs: PipelineDocument['jobs'], findings: Findings): void {
  const open = new Map(Object.entries(jobs).map(([id, job]) => [id, neededJobs(job).length]));
  const needing = new Map<string, string[]>();
  for (const [id, job] of Object.entries(jobs))
    for (const need of neededJobs(job)) {
      const dependents = needing.get(need);
      if (dependents) dependents.push(id);
      else needing.set(need, [id]);
    }
  const ready = [...open].filter(([, needs]) => needs === 0).map(([id]) => id);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    open.delete(id);
    for (const next of needing.get(id) ?? []) {
      open.set(next, open.get(next)! - 1);
      if (open.get(next) === 0) ready.push(next);
    }
  }
  const stuck = [...open.keys()];
  const named = stuck.slice(0, 10).join(', ') + (stuck.length > 10 ? ', …' : '');
  for (const id of stuck)
    findings.atKey(['jobs', id, 'needs'], `jobs need each other in a cycle, or need a job that does: ${named}`);
}
