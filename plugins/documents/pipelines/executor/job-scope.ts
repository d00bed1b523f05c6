import type { Expressions } from '../../../../kernel/contracts/index.ts';
import type { JobSpec } from '../domain/job-spec.ts';
import type { Evaluate } from '../domain/templates.ts';
import { ROOTS } from '../domain/names.ts';
import { PipelineErrors } from '../errors.ts';

/** The result of a step, as later steps read it. */
export interface StepResult {
  status: 'succeeded' | 'failed' | 'skipped';
  exit_code: number | null;
  output: Record<string, unknown>;
}

/** Values of the expressions of a job's steps. */
export class JobScope {
  readonly #expressions: Expressions;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #steps: Record<string, StepResult> = Object.create(null);

  constructor(expressions: Expressions, { scope }: JobSpec) {
    this.#expressions = expressions;
    const none = Object.fromEntries(ROOTS.map((root) => [root, {}]));
    this.#values = { ...none, ...scope };
  }

  recordStep(id: string | null, result: StepResult): void {
    if (id !== null) this.#steps[id] = result;
  }

  /** Throws `step_invalid` for an expression that has no value. */
  createEvaluator(env: Readonly<Record<string, string>>): Evaluate {
    const scope = { ...this.#values, env, steps: { ...this.#steps } };
    return (expression) => {
      const result = this.#expressions.compile(expression, ROOTS).evaluate(scope);
      if (result.ok) return result.value;
      throw PipelineErrors.stepInvalid(`\${{${expression.slice(0, 200)}}}: ${result.reason}`);
    };
  }
}
