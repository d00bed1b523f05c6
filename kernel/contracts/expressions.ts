import { token } from './tokens.ts';

/** A problem in an expression and its position. Lines and columns count from 1. */
export interface ExpressionProblem {
  line: number;
  column: number;
  message: string;
}

/** A value, or the reason why there is none: an absent field, a wrong type, too much work. */
export type EvaluationResult = { ok: true; value: unknown } | { ok: false; reason: string };

/** What an evaluation has cost, in units of 50 to 100 ns, and whether it ended because it needed more than it had. */
export interface EvaluationCost {
  units: number;
  spent: boolean;
}

export type ConditionResult = ({ ok: true; value: boolean } | { ok: false; reason: string }) & EvaluationCost;

/** One use of a name in an expression. Line and column count from 1. */
export interface ExpressionUse {
  /** The member selected from the name: `a` in `nodes.a.output` and in `nodes["a"]`. Null when the value itself is used. */
  member: string | null;
  /**
   * The member selected from that member: `output` in `nodes.a.output`. Null when there is none, when its name is computed,
   * and in `has(nodes.a.output)`, which only tests for it.
   */
  inner: string | null;
  line: number;
  column: number;
}

/** A member that an expression reads from a name of its scope: `nodes.a.output` is `output` of `a` of `nodes`. */
export interface ExpressionPath {
  root: string;
  /** The members from the root on, up to the first one whose name is computed. */
  members: readonly string[];
  /** Whether `has(…)` only tests that the last member exists. */
  tested: boolean;
}

/** A condition `event.payload.order == "o-17"` without which an expression is not true. */
export interface ExpressionEquality {
  /** The members from the root on. */
  members: readonly string[];
  /** What the member must equal, as `equalityKey` of the plugin `expressions` writes it. */
  key: string;
}

/** A compiled expression. It reads only its scope and cannot reach this process. */
export interface Expression {
  readonly source: string;
  /** Lists the uses of a name of the scope, in source order. A loop variable of the same name does not count. */
  uses(name: string): ExpressionUse[];
  /** Lists what the expression reads from these names of the scope, in source order. The same path may occur twice. */
  paths(roots: readonly string[]): ExpressionPath[];
  /**
   * Lists conditions that must hold for the expression to be true: a member of `root` equals a string, a number, a boolean or
   * null that follows from `scope` alone. There may be more than are listed.
   */
  equalities(root: string, scope: Readonly<Record<string, unknown>>): ExpressionEquality[];
  /** `scope` holds JSON values under the names that were allowed at compilation. Never throws. */
  evaluate(scope: Readonly<Record<string, unknown>>): EvaluationResult;
  /** Like `evaluate`, with at most `max_units` of work: fewer than an evaluation may take by default. */
  evaluateWithin(scope: Readonly<Record<string, unknown>>, max_units: number): EvaluationResult & EvaluationCost;
  /**
   * Evaluates a condition: a result that is not a boolean is a reason. `most` limits the work, in units of 50 to 100 ns, to
   * fewer units than an evaluation may take by default.
   */
  test(scope: Readonly<Record<string, unknown>>, max_units?: number): ConditionResult;
}

/** The expression language, CEL. Compiled expressions are cached and shared. */
export interface Expressions {
  /**
   * Compiles an expression that may use the names `roots`. Throws `expression_invalid`, whose `extras.data.problems` lists
   * what is wrong: syntax, unknown names and functions, too long, too deep.
   */
  compile(source: string, roots: readonly string[]): Expression;
  /** Returns the expression if it is already compiled. */
  ready(source: string, roots: readonly string[]): Expression | undefined;
  /** Returns the problems that `compile` would throw; empty when there are none. */
  check(source: string, roots: readonly string[]): ExpressionProblem[];
  /**
   * Returns the units that all evaluations of this process have taken. Evaluations are synchronous, so the difference is
   * what the evaluations in between have taken.
   */
  units(): number;
}

/** The units that the expressions of one config or one list of variables may take together: about 30 ms. */
export const MAX_UNITS_TOGETHER = 300_000;

export const Expressions = token<Expressions>('kernel.Expressions');
