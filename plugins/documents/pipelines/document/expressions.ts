import {
  type Expression,
  type ExpressionProblem,
  type Expressions,
  isServiceError,
} from '../../../../kernel/contracts/index.ts';
import { readCondition, hasTemplate, splitTemplate } from '../domain/templates.ts';
import { axesOf, type Matrix } from '../explain/matrix.ts';
import { readInputs } from '../../../platform/schema/contract.ts';
import { findReads, type Root } from '../domain/names.ts';
import { readNeeds } from '../domain/needs.ts';
import { findRepoFile } from '../domain/child.ts';
import type { Concurrency, Job, Step } from '../generated/pipeline.ts';
import { didYouMean, type Findings } from './findings.ts';
import { Ancestors } from './needs.ts';
import type { Checkable } from './partial.ts';
import { insteadOfName } from './other-systems.ts';
import type { Path } from './source.ts';

const RUN_ROOTS: readonly Root[] = ['input', 'vars', 'run'];
const JOB_ROOTS: readonly Root[] = ['env', 'matrix', 'jobs'];

/** What the expressions at one point of the document may name. */
interface Scope {
  roots: readonly (Root | 'event')[];
  vars?: readonly string[] | undefined;
  inputs?: readonly string[] | undefined;
  jobs?: Pick<Ancestors, 'has' | 'list'> & {
    hasMatrix(name: string): boolean;
    /** The outputs that the document declares for a job. */
    outputsOf(name: string): readonly string[];
  };
  steps?: readonly string[] | undefined;
  matrix?: readonly string[] | undefined;
}

/** Compiles every expression of a document, and checks the names that it reads. */
export function checkExpressions(checkable: Checkable, expressions: Expressions, findings: Findings): void {
  const { document, job_ids } = checkable;
  const check = new ExpressionCheck(expressions, findings);
  const vars = varsOf(checkable);
  const run = { ...runScope(checkable), vars };
  check.checkAll(document.env, ['env'], run);
  check.checkConcurrency(document.concurrency, ['concurrency'], { ...run, roots: [...run.roots, 'env'] });
  const jobs = {
    has: (name: string) => job_ids.has(name),
    list: () => [...job_ids],
    hasMatrix: (name: string) => hasMatrix(checkable, name),
    outputsOf: (name: string) => outputsOf(checkable, name),
  };
  for (const [name, value] of Object.entries(document.outputs ?? {}))
    check.checkOutput(value, ['outputs', name], { ...run, roots: [...run.roots, 'env', 'jobs'], jobs });
  for (const [id, job] of Object.entries(document.jobs)) checkJob(checkable, id, job, check);
  findings.withdrawVariables(check.tested_variables);
}

/** What every expression can read: the declared inputs too, whose names are known unless others may be among them. */
function runScope({ document: { inputs } }: Checkable): Pick<Scope, 'roots' | 'inputs'> {
  if (inputs === undefined) return { roots: RUN_ROOTS };
  const read = readInputs(inputs);
  const { properties = {}, additionalProperties: open } = 'schema' in read ? read.schema : {};
  return { roots: [...RUN_ROOTS, 'inputs'], ...(open === false && { inputs: Object.keys(properties as object) }) };
}

/** The names of the variables, unless a member was left out that may define them. */
const varsOf = ({ document, partial_root }: Checkable): string[] | undefined =>
  partial_root ? undefined : Object.keys(document.vars ?? {});

function checkJob(checkable: Checkable, id: string, job: Job, check: ExpressionCheck): void {
  const { document } = checkable;
  const path = ['jobs', id];
  const is_partial = checkable.partial.has(id);
  const matrix = is_partial ? undefined : axisNames(job);
  const vars = varsOf(checkable);
  const above = new Ancestors(checkable, id);
  const jobs = {
    has: (name: string) => above.has(name),
    list: () => above.list(),
    hasMatrix: (name: string) => hasMatrix(checkable, name),
    outputsOf: (name: string) => outputsOf(checkable, name),
  };
  const run = runScope(checkable);
  const scope: Scope = { ...run, roots: [...run.roots, ...JOB_ROOTS], vars, matrix, jobs };
  const job_scope = { ...scope, roots: scope.roots.filter((root) => root !== 'matrix') };
  const step_roots: Scope['roots'] = [...scope.roots, 'steps'];
  check.checkCondition(job.if, [...path, 'if'], job_scope);
  check.checkConcurrency(job.concurrency, [...path, 'concurrency'], job_scope);
  check.checkAll(job.strategy, [...path, 'strategy'], job_scope);
  check.checkAll(job.env, [...path, 'env'], scope);
  check.checkAll(job.requires, [...path, 'requires'], scope);
  check.checkAll(job.with, [...path, 'with'], scope);
  // The file is read once for all combinations. Its credential is named literally, which the rules check.
  const { credential: _named, ...file } = findRepoFile(job) ?? {};
  check.checkAll(file, [...path, 'workflow', 'from_repo'], job_scope);
  for (const [i, { artifacts }] of readNeeds(job).entries())
    check.checkAll(artifacts, [...path, 'needs', i, 'artifacts'], scope);
  check.checkAll(job.cache, [...path, 'cache'], scope);
  check.checkCondition(job.when, [...path, 'when'], { ...scope, roots: ['event', ...scope.roots] });
  for (const [i, one] of (job.wait_for_any ?? []).entries())
    check.checkCondition(one.when, [...path, 'wait_for_any', i, 'when'], {
      ...scope,
      roots: ['event', ...scope.roots],
    });
  check.checkAll(job.message, [...path, 'message'], job_scope);
  const steps: string[] = [];
  const variables = { ...document.env, ...job.env };
  for (const [i, step] of (job.steps ?? []).entries()) {
    checkStep(
      step,
      [...path, 'steps', i],
      { ...scope, roots: step_roots, steps: is_partial ? undefined : [...steps] },
      { check, variables, matrix: job.strategy?.matrix },
    );
    if (step.id !== undefined) steps.push(step.id);
  }
  const after = { ...scope, roots: step_roots, steps: is_partial ? undefined : steps };
  check.checkAll(job.outputs, [...path, 'outputs'], after);
  check.checkAll(job.artifacts, [...path, 'artifacts'], after);
}

const hasMatrix = ({ document: { jobs }, partial }: Checkable, name: string): boolean =>
  partial.has(name) || (Object.hasOwn(jobs, name) && jobs[name]?.strategy !== undefined);

const outputsOf = ({ document: { jobs }, partial }: Checkable, name: string): readonly string[] =>
  !partial.has(name) && Object.hasOwn(jobs, name) ? Object.keys(jobs[name]?.outputs ?? {}) : [];

interface StepContext {
  check: ExpressionCheck;
  /** The variables of workflow and job. */
  variables: Readonly<Record<string, unknown>>;
  matrix: unknown;
}

function checkStep(step: Step, path: Path, scope: Scope, { check, variables, matrix }: StepContext): void {
  check.checkCondition(step.if, [...path, 'if'], scope);
  check.checkAll(step.env, [...path, 'env'], scope);
  check.checkAll(step.working_directory, [...path, 'working_directory'], scope);
  check.checkProgram(step.run, [...path, 'run'], scope, { env: { ...variables, ...step.env }, matrix });
}

/** The names of the axes; undefined when an expression makes them. */
function axisNames({ strategy }: Job): string[] | undefined {
  if (!strategy) return [];
  const { matrix } = strategy;
  if (typeof matrix === 'string' || typeof matrix.include === 'string') return undefined;
  const include = matrix.include ?? [];
  if (include.some((entry) => typeof entry !== 'object')) return undefined;
  return [...new Set([...Object.keys(axesOf({ matrix: matrix as Matrix })), ...include.flatMap(Object.keys)])];
}

class ExpressionCheck {
  readonly #expressions: Expressions;
  readonly #findings: Findings;
  /** The variables that an expression tests with `has(…)`. */
  readonly tested_variables = new Set<string>();

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

  /** Checks a concurrency group: its key is an expression, and its name can contain some. */
  checkConcurrency(concurrency: Concurrency | undefined, path: Path, scope: Scope): void {
    if (typeof concurrency !== 'object') return this.checkAll(concurrency, path, scope);
    this.checkAll(concurrency?.group, [...path, 'group'], scope);
    this.checkCondition(concurrency?.key, [...path, 'key'], scope);
  }

  checkCondition(value: string | boolean | undefined, path: Path, scope: Scope): void {
    if (typeof value !== 'string') return;
    const { expression, nth } = readCondition(value);
    if (nth === undefined && hasTemplate(value))
      return this.#findings.atValue(path, 'a condition is one expression; write it without `${{ }}`');
    this.#compile(expression, path, nth, scope);
  }

  /** Checks a program. Values that an outsider may have chosen must not become part of its text. */
  checkProgram(text: string, path: Path, scope: Scope, values: ProgramValues): void {
    this.#checkTemplate(text, path, scope, (expression) => findForeignName(expression, values));
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
    this.#checkVariables(compiled, path, nth, scope);
    for (const { line, column, message } of [
      ...findUnknownFields(compiled, scope),
      ...findMisspelledOutputs(compiled, scope),
    ])
      this.#findings.atExpression(path, nth, { line, column }, message);
  }

  /** Reports variables that the document does not declare. Those of its project and org are known only to the server. */
  #checkVariables(compiled: Expression, path: Path, nth: number | undefined, { vars }: Scope): void {
    const { source } = compiled;
    const unknown = vars && findReads(source, 'vars')?.names;
    for (const name of unknown ?? [])
      if (!vars!.includes(name)) {
        const hint = this.#findings.hint(name, () => vars!);
        this.#findings.atVariable(path, nth, name, `there is no \`vars.${name}\`${hint}`);
      }
    if (unknown === undefined) return;
    for (const { members, tested } of compiled.paths(['vars']))
      if (tested && members.length === 1) this.tested_variables.add(members[0]!);
  }
}

/** The fields of a step, a job and the run. */
const STEP_FIELDS = ['output', 'status', 'exit_code'];
const JOB_FIELDS = ['outputs', 'status', 'error'];
const RUN_FIELDS = ['id', 'run_id', 'subject', 'trigger'];

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

/** Values that an expression may put into a program. */
interface ProgramValues {
  env: Readonly<Record<string, unknown>>;
  matrix: unknown;
}

/** Returns the name in an expression of a program whose value an outsider may have chosen. */
function findForeignName(expression: string, { env, matrix }: ProgramValues): string | undefined {
  for (const root of ['input', 'inputs', 'event'] as const) if (findReads(expression, root)) return root;
  if (findReads(expression, 'matrix') && readsInput(matrix)) return 'matrix';
  const reads = findReads(expression, 'env');
  if (!reads) return undefined;
  const names = reads.all ? Object.keys(env) : [...reads.names];
  const foreign = names.find((name) => readsInput(env[name]));
  return foreign === undefined ? undefined : `env.${foreign}`;
}

/** True when an expression in one of the texts of a value reads the input. */
function readsInput(value: unknown): boolean {
  if (value !== null && typeof value === 'object') return Object.values(value).some(readsInput);
  const segments = typeof value === 'string' ? splitTemplate(value) : [];
  return (
    Array.isArray(segments) &&
    segments.some(
      (segment) =>
        typeof segment !== 'string' &&
        (findReads(segment.expression, 'input') ?? findReads(segment.expression, 'inputs')) !== undefined,
    )
  );
}

/** Names below `inputs`, `matrix`, `steps` and `jobs` are known when the document is checked. */
function checkMembers(
  expression: string,
  scope: Scope,
  { report: say, hint }: { report: (message: string) => void; hint: Findings['hint'] },
): void {
  for (const root of ['inputs', 'matrix', 'steps'] as const) {
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
