import { parse } from 'yaml';
import { type Combination, combinationsOf, sizeOf } from '../../../../documents/pipelines/explain/matrix.ts';

/** A job as its document has it, so far as pages show it. */
export interface Job {
  id: string;
  kind: 'steps' | 'event' | 'workflow';
  needs: string[];
  /** Names of its steps. */
  steps: string[];
  /** Of its matrix; empty without one. */
  cells: Combination[];
  condition?: string;
  /** The group of which it needs the lease. */
  group?: string;
  /** The type of event, or what it runs. */
  what?: string;
  /** It runs a script, which has calls of its own in this run. */
  script: boolean;
}

/** More are not drawn as cells. */
const MAX_CELLS = 1000;

type Fields = Record<string, unknown>;

/** What cannot be read has no jobs: the check says why. */
export function jobsOf(source: string): Job[] {
  const document = parsed(source);
  if (!isFields(document) || !isFields(document.jobs)) return [];
  return Object.entries(document.jobs).flatMap(([id, job]) => (isFields(job) ? [jobOf(id, job)] : []));
}

function parsed(source: string): unknown {
  try {
    // As the server reads it, aliases are few: a small text must not become a large one.
    return parse(source, { maxAliasCount: 1000, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function jobOf(id: string, job: Fields): Job {
  const steps = Array.isArray(job.steps) ? job.steps.filter(isFields) : [];
  const waits = typeof job.wait_for_event === 'string';
  const group = isFields(job.concurrency) ? job.concurrency.group : job.concurrency;
  return {
    id,
    kind: waits ? 'event' : job.workflow === undefined ? 'steps' : 'workflow',
    script: isScript(job.workflow),
    needs: [job.needs ?? []]
      .flat()
      .map((need) => (isFields(need) ? need.job : need))
      .filter((need) => typeof need === 'string'),
    steps: steps.map((step, index) => String(step.name ?? step.id ?? `step ${index + 1}`)),
    cells: cellsOf(job.strategy),
    ...(job.if !== undefined && { condition: String(job.if) }),
    ...(typeof group === 'string' && { group }),
    ...(waits && { what: job.wait_for_event as string }),
    ...(job.workflow !== undefined && { what: calledBy(job.workflow) }),
  };
}

/** By the ending of its path: other files and stored graphs are runs of their own. */
function isScript(workflow: unknown): boolean {
  const repo = isFields(workflow) && isFields(workflow.from_repo) ? workflow.from_repo.path : workflow;
  return typeof repo === 'string' && !/\.(ya?ml|json)$/i.test(repo);
}

function calledBy(workflow: unknown): string {
  if (!isFields(workflow)) return String(workflow);
  const { graph, from_repo } = workflow;
  if (graph !== undefined) return `the graph ${String(graph)}`;
  return isFields(from_repo) ? `${String(from_repo.path)} of ${String(from_repo.repo)}` : 'a workflow';
}

function cellsOf(strategy: unknown): Combination[] {
  if (!isFields(strategy) || !isFields(strategy.matrix)) return [];
  const given = strategy as { matrix: Fields };
  const axes = Object.entries(given.matrix);
  if (!axes.every(([, values]) => Array.isArray(values))) return [];
  return sizeOf(given) > MAX_CELLS ? [] : combinationsOf(given);
}

/** `node 20, os linux`. */
export const cellName = (cell: Combination): string =>
  Object.entries(cell)
    .map(([axis, value]) => `${axis} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

/** `debian · 24`: the values alone, where the axes stand beside each other anyhow. */
export const valuesOf = (cell: Combination): string =>
  Object.values(cell)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' · ');

/** Jobs by the number of jobs that must be over before them; jobs of a circle stand in the last one. */
export function stagesOf(jobs: readonly Job[]): Job[][] {
  const stages: Job[][] = [];
  const placed = new Set<string>();
  const known = new Set(jobs.map(({ id }) => id));
  let left = [...jobs];
  while (left.length > 0) {
    const ready = left.filter(({ needs }) => needs.every((need) => placed.has(need) || !known.has(need)));
    const stage = ready.length > 0 ? ready : left;
    stages.push(stage);
    for (const { id } of stage) placed.add(id);
    left = left.filter(({ id }) => !placed.has(id));
  }
  return stages;
}
