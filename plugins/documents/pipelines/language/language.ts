import { Errors, type Expressions, MAX_UNITS_TOGETHER } from '../../../../kernel/contracts/index.ts';
import type { ExpressionContext, FlowLanguage, NodeResult } from '../../../engine/flows/contract.ts';
import { inputsOf, type Json } from '../../../engine/runs/contract.ts';
import { type Evaluate, fillEnv, fillTemplates } from '../domain/templates.ts';
import { LANGUAGE } from '../domain/job-spec.ts';
import type { PipelineConstants } from '../domain/lower.ts';
import { ROOTS } from '../domain/names.ts';
import { PipelineErrors } from '../errors.ts';
import { combinationsOfComputed } from '../explain/matrix.ts';

type Values = Readonly<Record<string, unknown>>;

/** The names that expressions of pipelines can use. */
export const pipelineLanguage = (expressions: () => Expressions): FlowLanguage => ({
  name: LANGUAGE,
  roots: ROOTS,
  scope(context) {
    const { vars, env, given: submitted_env, matrices } = context.constants as PipelineConstants;
    const scope = {
      input: readInput(context.envelope),
      inputs: inputsOf(context.envelope),
      vars: { ...context.values.vars, ...vars },
      env: {},
      matrix: context.item ?? {},
      steps: {},
      jobs: Object.fromEntries(
        Object.entries(context.nodes).map(([id, result]) => [id, toJob(result, matrices.includes(id))]),
      ),
      run: toRun(context),
    };
    return { ...scope, env: { ...fillEnv(env, createEvaluator(expressions(), scope)), ...submitted_env } };
  },
  items(config, evaluate) {
    const { job, matrix } = config as { job: string; matrix: Json };
    const combinations = combinationsOfComputed(fillTemplates(matrix, evaluate));
    if (Array.isArray(combinations)) return combinations as Json[];
    const { pointer, message } = combinations;
    throw PipelineErrors.matrixInvalid(`/jobs/${job}/strategy/matrix${pointer} ${message}`);
  },
});

/** Its expressions have a budget together. Throws `invalid_request` and names the expression that has no value. */
export const createEvaluator = (expressions: Expressions, scope: Values): Evaluate => {
  const before = expressions.units();
  const fail = (expression: string, reason: string) =>
    Errors.invalidRequest(`\${{${expression.slice(0, 200)}}}: ${reason}`);
  return (expression) => {
    if (expressions.units() - before > MAX_UNITS_TOGETHER)
      throw fail(expression, 'the earlier expressions take too much work');
    const result = expressions.compile(expression, ROOTS).evaluate(scope);
    if (result.ok) return result.value;
    throw fail(expression, result.reason);
  };
};

/** A submit's input; of a run that an event, a push or a tick started, the whole envelope. */
const readInput = (envelope: ExpressionContext['envelope']): Json =>
  envelope.type === 'manual' || envelope.type === 'spawn' ? (envelope.input ?? null) : envelope;

const toRun = ({ run: { run_id, subject }, envelope }: ExpressionContext) => ({
  id: run_id,
  run_id,
  subject,
  trigger: envelope.type,
});

/** `outputs` of a matrix are those of its combinations together, the last one winning; `all` lists each. */
function toJob({ status, output, error }: NodeResult, matrix: boolean): { [name: string]: Json } {
  const base = { status, error };
  if (!matrix) return { ...base, outputs: toMembers(output) };
  const all = Array.isArray(output) ? output.map(toMembers) : [];
  return { ...base, outputs: Object.assign({}, ...all) as Json, all };
}

/** A wait may end with any value that a signal carries. */
const toMembers = (output: Json): { [name: string]: Json } =>
  output !== null && typeof output === 'object' && !Array.isArray(output)
    ? output
    : output === null
      ? {}
      : { payload: output };
