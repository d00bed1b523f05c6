import type { Job, PipelineDocument } from '../generated/pipeline.ts';
import type { Findings } from './findings.ts';

const needsOf = ({ needs = [] }: Job): readonly string[] => [needs].flat();

/** Checks the names in `needs`, and that no jobs need each other in a circle. */
export function checkNeeds({ jobs }: PipelineDocument, findings: Findings): void {
  const known = new Set(Object.keys(jobs));
  for (const [id, job] of Object.entries(jobs)) checkNames(id, job, known, findings);
  if (!findings.any) checkCircles(jobs, findings);
}

/** The jobs that a job needs, directly and through others. They are looked for as far as they are asked for: most are near. */
export class Ancestors {
  readonly #jobs: PipelineDocument['jobs'];
  readonly #found = new Set<string>();
  /** Found ones in order, whose own needs are not all found. */
  readonly #open: string[] = [];
  #next = 0;

  constructor(jobs: PipelineDocument['jobs'], id: string) {
    this.#jobs = jobs;
    this.#add(id);
  }

  has(name: string): boolean {
    while (!this.#found.has(name)) {
      const next = this.#open[this.#next++];
      if (next === undefined) return false;
      this.#add(next);
    }
    return true;
  }

  all(): string[] {
    for (let next = this.#open[this.#next++]; next !== undefined; next = this.#open[this.#next++]) this.#add(next);
    return [...this.#found];
  }

  #add(id: string): void {
    for (const need of needsOf(this.#jobs[id]!)) {
      if (this.#found.has(need)) continue;
      this.#found.add(need);
      this.#open.push(need);
    }
  }
}

function checkNames(id: string, job: Job, known: ReadonlySet<string>, findings: Findings): void {
  const seen = new Set<string>();
  for (const [i, need] of needsOf(job).entries()) {
    const path = ['jobs', id, 'needs', ...(Array.isArray(job.needs) ? [i] : [])];
    if (need === id) findings.atValue(path, `the job \`${id}\` needs itself`);
    else if (!known.has(need))
      findings.atValue(path, `there is no job \`${need}\`${findings.hint(need, () => [...known])}`);
    else if (seen.has(need)) findings.atValue(path, `\`${need}\` is named twice`);
    seen.add(need);
  }
}

function checkCircles(jobs: PipelineDocument['jobs'], findings: Findings): void {
  const open = new Map(Object.entries(jobs).map(([id, job]) => [id, needsOf(job).length]));
  const needing = new Map<string, string[]>();
  for (const [id, job] of Object.entries(jobs))
    for (const need of needsOf(job)) {
      const others = needing.get(need);
      if (others) others.push(id);
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
    findings.atKey(['jobs', id, 'needs'], `jobs need each other in a circle, or a job of one: ${named}`);
}
