import { token } from './tokens.ts';

/** What is wrong with an expression, and where: lines and columns count from 1. */
export interface ExpressionProblem {
  line: number;
  column: number;
  message: string;
}

/** A value, or why there is none: an absent field, a wrong type, too much work. */
export type Evaluated = { ok: true; value: unknown } | { ok: false; reason: string };

/** A compiled expression. It knows nothing but the scope it is given, and reaches nothing of this process. */
export interface Expression {
  readonly source: string;
  /** `scope` holds JSON values by the names that were allowed when it was compiled. Never throws. */
  evaluate(scope: Readonly<Record<string, unknown>>): Evaluated;
  /** The same where only true and false are answers; anything else is a reason. */
  test(scope: Readonly<Record<string, unknown>>): { ok: true; value: boolean } | { ok: false; reason: string };
}

/** The one expression language, CEL. Compiled expressions are kept and shared. */
export interface Expressions {
  /**
   * Compiles an expression that may name `roots` and nothing else. Throws `expression_invalid` with its problems
   * (`extras.data.problems`) on a fault of grammar, an unknown name or function, or one too long or too deep.
   */
  compile(source: string, roots: readonly string[]): Expression;
  /** The problems that `compile` would throw; empty when there is none. */
  check(source: string, roots: readonly string[]): ExpressionProblem[];
}

export const Expressions = token<Expressions>('kernel.Expressions');
