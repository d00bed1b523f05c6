import type { Expression, ExpressionProblem, Expressions } from '../../../../kernel/contracts/index.ts';
import {
  type CompiledExpression,
  invalidExpression,
  type ExpressionSource,
} from '../../../platform/expressions/contract.ts';

const expressionKey = (text: string, roots: readonly string[]): string => [...roots, text].join('\n');

/** Records what a check compiles without compiling it. The first pass over a large document uses it. */
export class ExpressionRecorder implements Expressions {
  readonly #sources = new Map<string, ExpressionSource>();

  get sources(): ExpressionSource[] {
    return [...this.#sources.values()];
  }

  compile(text: string, roots: readonly string[]): Expression {
    this.#sources.set(expressionKey(text, roots), { text, roots });
    return new CheckedExpression(text, { problems: [], uses: {} });
  }

  ready(): undefined {
    return undefined;
  }

  units(): number {
    return 0;
  }

  check(text: string, roots: readonly string[]): ExpressionProblem[] {
    this.compile(text, roots);
    return [];
  }
}

/** Serves what a worker thread has compiled to the second pass. These expressions cannot be evaluated. */
export class PreparedExpressions implements Expressions {
  readonly #compiled: ReadonlyMap<string, CompiledExpression>;

  constructor(sources: readonly ExpressionSource[], compiled: readonly CompiledExpression[]) {
    this.#compiled = new Map(sources.map(({ text, roots }, n) => [expressionKey(text, roots), compiled[n]!]));
  }

  compile(text: string, roots: readonly string[]): Expression {
    const expression = this.find(text, roots);
    if (Array.isArray(expression)) throw invalidExpression(expression);
    return expression;
  }

  /** Returns problems instead of throwing: thousands of errors would take longer than the rest of the check. */
  find(text: string, roots: readonly string[]): Expression | ExpressionProblem[] {
    const compiled = this.#get(text, roots);
    return compiled.problems.length > 0 ? compiled.problems : new CheckedExpression(text, compiled);
  }

  ready(): undefined {
    return undefined;
  }

  units(): number {
    return 0;
  }

  check(text: string, roots: readonly string[]): ExpressionProblem[] {
    return this.#get(text, roots).problems;
  }

  #get(text: string, roots: readonly string[]): CompiledExpression {
    const compiled = this.#compiled.get(expressionKey(text, roots));
    if (!compiled) throw new Error('a check compiled an expression that its first walk had not seen');
    return compiled;
  }
}

class CheckedExpression implements Expression {
  readonly source: string;
  readonly #compiled: CompiledExpression;

  constructor(source: string, compiled: CompiledExpression) {
    this.source = source;
    this.#compiled = compiled;
  }

  uses(name: string) {
    return this.#compiled.uses[name] ?? [];
  }

  paths(): never {
    throw new Error("the paths of a check's expression were not listed");
  }

  equalities(): never {
    throw new Error("the comparisons of a check's expression were not listed");
  }

  evaluate(): never {
    throw new Error("a check's expression was not evaluated");
  }

  evaluateWithin(): never {
    throw new Error("a check's expression was not evaluated");
  }

  test(): never {
    throw new Error("a check's expression was not evaluated");
  }
}
