import {
  type Expression,
  type ExpressionProblem,
  type Expressions,
  isServiceError,
} from '../../../../kernel/contracts/index.ts';
import { readCondition, hasTemplate, splitTemplate } from '../domain/templates.ts';
import { axesOf } from '../explain/matrix.ts';
import { findReads, type Root } from '../domain/names.ts';
import { findRepoFile } from '../domain/child.ts';
import type { Job, PipelineDocument, Step } from '../generated/pipeline.ts';
import { didYouMean, type Findings } from './findings.ts';
import { Ancestors } from './needs.ts';
import { insteadOfName } from './other-systems.ts';
import type { Path } from './source.ts';

const EVENT = ['event'] as const;
const RUN_ROOTS: readonly Root[] = ['input', 'vars', 'run'];
const JOB_ROOTS: readonly Root[] = [...RUN_ROOTS, 'env', 'matrix', 'jobs'];
const STEP_ROOTS: readonly Root[] = [...JOB_ROOTS, 'steps'];

/** What the expressions at one point of the document may name. */
interface Scope {
  roots: readonly Root[];
  vars: readonly string[];
  jobs?: Pick<Ancestors, 'has' | 'list'> & {
    hasMatrix(name: string): boolean;
    /** The outputs that the document declares for a job. */
    outputsOf(name: string): readonly string[];
  };
  steps?: readonly string[];
  matrix?: readonly string[];
}

/** Compiles every expression of a document, and checks the names that it reads. */
export function checkExpressions(document: PipelineDocument, expressions: Expressions, findings: Findings): void {
  const check = new ExpressionCheck(expressions, findings);
  const vars = Object.keys(document.vars ?? {});
  const run = { roots: RUN_ROOTS, vars };
  check.checkAll(document.env, ['env'], run);
  check.checkAll(document.concurrency, ['concurrency'], { ...run, roots: [...RUN_ROOTS, 'env'] });
  const jobs = {
    has: (name: string) => Object.hasOwn(document.jobs, name),
    list: () => Object.keys(document.jobs),
    hasMatrix: (name: string) => hasMatrix(document, name),
    outputsOf: (name: string) => outputsOf(document, name),
  };
  for (const [name, value] of Object.entries(document.outputs ?? {}))
    check.checkOutput(value, ['outputs', name], { roots: [...RUN_ROOTS, 'env', 'jobs'], vars, jobs });
  for (const [id, job] of Object.entries(document.jobs)) checkJob(document, id, job, check);
}

function checkJob(document: PipelineDocument, id: string, job: Job, check: ExpressionCheck): void {
  const path = ['jobs', id];
  const matrix = job.strategy ? axisNames(job) : [];
  const vars = Object.keys(document.vars ?? {});
  const above = new Ancestors(document.jobs, id);
  const jobs = {
    has: (name: string) => above.has(name),
    list: () => above.list(),
    hasMatrix: (name: string) => hasMatrix(document, name),
    outputsOf: (name: string) => outputsOf(document, name),
  };
  const scope: Scope = { roots: JOB_ROOTS, vars, matrix, jobs };
  const job_scope = { ...scope, roots: JOB_ROOTS.filter((root) => root !== 'matrix') };
  check.checkCondition(job.if, [...path, 'if'], job_scope);
  check.checkAll(job.concurrency, [...path, 'concurrency'], job_scope);
  check.checkAll(job.env, [...path, 'env'], scope);
  check.checkAll(job.requires, [...path, 'requires'], scope);
  check.checkAll(job.with, [...path, 'with'], scope);
  // The file is read once for all combinations. Its credential is named literally, which the rules check.
  const { credential: _named, ...file } = findRepoFile(job) ?? {};
  check.checkAll(file, [...path, 'workflow', 'from_repo'], job_scope);
  check.checkPredicate(job.when, [...path, 'when']);
  const steps: string[] = [];
  const variables = { ...document.env, ...job.env };
  for (const [i, step] of (job.steps ?? []).entries()) {
    checkStep(step, [...path, 'steps', i], { ...scope, roots: STEP_ROOTS, steps: [...steps] }, { check, variables });
    if (step.id !== undefined) steps.push(step.id);
  }
  const after = { ...scope, roots: STEP_ROOTS, steps };
  check.checkAll(job.outputs, [...path, 'outputs'], after);
  check.checkAll(job.artifacts, [...path, 'artifacts'], after);
}

const hasMatrix = ({ jobs }: PipelineDocument, name: string): boolean =>
  Object.hasOwn(jobs, name) && jobs[name]?.strategy !== undefined;

const outputsOf = ({ jobs }: PipelineDocument, name: string): readonly string[] =>
  Object.hasOwn(jobs, name) ? Object.keys(jobs[name]?.outputs ?? {}) : [];

interface StepContext {
  check: ExpressionCheck;
  /** The variables of workflow and job. */
  variables: Readonly<Record<string, unknown>>;
}

function checkStep(step: Step, path: Path, scope: Scope, { check, variables }: StepContext): void {
  check.checkCondition(step.if, [...path, 'if'], scope);
  check.checkAll(step.env, [...path, 'env'], scope);
  check.checkAll(step.working_directory, [...path, 'working_directory'], scope);
  check.checkProgram(step.run, [...path, 'run'], scope, { ...variables, ...step.env });
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

  /** Checks the expressions of every text below a value. */
  checkAll(value: unknown, path: Path, scope: Scope): void {
    if (typeof value === 'string') return this.#checkTemplate(value, path, scope);
    if (value === null || typeof value !== 'object') return;
    for (const [name, one] of Object.entries(value))
      this.checkAll(one, [...path, Array.isArray(value) ? Number(name) : name], scope);
  }

  /** Checks an output of the run: it is one expression as a whole, or has none. */
  checkOutput(value: unknown, path: Path, scope: Scope): void {
    if (typeof value === 'string' && hasTemplate(value)) {
      const { nth } = readCondition(value);
      if (nth === undefined)
        return this.#findings.atValue(
          path,
          'an output of the pipeline must be a single `${{ }}`; concatenate strings inside it',
        );
    } else if (value !== null && typeof value === 'object' && hasTemplate(JSON.stringify(value)))
      return this.#findings.atValue(path, 'an output of the pipeline cannot contain `${{ }}` inside a map or a list');
    this.checkAll(value, path, scope);
  }

  checkCondition(value: string | boolean | undefined, path: Path, scope: Scope): void {
    if (typeof value !== 'string') return;
    const { expression, nth } = readCondition(value);
    if (nth === undefined && hasTemplate(value))
      return this.#findings.atValue(path, 'a condition is one expression; write it without `${{ }}`');
    this.#compile(expression, path, nth, scope);
  }

  /** Checks a predicate, which can read only the event. */
  checkPredicate(value: string | boolean | undefined, path: Path): void {
    if (typeof value !== 'string') return;
    const { expression, nth } = readCondition(value);
    for (const { line, column, message } of this.#expressions.check(expression, EVENT))
      this.#findings.atExpression(path, nth, { line, column }, message);
  }

  /** Checks a program. Values that an outsider may have chosen must not become part of its text. */
  checkProgram(text: string, path: Path, scope: Scope, env: Readonly<Record<string, unknown>>): void {
    this.#checkTemplate(text, path, scope, (expression) => findForeignName(expression, env));
  }

  #checkTemplate(text: string, path: Path, scope: Scope, foreign?: (expression: string) => string | undefined): void {
    if (!hasTemplate(text)) return;
    const segments = splitTemplate(text);
    if (!Array.isArray(segments))
      return this.#findings.atExpression(path, segments.unclosed, { line: 1, column: 1 }, 'this `${{` has no `}}`');
    for (const segment of segments) {
      if (typeof segment === 'string') continue;
      const name = foreign?.(segment.expression);
      if (name === undefined) this.#compile(segment.expression, path, segment.nth, scope);
      else this.#findings.atExpression(path, segment.nth, { line: 1, column: 1 }, describeInjection(name));
    }
  }

  #compile(expression: string, path: Path, nth: number | undefined, scope: Scope): void {
    let compiled: Expression;
    try {
      compiled = this.#expressions.compile(expression, scope.roots);
    } catch (error) {
      if (!isServiceError(error, 'expression_invalid')) throw error;
      for (const { line, column, message } of this.#expressions.check(expression, scope.roots))
        this.#findings.atExpression(path, nth, { line, column }, nameInstead(expression, { line, column, message }));
      return;
    }
    const report = (message: string) => this.#findings.atExpression(path, nth, { line: 1, column: 1 }, message);
    const hint = (name: string, candidates: () => readonly string[]) => this.#findings.hint(name, candidates);
    checkMembers(expression, scope, { report, hint });
    for (const { line, column, message } of [
      ...findUnknownFields(compiled, scope),
      ...findMisspelledOutputs(compiled, scope),
    ])
      this.#findings.atExpression(path, nth, { line, column }, message);
  }
}

/** The fields of a step, a job and the run. */
const STEP_FIELDS = ['output', 'status', 'exit_code'];
const JOB_FIELDS = ['outputs', 'status', 'error'];
const RUN_FIELDS = ['run_id', 'subject', 'trigger'];

/** Fields that no step, no job and no run has. That the step or the job itself is known is checked elsewhere. */
function* findUnknownFields(compiled: Expression, { roots, jobs }: Scope): Iterable<ExpressionProblem> {
  for (const { member, inner, line, column } of roots.includes('steps') ? compiled.uses('steps') : [])
    if (member !== null && inner !== null && !STEP_FIELDS.includes(inner))
      yield { line, column, message: describeUnknownField(`steps.${member}`, inner, 'a step', STEP_FIELDS) };
  for (const { member, inner, line, column } of jobs ? compiled.uses('jobs') : []) {
    if (member === null || inner === null) continue;
    const fields = jobs?.hasMatrix(member) === true ? [...JOB_FIELDS, 'all'] : JOB_FIELDS;
    if (!fields.includes(inner))
      yield { line, column, message: describeUnknownField(`jobs.${member}`, inner, 'a job', fields) };
  }
  for (const { member, line, column } of compiled.uses('run'))
    if (member !== null && !RUN_FIELDS.includes(member))
      yield { line, column, message: describeUnknownField('run', member, 'the run', RUN_FIELDS) };
}

/** The rest of an expression from a position on. */
function textFrom(expression: string, { line, column }: { line: number; column: number }): string {
  const [first = '', ...others] = expression.split(/\r\n|\r|\n/).slice(line - 1);
  return [first.slice(column - 1), ...others].join('\n');
}

/** Says what to write instead of an unknown name that other systems have, and otherwise what the problem says. */
function nameInstead(expression: string, problem: ExpressionProblem): string {
  const [unknown = ''] = /^unknown name `\w+`/.exec(problem.message) ?? [];
  const instead = unknown === '' ? undefined : insteadOfName(textFrom(expression, problem));
  return instead === undefined ? problem.message : `${unknown}: ${instead}`;
}

const OUTPUT_READ = /^jobs\s*\.\s*\w+\s*\.\s*outputs\s*\.\s*([A-Za-z_]\w*)/;

/** Outputs that no job declares, but whose names resemble a declared one. */
function* findMisspelledOutputs(compiled: Expression, { jobs }: Scope): Iterable<ExpressionProblem> {
  for (const { member, inner, line, column } of jobs ? compiled.uses('jobs') : []) {
    const outputs = member !== null && inner === 'outputs' ? jobs!.outputsOf(member) : [];
    const name = outputs.length === 0 ? undefined : OUTPUT_READ.exec(textFrom(compiled.source, { line, column }))?.[1];
    if (name === undefined || outputs.includes(name)) continue;
    const suggestion = didYouMean(name, outputs);
    if (suggestion !== '')
      yield { line, column, message: `the job \`${member}\` declares no output \`${name}\`${suggestion}` };
  }
}

const describeUnknownField = (owner: string, field: string, kind: string, fields: readonly string[]): string =>
  `there is no \`${owner}.${field}\`; ${kind} has ${fields.join(', ')}${didYouMean(field, fields)}`;

/** Returns the name in an expression of a program whose value an outsider may have chosen. */
function findForeignName(expression: string, env: Readonly<Record<string, unknown>>): string | undefined {
  for (const root of ['input', 'event'] as const) if (findReads(expression, root)) return root;
  const reads = findReads(expression, 'env');
  if (!reads) return undefined;
  const names = reads.all ? Object.keys(env) : [...reads.names];
  const foreign = names.find((name) => {
    const segments = typeof env[name] === 'string' ? splitTemplate(env[name]) : [];
    return (
      Array.isArray(segments) &&
      segments.some((segment) => typeof segment !== 'string' && findReads(segment.expression, 'input'))
    );
  });
  return foreign === undefined ? undefined : `env.${foreign}`;
}

/** Names below `vars`, `matrix`, `steps` and `jobs` are known when the document is checked. */
function checkMembers(
  expression: string,
  scope: Scope,
  { report: say, hint }: { report: (message: string) => void; hint: Findings['hint'] },
): void {
  for (const root of ['vars', 'matrix', 'steps'] as const) {
    const names = scope[root];
    for (const name of (names && findReads(expression, root)?.names) ?? [])
      if (!names!.includes(name))
        say(`there is no \`${root}.${name}\`${describeReach(root)}${hint(name, () => names!)}`);
  }
  const jobs = findReads(expression, 'jobs');
  if (!jobs) return;
  if (jobs.all) say('name one job: `jobs.<id>`');
  for (const name of jobs.names)
    if (!scope.jobs?.has(name))
      say(
        `\`jobs.${name}\` is not in the \`needs\` of this job or of the jobs that it needs${hint(name, () => scope.jobs?.list() ?? [])}`,
      );
}

const describeInjection = (name: string): string =>
  `\`${name}\` comes from outside and would become part of the program; pass it through \`env\` and read it as "$NAME"`;

const describeReach = (root: string): string => (root === 'steps' ? ' before this step' : '');
