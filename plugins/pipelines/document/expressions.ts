import {
  type Expression,
  type ExpressionProblem,
  type Expressions,
  isServiceError,
} from '../../../kernel/contracts/index.ts';
import { conditionOf, hasHoles, partsOf } from '../domain/holes.ts';
import { axesOf } from '../explain/matrix.ts';
import { readsOf, type Root } from '../domain/names.ts';
import { repoFileOf } from '../domain/child.ts';
import type { Job, PipelineDocument, Step } from '../generated/pipeline.ts';
import { didYouMean, type Findings } from './findings.ts';
import { Ancestors } from './needs.ts';
import type { Path } from './source.ts';

const EVENT = ['event'] as const;
const OF_RUN: readonly Root[] = ['input', 'vars', 'run'];
const OF_JOB: readonly Root[] = [...OF_RUN, 'env', 'matrix', 'jobs'];
const OF_STEP: readonly Root[] = [...OF_JOB, 'steps'];

/** What the expressions of one place may name. */
interface Scope {
  roots: readonly Root[];
  vars: readonly string[];
  jobs?: Pick<Ancestors, 'has' | 'all'> & { hasMatrix(name: string): boolean };
  steps?: readonly string[];
  matrix?: readonly string[];
}

/** Compiles every expression of a document, and checks the names that it reads. */
export function checkExpressions(document: PipelineDocument, expressions: Expressions, findings: Findings): void {
  const check = new ExpressionCheck(expressions, findings);
  const vars = Object.keys(document.vars ?? {});
  const run = { roots: OF_RUN, vars };
  check.all(document.env, ['env'], run);
  check.all(document.concurrency, ['concurrency'], { ...run, roots: [...OF_RUN, 'env'] });
  const jobs = {
    has: (name: string) => Object.hasOwn(document.jobs, name),
    all: () => Object.keys(document.jobs),
    hasMatrix: (name: string) => hasMatrix(document, name),
  };
  for (const [name, value] of Object.entries(document.outputs ?? {}))
    check.output(value, ['outputs', name], { roots: [...OF_RUN, 'env', 'jobs'], vars, jobs });
  for (const [id, job] of Object.entries(document.jobs)) checkJob(document, id, job, check);
}

function checkJob(document: PipelineDocument, id: string, job: Job, check: ExpressionCheck): void {
  const path = ['jobs', id];
  const matrix = job.strategy ? axisNames(job) : [];
  const vars = Object.keys(document.vars ?? {});
  const above = new Ancestors(document.jobs, id);
  const jobs = {
    has: (name: string) => above.has(name),
    all: () => above.all(),
    hasMatrix: (name: string) => hasMatrix(document, name),
  };
  const scope: Scope = { roots: OF_JOB, vars, matrix, jobs };
  const whole = { ...scope, roots: OF_JOB.filter((root) => root !== 'matrix') };
  check.condition(job.if, [...path, 'if'], whole);
  check.all(job.concurrency, [...path, 'concurrency'], whole);
  check.all(job.env, [...path, 'env'], scope);
  check.all(job.requires, [...path, 'requires'], scope);
  check.all(job.with, [...path, 'with'], scope);
  // The file is read once for all combinations. Its credential has no holes, which the rules say.
  const { credential: _named, ...file } = repoFileOf(job) ?? {};
  check.all(file, [...path, 'workflow', 'from_repo'], whole);
  check.predicate(job.when, [...path, 'when']);
  const steps: string[] = [];
  const given = { ...document.env, ...job.env };
  for (const [i, step] of (job.steps ?? []).entries()) {
    checkStep(step, [...path, 'steps', i], { ...scope, roots: OF_STEP, steps: [...steps] }, { check, given });
    if (step.id !== undefined) steps.push(step.id);
  }
  const after = { ...scope, roots: OF_STEP, steps };
  check.all(job.outputs, [...path, 'outputs'], after);
  check.all(job.artifacts, [...path, 'artifacts'], after);
}

const hasMatrix = ({ jobs }: PipelineDocument, name: string): boolean =>
  Object.hasOwn(jobs, name) && jobs[name]?.strategy !== undefined;

interface StepParts {
  check: ExpressionCheck;
  /** The variables of workflow and job. */
  given: Readonly<Record<string, unknown>>;
}

function checkStep(step: Step, path: Path, scope: Scope, { check, given }: StepParts): void {
  check.condition(step.if, [...path, 'if'], scope);
  check.all(step.env, [...path, 'env'], scope);
  check.all(step.working_directory, [...path, 'working_directory'], scope);
  check.program(step.run, [...path, 'run'], scope, { ...given, ...step.env });
}

function axisNames({ strategy }: Job): string[] {
  const include = strategy!.matrix.include ?? [];
  return [...new Set([...Object.keys(axesOf(strategy!)), ...include.flatMap((entry) => Object.keys(entry))])];
}

class ExpressionCheck {
  readonly #expressions: Expressions;
  readonly #findings: Findings;

  constructor(expressions: Expressions, findings: Findings) {
    this.#expressions = expressions;
    this.#findings = findings;
  }

  /** The holes of every text below a value. */
  all(value: unknown, path: Path, scope: Scope): void {
    if (typeof value === 'string') return this.#holes(value, path, scope);
    if (value === null || typeof value !== 'object') return;
    for (const [name, one] of Object.entries(value))
      this.all(one, [...path, Array.isArray(value) ? Number(name) : name], scope);
  }

  /** An output of the run: one hole as a whole, or no hole. */
  output(value: unknown, path: Path, scope: Scope): void {
    if (typeof value === 'string' && hasHoles(value)) {
      const { nth } = conditionOf(value);
      if (nth === undefined)
        return this.#findings.atValue(
          path,
          'an output of the pipeline is one `${{ }}` as a whole; add texts inside it',
        );
    } else if (value !== null && typeof value === 'object' && hasHoles(JSON.stringify(value)))
      return this.#findings.atValue(path, 'an output of the pipeline has no `${{ }}` below its own text');
    this.all(value, path, scope);
  }

  condition(value: string | boolean | undefined, path: Path, scope: Scope): void {
    if (typeof value !== 'string') return;
    const { expression, nth } = conditionOf(value);
    if (nth === undefined && hasHoles(value))
      return this.#findings.atValue(path, 'a condition is one expression; write it without `${{ }}`');
    this.#compile(expression, path, nth, scope);
  }

  /** A predicate sees the event and nothing else. */
  predicate(value: string | boolean | undefined, path: Path): void {
    if (typeof value !== 'string') return;
    const { expression, nth } = conditionOf(value);
    for (const { line, column, message } of this.#expressions.check(expression, EVENT))
      this.#findings.within(path, nth, { line, column }, message);
  }

  /** A program: what somebody outside chose must not become a part of its text. */
  program(text: string, path: Path, scope: Scope, env: Readonly<Record<string, unknown>>): void {
    this.#holes(text, path, scope, (expression) => foreignName(expression, env));
  }

  #holes(text: string, path: Path, scope: Scope, foreign?: (expression: string) => string | undefined): void {
    if (!hasHoles(text)) return;
    const parts = partsOf(text);
    if (!Array.isArray(parts))
      return this.#findings.within(path, parts.unclosed, { line: 1, column: 1 }, 'this `${{` has no `}}`');
    for (const part of parts) {
      if (typeof part === 'string') continue;
      const name = foreign?.(part.expression);
      if (name === undefined) this.#compile(part.expression, path, part.nth, scope);
      else this.#findings.within(path, part.nth, { line: 1, column: 1 }, injected(name));
    }
  }

  #compile(expression: string, path: Path, nth: number | undefined, scope: Scope): void {
    let compiled: Expression;
    try {
      compiled = this.#expressions.compile(expression, scope.roots);
    } catch (error) {
      if (!isServiceError(error, 'expression_invalid')) throw error;
      for (const { line, column, message } of this.#expressions.check(expression, scope.roots))
        this.#findings.within(path, nth, { line, column }, message);
      return;
    }
    const say = (message: string) => this.#findings.within(path, nth, { line: 1, column: 1 }, message);
    const hint = (name: string, known: () => readonly string[]) => this.#findings.hint(name, known);
    checkMembers(expression, scope, { say, hint });
    for (const { line, column, message } of unknownFields(compiled, scope))
      this.#findings.within(path, nth, { line, column }, message);
  }
}

/** What can be read of a step, a job and the run. */
const OF_ONE_STEP = ['output', 'status', 'exit_code'];
const OF_ONE_JOB = ['outputs', 'status', 'error'];
const OF_THE_RUN = ['run_id', 'subject', 'trigger'];

/** Fields that no step, no job and no run has. That the step or the job itself is known is checked elsewhere. */
function* unknownFields(compiled: Expression, { roots, jobs }: Scope): Iterable<ExpressionProblem> {
  for (const { member, inner, line, column } of roots.includes('steps') ? compiled.uses('steps') : [])
    if (member !== null && inner !== null && !OF_ONE_STEP.includes(inner))
      yield { line, column, message: noField(`steps.${member}`, inner, 'a step', OF_ONE_STEP) };
  for (const { member, inner, line, column } of jobs ? compiled.uses('jobs') : []) {
    if (member === null || inner === null) continue;
    const known = jobs?.hasMatrix(member) === true ? [...OF_ONE_JOB, 'all'] : OF_ONE_JOB;
    if (!known.includes(inner)) yield { line, column, message: noField(`jobs.${member}`, inner, 'a job', known) };
  }
  for (const { member, line, column } of compiled.uses('run'))
    if (member !== null && !OF_THE_RUN.includes(member))
      yield { line, column, message: noField('run', member, 'the run', OF_THE_RUN) };
}

const noField = (of: string, field: string, kind: string, known: readonly string[]): string =>
  `there is no \`${of}.${field}\`; ${kind} has ${known.join(', ')}${didYouMean(field, known)}`;

/** The name in a program's hole whose value somebody outside of the project may have chosen. */
function foreignName(expression: string, env: Readonly<Record<string, unknown>>): string | undefined {
  for (const root of ['input', 'event'] as const) if (readsOf(expression, root)) return root;
  const reads = readsOf(expression, 'env');
  if (!reads) return undefined;
  const names = reads.all ? Object.keys(env) : [...reads.names];
  const found = names.find((name) => {
    const parts = typeof env[name] === 'string' ? partsOf(env[name]) : [];
    return Array.isArray(parts) && parts.some((part) => typeof part !== 'string' && readsOf(part.expression, 'input'));
  });
  return found === undefined ? undefined : `env.${found}`;
}

/** Names below `vars`, `matrix`, `steps` and `jobs` are known when the document is checked. */
function checkMembers(
  expression: string,
  scope: Scope,
  { say, hint }: { say: (message: string) => void; hint: Findings['hint'] },
): void {
  for (const root of ['vars', 'matrix', 'steps'] as const) {
    const known = scope[root];
    for (const name of (known && readsOf(expression, root)?.names) ?? [])
      if (!known!.includes(name)) say(`there is no \`${root}.${name}\`${where(root)}${hint(name, () => known!)}`);
  }
  const jobs = readsOf(expression, 'jobs');
  if (!jobs) return;
  if (jobs.all) say('name one job: `jobs.<id>`');
  for (const name of jobs.names)
    if (!scope.jobs?.has(name))
      say(
        `\`jobs.${name}\` is not among the needs of this job, nor of those${hint(name, () => scope.jobs?.all() ?? [])}`,
      );
}

const injected = (name: string): string =>
  `\`${name}\` comes from outside and would become a part of the program; pass it through \`env\` and read it as "$NAME"`;

const where = (root: string): string => (root === 'steps' ? ' before this step' : '');
