import type { Job, PipelineDocument } from '../generated/pipeline.ts';
import type { Findings } from './findings.ts';

const needsOf = ({ needs = [] }: Job): readonly string[] => [needs].flat();

/** Checks the names in `needs`, and that no jobs need each other in a circle. */
export function checkNeeds({ jobs }: PipelineDocument, findings: Findings): void {
  const job_ids = new Set(Object.keys(jobs));
  for (const [id, job] of Object.entries(jobs)) checkNames(id, job, job_ids, findings);
  if (!findings.hasProblems) checkCircles(jobs, findings);
}

/** The jobs that a job needs, directly and through others. The search is lazy, because most references are close. */
export class Ancestors {
  readonly #jobs: PipelineDocument['jobs'];
  readonly #ancestors = new Set<string>();
  /** Ancestors in the order in which they were found; those from `#next` on are not expanded yet. */
  readonly #open: string[] = [];
  #next = 0;

  constructor(jobs: PipelineDocument['jobs'], id: string) {
    this.#jobs = jobs;
    this.#add(id);
  }

  has(name: string): boolean {
    while (!this.#ancestors.has(name)) {
      const next = this.#open[this.#next++];
      if (next === undefined) return false;
      this.#add(next);
    }
    return true;
  }

  list(): string[] {
    for (let next = this.#open[this.#next++]; next !== undefined; next = this.#open[this.#next++]) this.#add(next);
    return [...this.#ancestors];
  }

  #add(id: string): void {
    for (const need of needsOf(this.#jobs[id]!)) {
      if (this.#ancestors.has(need)) continue;
      this.#ancestors.add(need);
      this.#open.push(need);
    }
  }
}

function checkNames(id: string, job: Job, job_ids: ReadonlySet<string>, findings: Findings): void {
  const seen = new Set<string>();
  for (const [i, need] of needsOf(job).entries()) {
    const path = ['jobs', id, 'needs', ...(Array.isArray(job.needs) ? [i] : [])];
    if (need === id) findings.atValue(path, `the job \`${id}\` needs itself`);
    else if (!job_ids.has(need))
      findings.atValue(path, `there is no job \`${need}\`${findings.hint(need, () => [...job_ids])}`);
    else if (seen.has(need)) findings.atValue(path, `\`${need}\` is named twice`);
    seen.add(need);
  }
}

function checkCircles(jobs: PipelineDocument['jobs'], findings: Findings): void {
  const open = new Map(Object.entries(jobs).map(([id, job]) => [id, needsOf(job).length]));
  const needing = new Map<string, string[]>();
  for (const [id, job] of Object.entries(jobs))
    for (const need of needsOf(job)) {
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
