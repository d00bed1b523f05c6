import { type CelValue, isCelError, parse, plan } from '@bufbuild/cel';
import type {
  EvaluationCost,
  EvaluationResult,
  Expression,
  ExpressionEquality,
  ExpressionPath,
  ExpressionProblem,
  ExpressionUse,
  ConditionResult,
} from '../../../kernel/contracts/index.ts';
import { depthOf, type Expr } from './ast.ts';
import { environment } from './functions.ts';
import { instrument } from './instrument.ts';
import { charge, countUnits as countMeteredUnits, EVALUATION_UNITS, withMeter } from './meter.ts';
import { positionOf, unknownNames } from './names.ts';
import { equalitiesOf, pathsOf, usesOf } from './uses.ts';
import { readPath } from './read-path.ts';
import { reasonOf } from './reasons.ts';
import { timeText, toJson } from './result.ts';
import { MAX_DEPTH, scan } from './scan.ts';
import { fromJson } from './json-values.ts';
import { isCelUint } from './values.ts';
import { equalityKey } from './contract/equality-key.ts';

const MAX_PROBLEMS = 20;
/** The comparisons that are listed of one expression, and the units that the other side of each may take. */
const MAX_EQUALITIES = 8;
const EQUALITY_UNITS = 1000;
const TOO_DEEP = `expressions can be nested at most ${MAX_DEPTH} levels deep`;
export const TOO_MUCH_WORK = 'evaluating the expression on this value takes too much work';

/**
 * Returns the units that all evaluations of this process have taken.
 * @public It is loaded when it is first needed.
 */
export const countUnits = (): number => countMeteredUnits();

/**
 * Compiles an expression, or returns everything that is wrong with its text.
 * @public It is loaded when it is first needed.
 */
export function compile(source: string, roots: readonly string[]): Expression | ExpressionProblem[] {
  const scanned = scan(source);
  const problem = (offset: number, message: string) => ({ ...positionOf(source, offset), message });
  if ('offset' in scanned) return [problem(scanned.offset, scanned.message)];
  const parsed = readPath(scanned.text) ?? parseSource(scanned.text, problem);
  if ('message' in parsed) return [parsed];
  const expr = parsed.expr!;
  if (depthOf(expr) > MAX_DEPTH) return [problem(0, TOO_DEEP)];
  const { positions } = parsed;
  const unknown_names = unknownNames(expr, roots);
  if (unknown_names.length === 0) return new CelExpression(source, expr, positions);
  return unknown_names.slice(0, MAX_PROBLEMS).map(({ id, message }) => problem(positions[String(id)] ?? 0, message));
}

function parseSource(text: string, report: Report) {
  try {
    const { expr, sourceInfo } = parse(text);
    return { expr, positions: sourceInfo?.positions ?? {} };
  } catch (error) {
    return parseProblem(error, text, report);
  }
}

type Report = (offset: number, message: string) => ExpressionProblem;

/** Explains a syntax error. The parser's own messages name grammar rules that callers do not know. */
function parseProblem(error: unknown, text: string, report: Report): ExpressionProblem {
  if (error instanceof RangeError) return report(0, TOO_DEEP);
  const { location } = error as { location?: { start?: { offset?: number } } };
  const offset = location?.start?.offset;
  if (offset === undefined) return report(0, 'the text is not an expression');
  const rest = /^\s*(\w+|[^\w\s]{1,3})?/.exec(text.slice(offset))?.[1];
  if (rest === undefined) return report(offset, 'the expression ends too early');
  if (WORDS.has(rest) && text[offset - 1] === '.')
    return report(offset, `\`${rest}\` is a reserved word: write ["${rest}"] instead of .${rest}`);
  return report(offset, `unexpected \`${rest.slice(0, 32)}\``);
}

/** Words that cannot follow a dot. */
const WORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

const toJsonValue = (value: CelValue): unknown => toJson(value, timeText);

interface Program {
  run: ReturnType<typeof plan>;
  weight: number;
  origins: ReadonlyMap<bigint, Expr>;
}

function programOf(source: Expr): Program {
  const { expr, weight, origins } = instrument(source);
  return { run: plan(environment, expr), weight, origins };
}

class CelExpression implements Expression {
  readonly source: string;
  /** Created at the first evaluation: the check of a large document compiles many expressions that it never evaluates. */
  #program: Program | undefined;
  readonly #positions: Readonly<Record<string, number>>;
  readonly #expr: Expr;

  constructor(source: string, expr: Expr, positions: Readonly<Record<string, number>>) {
    this.source = source;
    this.#expr = expr;
    this.#positions = positions;
  }

  uses(name: string): ExpressionUse[] {
    if (!this.source.includes(name)) return [];
    return usesOf(this.#expr, name).map(({ id, member, inner }) => ({
      member,
      inner,
      ...positionOf(this.source, this.#positions[String(id)] ?? 0),
    }));
  }

  paths(roots: readonly string[]): ExpressionPath[] {
    const named = roots.filter((root) => this.source.includes(root));
    return named.length === 0 ? [] : pathsOf(this.#expr, named);
  }

  equalities(root: string, scope: Readonly<Record<string, unknown>>): ExpressionEquality[] {
    // A name with dots in the scope would be read instead of the member.
    if (!this.source.includes('==') || Object.keys(scope).some((name) => name.startsWith(`${root}.`))) return [];
    return equalitiesOf(this.#expr, root)
      .slice(0, MAX_EQUALITIES)
      .flatMap(({ members, other }) => {
        const side = new CelExpression(this.source, other, this.#positions);
        const { result } = side.#evaluate(scope, EQUALITY_UNITS, (value) =>
          equalityKey(isCelUint(value) ? value.value : value),
        );
        return result.ok && typeof result.value === 'string' ? [{ members, key: result.value }] : [];
      });
  }

  evaluate(scope: Readonly<Record<string, unknown>>): EvaluationResult {
    return this.#evaluate(scope, EVALUATION_UNITS, toJsonValue).result;
  }

  evaluateWithin(scope: Readonly<Record<string, unknown>>, max_units: number): EvaluationResult & EvaluationCost {
    const { result, ...cost } = this.#evaluate(scope, max_units, toJsonValue);
    return { ...result, ...cost };
  }

  test(scope: Readonly<Record<string, unknown>>, max_units = EVALUATION_UNITS): ConditionResult {
    const { result: found, ...cost } = this.#evaluate(scope, max_units, (value) => value);
    if (!found.ok) return { ...found, ...cost };
    if (typeof found.value === 'boolean') return { ok: true, value: found.value, ...cost };
    return { ok: false, reason: 'the expression is neither true nor false', ...cost };
  }

  #evaluate(
    scope: Readonly<Record<string, unknown>>,
    max_units: number,
    convert: (value: CelValue) => unknown,
  ): EvaluationCost & { result: EvaluationResult } {
    try {
      const { value, exhausted, unreadable, units } = withMeter(max_units, () => this.#result(scope, convert));
      const reason = exhausted ? TOO_MUCH_WORK : unreadable;
      return { result: reason === undefined ? value : { ok: false, reason }, spent: exhausted, units };
    } catch (error) {
      /* A stack overflow means that a value is nested more deeply than JSON from the wire can be. */
      if (error instanceof RangeError)
        return { result: { ok: false, reason: TOO_MUCH_WORK }, spent: false, units: max_units };
      throw error;
    }
  }

  #result(scope: Readonly<Record<string, unknown>>, convert: (value: CelValue) => unknown): EvaluationResult {
    const bindings: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(scope)) bindings[name] = fromJson(value, name);
    try {
      const { run, weight } = (this.#program ??= programOf(this.#expr));
      charge(weight);
      const result = run(bindings as never);
      return isCelError(result) ? this.#reason(result) : { ok: true, value: convert(result) };
    } catch (error) {
      return this.#reason({ message: error instanceof Error ? error.message : '', exprId: undefined });
    }
  }

  #reason({ message, exprId }: { message: string; exprId: bigint | undefined }): EvaluationResult {
    const origin = exprId === undefined ? undefined : this.#program?.origins.get(exprId);
    const { line, column } = positionOf(this.source, this.#positions[String(origin?.id)] ?? 0);
    return { ok: false, reason: reasonOf(message, origin, `line ${line}, column ${column}`) };
  }
}
