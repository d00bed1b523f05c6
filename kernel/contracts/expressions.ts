import { token } from './tokens.ts';

/** A fault of an expression and its place; lines and columns count from 1. */
export interface ExpressionProblem {
  line: number;
  column: number;
  message: string;
}

/** A value, or the reason why there is none: an absent field, a wrong type, too much work. */
export type Evaluated = { ok: true; value: unknown } | { ok: false; reason: string };

/** A place where an expression uses one of its names; line and column count from 1. */
export interface ExpressionUse {
  /** The member that is selected at once: `a` in `nodes.a.output` and in `nodes["a"]`. Null: the value as a whole. */
  member: string | null;
  line: number;
  column: number;
}

/** A compiled expression. It reads only its scope and cannot reach this process. */
export interface Expression {
  readonly source: string;
  /** Where it uses a name of its scope, in source order. A loop variable of the same name does not count. */
  uses(name: string): ExpressionUse[];
  /** `scope` holds JSON values under the names that were allowed at compilation. Never throws. */
  evaluate(scope: Readonly<Record<string, unknown>>): Evaluated;
  /** The same for conditions: any result other than true and false is a reason. */
  test(scope: Readonly<Record<string, unknown>>): { ok: true; value: boolean } | { ok: false; reason: string };
}

/** The expression language, CEL. Compiled expressions are cached and shared. */
export interface Expressions {
  /**
   * Compiles an expression that may use the names `roots`. Throws `expression_invalid` with its problems
   * (`extras.data.problems`) for a syntax fault, an unknown name or function, or an expression that is too long or too
   * deep.
   */
  compile(source: string, roots: readonly string[]): Expression;
  /** The problems that `compile` would throw; empty when there is none. */
  check(source: string, roots: readonly string[]): ExpressionProblem[];
}

export const Expressions = token<Expressions>('kernel.Expressions');
