import { token } from './tokens.ts';

/** A fault of an expression and its place; lines and columns count from 1. */
export interface ExpressionProblem {
  line: number;
  column: number;
  message: string;
}

/** A value, or the reason why there is none: an absent field, a wrong type, too much work. */
export type Evaluated = { ok: true; value: unknown } | { ok: false; reason: string };
export type Tested = ({ ok: true; value: boolean } | { ok: false; reason: string }) & { units: number; spent: boolean };

/** A place where an expression uses one of its names; line and column count from 1. */
export interface ExpressionUse {
  /** The member that is selected at once: `a` in `nodes.a.output` and in `nodes["a"]`. Null: the value as a whole. */
  member: string | null;
  /**
   * The member that is selected from that one: `output` in `nodes.a.output`. Null where there is none, where its name is made
   * by the expression, and in `has(nodes.a.output)`, which only asks for it.
   */
  inner: string | null;
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
  /** The same for conditions, any other result is a reason; in units of work of 50 to 100 ns. It may be given fewer. */
  test(scope: Readonly<Record<string, unknown>>, most?: number): Tested;
}

/** The expression language, CEL. Compiled expressions are cached and shared. */
export interface Expressions {
  /**
   * Compiles an expression that may use the names `roots`. Throws `expression_invalid` with its problems
   * (`extras.data.problems`): syntax, unknown names and functions, too long, too deep. `ready`: if it is compiled already.
   */
  compile(source: string, roots: readonly string[]): Expression;
  ready(source: string, roots: readonly string[]): Expression | undefined;
  /** The problems that `compile` would throw; empty when there is none. */
  check(source: string, roots: readonly string[]): ExpressionProblem[];
}

export const Expressions = token<Expressions>('kernel.Expressions');
