import type { Expression, ExpressionProblem, Expressions } from '../../../kernel/contracts/index.ts';
import { type CompiledExpression, invalidExpression, type WantedExpression } from '../../expressions/contract.ts';

const keyOf = (text: string, roots: readonly string[]): string => [...roots, text].join('\n');

/** Takes down what a check compiles, and compiles nothing: for a first walk through a large document. */
export class RecordedExpressions implements Expressions {
  readonly #wanted = new Map<string, WantedExpression>();

  get wanted(): WantedExpression[] {
    return [...this.#wanted.values()];
  }

  compile(text: string, roots: readonly string[]): Expression {
    this.#wanted.set(keyOf(text, roots), { text, roots });
    return new Known(text, { problems: [], uses: {} });
  }

  ready(): undefined {
    return undefined;
  }

  check(text: string, roots: readonly string[]): ExpressionProblem[] {
    this.compile(text, roots);
    return [];
  }
}

/** What a worker thread has compiled, for the second walk. Nothing of it can be evaluated here. */
export class PreparedExpressions implements Expressions {
  readonly #found: ReadonlyMap<string, CompiledExpression>;

  constructor(wanted: readonly WantedExpression[], found: readonly CompiledExpression[]) {
    this.#found = new Map(wanted.map(({ text, roots }, n) => [keyOf(text, roots), found[n]!]));
  }

  compile(text: string, roots: readonly string[]): Expression {
    const found = this.find(text, roots);
    if (Array.isArray(found)) throw invalidExpression(found);
    return found;
  }

  /** The same without an error: thousands of them would take longer than all the rest. */
  find(text: string, roots: readonly string[]): Expression | ExpressionProblem[] {
    const found = this.#of(text, roots);
    return found.problems.length > 0 ? found.problems : new Known(text, found);
  }

  ready(): undefined {
    return undefined;
  }

  check(text: string, roots: readonly string[]): ExpressionProblem[] {
    return this.#of(text, roots).problems;
  }

  #of(text: string, roots: readonly string[]): CompiledExpression {
    const found = this.#found.get(keyOf(text, roots));
    if (!found) throw new Error('a check compiles an expression that its first walk has not seen');
    return found;
  }
}

class Known implements Expression {
  readonly source: string;
  readonly #found: CompiledExpression;

  constructor(source: string, found: CompiledExpression) {
    this.source = source;
    this.#found = found;
  }

  uses(name: string) {
    return this.#found.uses[name] ?? [];
  }

  evaluate(): never {
    throw new Error('an expression of a check is not evaluated');
  }

  test(): never {
    throw new Error('an expression of a check is not evaluated');
  }
}
