import type { Expressions } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { FlowFacts, FlowLanguage, NodeResult } from '../../flows/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { type Evaluate, filledEnv } from '../domain/holes.ts';
import { LANGUAGE } from '../domain/job-spec.ts';
import type { PipelineConstants } from '../domain/lower.ts';
import { ROOTS } from '../domain/names.ts';

type Values = Readonly<Record<string, unknown>>;

/** How expressions of pipelines name values. */
export const pipelineLanguage = (expressions: () => Expressions): FlowLanguage => ({
  name: LANGUAGE,
  roots: ROOTS,
  scope(facts) {
    const { vars, env, given, matrices } = facts.constants as PipelineConstants;
    const scope = {
      input: inputOf(facts.envelope),
      vars,
      env: {},
      matrix: facts.item ?? {},
      steps: {},
      jobs: Object.fromEntries(
        Object.entries(facts.nodes).map(([id, result]) => [id, jobOf(result, matrices.includes(id))]),
      ),
      run: runOf(facts),
    };
    return { ...scope, env: { ...filledEnv(env, evaluator(expressions(), scope)), ...given } };
  },
});

/** Throws `invalid_request` and names the expression that has no value. */
export const evaluator =
  (expressions: Expressions, scope: Values): Evaluate =>
  (expression) => {
    const found = expressions.compile(expression, ROOTS).evaluate(scope);
    if (found.ok) return found.value;
    throw Errors.invalidRequest(`\${{${expression.slice(0, 200)}}}: ${found.reason}`);
  };

/** A submit's input; of a run that an event, a push or a tick started, the whole envelope. */
const inputOf = (envelope: FlowFacts['envelope']): Json =>
  envelope.type === 'manual' || envelope.type === 'spawn' ? (envelope.input ?? null) : envelope;

const runOf = ({ run: { run_id, subject }, envelope }: FlowFacts) => ({ run_id, subject, trigger: envelope.type });

/** `outputs` of a matrix are those of its combinations together, the last one winning; `all` lists each. */
function jobOf({ status, output, error }: NodeResult, matrix: boolean): { [name: string]: Json } {
  const about = { status, error };
  if (!matrix) return { ...about, outputs: membersOf(output) };
  const all = Array.isArray(output) ? output.map(membersOf) : [];
  return { ...about, outputs: Object.assign({}, ...all) as Json, all };
}

/** A wait may end with any value that a signal carries. */
const membersOf = (output: Json): { [name: string]: Json } =>
  output !== null && typeof output === 'object' && !Array.isArray(output)
    ? output
    : output === null
      ? {}
      : { payload: output };
